import type { Editor } from './editor.js';
import { isCtrl, type Key } from './keys.js';

/** Ctrl-R: the words that are looked for among the earlier inputs, and what stood in the field before. */
export interface Search {
  readonly words: string;
  readonly isMissing: boolean;
  readonly before: Editor;
}

export interface Searched {
  readonly editor: Editor;
  /** Undefined when it has ended. */
  readonly search: Search | undefined;
}

/** What a key does to a search; undefined if it is none of its keys, and ends it. */
export function searchKey(search: Search | undefined, editor: Editor, key: Key): Searched | undefined {
  if (isCtrl(key, 'r'))
    return search === undefined
      ? { editor, search: { words: '', isMissing: false, before: editor } }
      : find(search, editor, search.words, editor.at - 1);
  if (search === undefined) return undefined;
  if (key.type === 'text') return find(search, editor, search.words + key.text, editor.at);
  if (key.type !== 'key') return undefined;
  if (key.name === 'backspace')
    return find(search, editor, [...search.words].slice(0, -1).join(''), editor.history.length - 1);
  if (key.name === 'escape' || isCtrl(key, 'g')) return { editor: search.before, search: undefined };
  return key.name === 'enter' ? { editor, search: undefined } : undefined;
}

/** From there backwards, the first with these words that is not shown already; without any, what is shown stays. */
function find(search: Search, editor: Editor, words: string, from: number): Searched {
  const { history, text: shown } = editor;
  const wanted = words.toLowerCase();
  for (let at = Math.min(from, history.length - 1); words !== '' && at >= 0; at -= 1) {
    const text = history[at] ?? '';
    const found = text.toLowerCase().indexOf(wanted);
    if (found < 0 || (text === shown && at !== editor.at)) continue;
    return {
      editor: { ...editor, text, cursor: found + words.length, at, draft: search.before.text },
      search: { ...search, words, isMissing: false },
    };
  }
  return { editor, search: { ...search, words, isMissing: words !== '' } };
}
