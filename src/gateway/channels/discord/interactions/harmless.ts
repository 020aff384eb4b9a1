/**
 * Characters that can't be seen, that turn the direction of writing, or that end a fence would let a text look like another one.
 * They are shown as their numbers.
 */
const disguising =
  /[^\P{Cc}\n\t]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}|\p{Co}|\u034f|[\u115f\u1160\u17b4\u17b5]|[\u2800\u3164\uffa0]|[\ufe00-\ufe0f]|(?<=``)`|[^\P{Zs} ]|(?<=\p{M}{3})\p{M}/gu;

/** Long gaps push what comes behind them out of sight. */
const gap = /[ \t]{17,}|\t{5,}|\n(?:[ \t]*\n){3,}/g;

/** A text for a fence of Discord's. Nobody who reads it can be shown anything else than what it says. */
export function harmless(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(disguising, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .replaceAll(
      gap,
      (found) => `${found.slice(0, 3)}[… ${found.length} × ${nameOf(found)} …]${found.slice(-1)}`,
    );
}

function nameOf(found: string): string {
  if (found.startsWith('\n')) return 'blank or line break';
  return found.includes(' ') ? 'space' : 'tab';
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

/** The text in a fence; the language only colours it. */
export function fenced(text: string, language = ''): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** A short text as code within a line. */
export function inlineCode(text: string, max: number): string {
  const line = harmless(text.slice(0, 4 * max))
    .replaceAll(/\s+/g, ' ')
    .replaceAll('`', 'ˋ')
    .trim();
  const shown = line.length <= max ? line : `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
  return shown === '' ? '' : `\`${shown}\``;
}
