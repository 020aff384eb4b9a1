import { exact, exactLine } from '../../../../core/text.js';

/** Every character of a text, for a fence of Discord's: three backticks would end it. */
export function forFence(text: string): string {
  return exact(text.replaceAll('\r\n', '\n')).replaceAll(/(?<=``)`/g, '[U+0060]');
}

/** A text of `forFence` in a fence; the language only colours it. */
export function fenced(text: string, language = ''): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** A short text as code within a line. */
export function inlineCode(text: string, max: number): string {
  const line = exactLine(text.slice(0, 4 * max))
    .replaceAll(/\s+/g, ' ')
    .replaceAll('`', 'ˋ')
    .trim();
  const shown = line.length <= max ? line : `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
  return shown === '' ? '' : `\`${shown}\``;
}

export interface Excerpt {
  readonly text: string;
  readonly isCut: boolean;
}

/** The beginning and the end of a text: what is dangerous in a command is often at its end. */
export function excerpt(text: string, max: number): Excerpt {
  if (text.length <= max) return { text, isCut: false };
  const room = max - 60;
  const begin = text.slice(0, Math.ceil(room / 2)).replace(/[\ud800-\udbff]$/, '');
  const end = text.slice(-Math.floor(room / 2)).replace(/^[\udc00-\udfff]/, '');
  const left = text.length - begin.length - end.length;
  return { text: `${begin}\n… ${left} characters are left out here …\n${end}`, isCut: true };
}
