import { terminalProse } from '../../../core/text.js';
import { graphemes } from '../../../core/width.js';
import type { Key } from './keys.js';

/** The text that is being written, and where the cursor stands in it. */
export interface Editor {
  readonly text: string;
  readonly cursor: number;
  /** Earlier inputs, the newest last. */
  readonly history: readonly string[];
  /** Where in the history it is; its length: at the text itself. */
  readonly at: number;
  /** The text that was left for the history. */
  readonly draft: string;
  /** What was deleted last as a piece: Ctrl-Y brings it back. */
  readonly deleted: string;
}

export const longestHistory = 1000;

export function newEditor(history: readonly string[] = []): Editor {
  return { text: '', cursor: 0, history, at: history.length, draft: '', deleted: '' };
}

export function withText(editor: Editor, text: string): Editor {
  return { ...editor, text, cursor: text.length, at: editor.history.length };
}

/** An empty field, with the text in the history; the same one twice in a row is there once. */
export function submitted(editor: Editor, kept: boolean): Editor {
  const { text, history, deleted } = editor;
  const next = !kept || history.at(-1) === text ? history : [...history, text].slice(-longestHistory);
  return { ...newEditor(next), deleted };
}

/** What a key does to the text; undefined if it is none of its keys. */
export function edit(editor: Editor, key: Key): Editor | undefined {
  if (key.type === 'text') return insert(editor, key.text);
  if (key.type === 'paste') return insert(editor, key.text.replaceAll(/\r\n?/g, '\n').replace(/\n$/, ''));
  const { text, cursor } = editor;
  const word = key.alt === true || key.ctrl === true;
  switch (key.name) {
    case 'newline':
      return insert(editor, '\n');
    case 'backspace':
      return word
        ? cutOut(editor, wordBefore(text, cursor), cursor)
        : remove(editor, before(text, cursor), cursor);
    case 'delete':
      return remove(editor, cursor, after(text, cursor));
    case 'left':
      return moved(editor, word ? wordBefore(text, cursor) : before(text, cursor));
    case 'right':
      return moved(editor, word ? wordAfter(text, cursor) : after(text, cursor));
    case 'home':
      return moved(editor, lineBegin(text, cursor));
    case 'end':
      return moved(editor, lineEnd(text, cursor));
    case 'up':
      return upwards(editor);
    case 'down':
      return downwards(editor);
    default:
      return key.ctrl ? withCtrl(editor, key.name) : key.alt ? withAlt(editor, key.name) : undefined;
  }
}

function withCtrl(editor: Editor, name: string): Editor | undefined {
  const { text, cursor } = editor;
  switch (name) {
    case 'letter-a':
      return moved(editor, lineBegin(text, cursor));
    case 'letter-e':
      return moved(editor, lineEnd(text, cursor));
    case 'letter-b':
      return moved(editor, before(text, cursor));
    case 'letter-f':
      return moved(editor, after(text, cursor));
    case 'letter-p':
      return upwards(editor);
    case 'letter-n':
      return downwards(editor);
    case 'letter-u':
      return cutOut(editor, lineBegin(text, cursor), cursor);
    case 'letter-k': {
      const end = lineEnd(text, cursor);
      return cutOut(editor, cursor, end === cursor ? Math.min(text.length, end + 1) : end);
    }
    case 'letter-w':
      return cutOut(editor, wordBefore(text, cursor), cursor);
    case 'letter-y':
      return insert(editor, editor.deleted);
    case 'letter-d':
      return text === '' ? undefined : remove(editor, cursor, after(text, cursor));
    default:
      return undefined;
  }
}

function withAlt(editor: Editor, name: string): Editor | undefined {
  const { text, cursor } = editor;
  if (name === 'letter-b') return moved(editor, wordBefore(text, cursor));
  if (name === 'letter-f') return moved(editor, wordAfter(text, cursor));
  return name === 'letter-d' ? cutOut(editor, cursor, wordAfter(text, cursor)) : undefined;
}

function insert(editor: Editor, given: string): Editor {
  const { text, cursor } = editor;
  // A joiner that is typed alone belongs to the letter before it.
  const before = terminalProse(text.slice(0, cursor) + given);
  return { ...editor, text: before + text.slice(cursor), cursor: before.length };
}

function remove(editor: Editor, from: number, end: number): Editor {
  const { text } = editor;
  return { ...editor, text: text.slice(0, from) + text.slice(end), cursor: from };
}

function cutOut(editor: Editor, from: number, end: number): Editor {
  return from === end ? editor : { ...remove(editor, from, end), deleted: editor.text.slice(from, end) };
}

function moved(editor: Editor, cursor: number): Editor {
  return { ...editor, cursor };
}

function upwards(editor: Editor): Editor {
  const { text, cursor, at } = editor;
  const begin = lineBegin(text, cursor);
  if (begin > 0 && !isAsRemembered(editor))
    return moved(editor, Math.min(lineBegin(text, begin - 1) + cursor - begin, begin - 1));
  return at === 0 ? moved(editor, 0) : fromHistory(editor, at - 1);
}

function downwards(editor: Editor): Editor {
  const { text, cursor, at, history } = editor;
  const end = lineEnd(text, cursor);
  if (end < text.length && !isAsRemembered(editor))
    return moved(editor, Math.min(end + 1 + cursor - lineBegin(text, cursor), lineEnd(text, end + 1)));
  return at >= history.length ? moved(editor, text.length) : fromHistory(editor, at + 1);
}

/** An earlier message as it came: who looks for another one does not want to walk through its lines. */
function isAsRemembered({ text, cursor, at, history }: Editor): boolean {
  return cursor === text.length && text === history[at];
}

function fromHistory(editor: Editor, at: number): Editor {
  const { history } = editor;
  const draft = editor.at === history.length ? editor.text : editor.draft;
  const text = at === history.length ? draft : (history[at] ?? '');
  return { ...editor, text, cursor: text.length, at, draft };
}

function lineBegin(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

/** One step is one character as a person sees it, with its accents. */
function before(text: string, cursor: number): number {
  const near = text.slice(Math.max(0, cursor - 64), cursor);
  return cursor - (graphemes(near).at(-1)?.length ?? 0);
}

function after(text: string, cursor: number): number {
  return cursor + (graphemes(text.slice(cursor, cursor + 64))[0]?.length ?? 0);
}

function wordBefore(text: string, cursor: number): number {
  return cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
}

function wordAfter(text: string, cursor: number): number {
  return cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0);
}
