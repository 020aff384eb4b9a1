import { foldBlanks } from './fold-blanks.js';
import { visible } from './odd-characters.js';

/**
 * The lines of what somebody is asked to allow. Nothing of it is left out, and nothing can hide: odd characters are shown by name,
 * long blank space is told in words.
 */
export function wholeLines(text: string): readonly string[] {
  return foldBlanks(text)
    .map((part) => (typeof part === 'string' ? visible(part) : `… ${part.fold} …`))
    .join('')
    .replaceAll('\t', '    ')
    .split('\n');
}

/** The same in one line: a line break is shown by name, too. */
export function wholeLine(text: string): string {
  return wholeLines(text.replaceAll('\n', '␊')).join('');
}
