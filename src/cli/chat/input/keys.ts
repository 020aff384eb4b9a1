/** What a person has pressed: a piece of text, a paste as a whole, or a key by its name. */
export type Key =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'key'; readonly name: KeyName; readonly alt?: true; readonly ctrl?: true };

export type KeyName =
  | 'enter'
  | 'newline'
  | 'tab'
  | 'backspace'
  | 'delete'
  | 'escape'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  /** A letter that is pressed together with Ctrl or Alt. */
  | `letter-${string}`;

export function isCtrl(key: Key, letter: string): boolean {
  return key.type === 'key' && key.ctrl === true && key.name === `letter-${letter}`;
}

/** What was read and is no whole key yet. */
export interface KeyBuffer {
  readonly rest: string;
  /** The paste so far, if one has begun. */
  readonly paste: string | undefined;
}

export const noKeys: KeyBuffer = { rest: '', paste: undefined };

const pasteBegins = '\u001b[200~';
const pasteEnds = '\u001b[201~';
/** A paste is cut there: nobody types so much, and every key would have to move it. */
const longestPaste = 1_000_000;

/** Reads what a terminal sends, in whatever pieces it comes. */
export function readKeys(buffer: KeyBuffer, data: string): { buffer: KeyBuffer; keys: readonly Key[] } {
  const keys: Key[] = [];
  let { paste } = buffer;
  let rest = buffer.rest + data;
  while (rest !== '') {
    if (paste !== undefined) {
      const end = rest.indexOf(pasteEnds);
      if (end < 0) {
        const kept = heldBack(rest, pasteEnds);
        paste = (paste + rest.slice(0, rest.length - kept)).slice(0, longestPaste);
        rest = rest.slice(rest.length - kept);
        break;
      }
      keys.push({ type: 'paste', text: (paste + rest.slice(0, end)).slice(0, longestPaste) });
      rest = rest.slice(end + pasteEnds.length);
      paste = undefined;
      continue;
    }
    if (rest.startsWith(pasteBegins)) {
      paste = '';
      rest = rest.slice(pasteBegins.length);
      continue;
    }
    const found = nextKey(rest);
    if (found === undefined) break;
    if (found.key !== undefined) keys.push(found.key);
    rest = rest.slice(found.length);
  }
  return { buffer: { rest, paste }, keys };
}

/** Nothing has followed an Escape: it was that key. */
export function endOfKeys(buffer: KeyBuffer): { buffer: KeyBuffer; keys: readonly Key[] } {
  if (buffer.paste !== undefined || !buffer.rest.startsWith('\u001b')) return { buffer, keys: [] };
  return { buffer: noKeys, keys: buffer.rest === '\u001b' ? [named('escape')] : [] };
}

interface Found {
  /** Undefined for a sequence that means nothing here. */
  readonly key: Key | undefined;
  readonly length: number;
}

/** The first key of what was read; undefined if it is not there as a whole. */
function nextKey(text: string): Found | undefined {
  const code = text.charCodeAt(0);
  if (text.startsWith('\u001b')) return escapeKey(text);
  if (code < 0x20 || code === 0x7f) return { key: controlKey(code), length: 1 };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text ends where a control character begins
  const [run = ''] = /^[^\u0000-\u001f\u007f]+/.exec(text) ?? [];
  // The second half of a character may be on its way.
  if (/[\ud800-\udbff]$/.test(run) && run.length === text.length) {
    return run.length === 1
      ? undefined
      : { key: { type: 'text', text: run.slice(0, -1) }, length: run.length - 1 };
  }
  return { key: { type: 'text', text: run }, length: run.length };
}

function controlKey(code: number): Key {
  const names: Readonly<Record<number, KeyName>> = {
    8: 'backspace',
    9: 'tab',
    10: 'newline',
    13: 'enter',
    127: 'backspace',
  };
  const name = names[code];
  if (name !== undefined) return named(name);
  return { type: 'key', name: `letter-${String.fromCharCode(code + 96)}`, ctrl: true };
}

const finals: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
};
const numbers: Readonly<Record<string, KeyName>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  7: 'home',
  8: 'end',
};

function escapeKey(text: string): Found | undefined {
  if (text.length === 1) return undefined;
  const next = text[1] ?? '';
  if (next === '[' || next === 'O') return commandKey(text);
  // Escape twice is Escape: the second one may begin a sequence.
  if (next === '\u001b') return { key: named('escape'), length: 1 };
  if (next === '\r' || next === '\n') return { key: named('newline'), length: 2 };
  if (next === '\u007f' || next === '\b') return { key: { ...named('backspace'), alt: true }, length: 2 };
  if (next < ' ') return { key: undefined, length: 2 };
  const [letter = next] = text.slice(1);
  return {
    key: { type: 'key', name: `letter-${letter.toLowerCase()}`, alt: true },
    length: 1 + letter.length,
  };
}

function commandKey(text: string): Found | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Escape begins it
  const match = /^\u001b(?:\[([0-?]*)[ -/]*([@-~])|O([ -~]))/.exec(text);
  if (match === null) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: Escape begins it
    const begun = /^\u001b(?:\[[0-?]*[ -/]*|O)$/.test(text) && text.length < 64;
    return begun ? undefined : { key: undefined, length: 2 };
  }
  const [whole, parameters = '', final = '', short = ''] = match;
  const [first = '', modifier = '1'] = parameters.split(';');
  const held = Math.max(0, (Number(modifier) || 1) - 1);
  const name =
    final === '~' ? numbers[first] : final === 'u' ? unicodeKey(first, held) : finals[final || short];
  if (name === undefined) return { key: undefined, length: whole.length };
  const key: Key = {
    type: 'key',
    name,
    ...(held & 2 ? ({ alt: true } as const) : {}),
    ...(held & 4 ? ({ ctrl: true } as const) : {}),
  };
  return { key, length: whole.length };
}

/** Keys of terminals that tell every modifier: Shift-Enter is a new line. */
function unicodeKey(code: string, held: number): KeyName | undefined {
  const letter = Number(code);
  if (letter === 13) return held > 0 ? 'newline' : 'enter';
  if (letter === 27) return 'escape';
  if (letter === 9) return 'tab';
  if (letter === 127) return 'backspace';
  return letter > 32 && letter < 127 ? `letter-${String.fromCharCode(letter).toLowerCase()}` : undefined;
}

function named(name: KeyName): Extract<Key, { type: 'key' }> {
  return { type: 'key', name };
}

/** How much of the end may be the beginning of the mark. */
function heldBack(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
