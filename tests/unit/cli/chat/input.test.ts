import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Editor, edit, newEditor, submitted, withText } from '../../../../src/cli/chat/input/editor.js';
import { HistoryFile } from '../../../../src/cli/chat/input/history-file.js';
import { endOfKeys, type Key, noKeys, readKeys } from '../../../../src/cli/chat/input/keys.js';
import { complete, parseInput } from '../../../../src/cli/chat/state/commands.js';

/** fast-check's own unit of that kind takes seconds to be made. */
const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

describe('keys (18.1)', () => {
  it.each<[string, Key]>([
    ['\u001b[A', { type: 'key', name: 'up' }],
    ['\u001bOA', { type: 'key', name: 'up' }],
    ['\u001b[1;5D', { type: 'key', name: 'left', ctrl: true }],
    ['\u001b[1;3C', { type: 'key', name: 'right', alt: true }],
    ['\u001b[3~', { type: 'key', name: 'delete' }],
    ['\u001b[H', { type: 'key', name: 'home' }],
    ['\u001b[4~', { type: 'key', name: 'end' }],
    ['\u001bb', { type: 'key', name: 'letter-b', alt: true }],
    ['\u001b\r', { type: 'key', name: 'newline' }],
    ['\u001b[13;2u', { type: 'key', name: 'newline' }],
    ['\n', { type: 'key', name: 'newline' }],
    ['\r', { type: 'key', name: 'enter' }],
    ['\u0003', { type: 'key', name: 'letter-c', ctrl: true }],
    ['\u007f', { type: 'key', name: 'backspace' }],
    ['日本', { type: 'text', text: '日本' }],
    ['\u001b[200~a\r\nb\u001b[201~', { type: 'paste', text: 'a\r\nb' }],
  ])('%j', (data, key) => {
    expect(readKeys(noKeys, data)).toEqual({ buffer: noKeys, keys: [key] });
  });

  it('are the same in whatever pieces they come', () => {
    const piece = fc.constantFrom(
      '\u001b[A',
      'x',
      '\u001b[200~pas\u001b[Ate\u001b[201~',
      '\r',
      '😀',
      '\u001b[1;5D',
      '\u001bOF',
      '\u0001',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.integer({ min: 1, max: 4 })), (parts, cuts) => {
        const data = parts.join('');
        const keys: Key[] = [];
        let buffer = noKeys;
        let at = 0;
        for (const length of [...cuts, data.length]) {
          const read = readKeys(buffer, data.slice(at, at + length));
          buffer = read.buffer;
          keys.push(...read.keys);
          at += length;
        }
        expect(joined(keys)).toEqual(joined(readKeys(noKeys, data).keys));
        expect(buffer).toEqual(noKeys);
      }),
    );
  });

  it('Escape alone is a key once nothing has followed it', () => {
    const { buffer, keys } = readKeys(noKeys, '\u001b');
    expect(keys).toEqual([]);
    expect(endOfKeys(buffer)).toEqual({ buffer: noKeys, keys: [{ type: 'key', name: 'escape' }] });
  });

  it('whatever a terminal sends, nothing is kept for ever', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (data) => {
        const { buffer } = readKeys(noKeys, data);
        expect(buffer.paste !== undefined || buffer.rest.length < 70).toBe(true);
      }),
    );
  });
});

describe('the field for the next message (18.1)', () => {
  it('moves and deletes by characters, words and lines', () => {
    let editor = type(newEditor(), 'one two three');
    editor = press(editor, 'letter-w', 'ctrl');
    expect(editor.text).toBe('one two ');
    editor = press(editor, 'letter-b', 'alt');
    editor = press(editor, 'letter-k', 'ctrl');
    expect(editor.text).toBe('one ');
    editor = press(type(editor, 'x日e\u0301'), 'backspace');
    expect(editor.text).toBe('one x日');
    editor = press(press(editor, 'letter-a', 'ctrl'), 'delete');
    expect(editor).toMatchObject({ text: 'ne x日', cursor: 0 });
    editor = press(press(editor, 'letter-e', 'ctrl'), 'letter-u', 'ctrl');
    expect(editor.text).toBe('');
  });

  it('several lines: up and down move in them before they go into the history', () => {
    let editor = type(newEditor(['before']), 'abc');
    editor = type(press(editor, 'newline'), 'de');
    expect(editor.text).toBe('abc\nde');
    editor = press(editor, 'up');
    expect(editor.cursor).toBe(2);
    editor = press(editor, 'up');
    expect(editor.text).toBe('before');
    editor = press(editor, 'down');
    expect(editor.text).toBe('abc\nde');
  });

  it('an earlier message of several lines is passed as a whole, unless it is edited', () => {
    let editor = press(press(newEditor(['one', 'two\nlines', 'three']), 'up'), 'up');
    expect(editor.text).toBe('two\nlines');
    expect(press(editor, 'up').text).toBe('one');
    expect(press(press(editor, 'up'), 'down').text).toBe('two\nlines');
    editor = press(type(editor, '!'), 'up');
    expect([editor.text, editor.cursor]).toEqual(['two\nlines!', 3]);
  });

  it('Ctrl-Y brings back what was deleted last, also after the message was sent', () => {
    let editor = press(type(newEditor(), 'one two'), 'letter-w', 'ctrl');
    editor = press(press(editor, 'letter-y', 'ctrl'), 'letter-y', 'ctrl');
    expect(editor.text).toBe('one twotwo');
    editor = press(submitted(press(editor, 'letter-u', 'ctrl'), false), 'letter-y', 'ctrl');
    expect(editor.text).toBe('one twotwo');
  });

  it('a paste is text, whatever is in it', () => {
    const editor = edit(newEditor(), { type: 'paste', text: 'a\r\nb\u001b[31m\n' });
    expect(editor?.text).toBe('a\nb');
  });

  it('the history has no repeats and is bounded', () => {
    let editor = newEditor();
    for (const text of ['a', 'a', 'b']) editor = submitted(withText(editor, text), true);
    expect(editor.history).toEqual(['a', 'b']);
    expect(
      submitted(withText(newEditor(Array.from({ length: 1000 }, String)), 'x'), true).history,
    ).toHaveLength(1000);
  });

  it('the cursor is always between two characters', () => {
    const key = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text): Key => ({ type: 'text', text })),
      fc.constantFrom<Key>(
        ...(['left', 'right', 'up', 'down', 'home', 'end', 'backspace', 'delete', 'newline'] as const).map(
          (name): Key => ({ type: 'key', name }),
        ),
        { type: 'key', name: 'letter-w', ctrl: true },
        { type: 'key', name: 'left', alt: true },
      ),
    );
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        let editor = newEditor(['one', 'two\nlines']);
        for (const one of keys) editor = edit(editor, one) ?? editor;
        expect(editor.cursor).toBeGreaterThanOrEqual(0);
        expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
      }),
    );
  });
});

describe('the history of chats (18.1)', () => {
  const home = mkdtempSync(join(tmpdir(), 'turnout-history-'));
  const file = join(home, 'inner', 'chat-history');
  afterEach(() => rmSync(join(home, 'inner'), { recursive: true, force: true }));

  it('is for its owner alone, keeps line breaks, and not what begins with a blank', () => {
    const history = new HistoryFile(join(home, 'inner'));
    expect(history.read()).toEqual([]);
    for (const text of ['one\ntwo', ' secret', 'three']) history.add(text);
    expect(new HistoryFile(join(home, 'inner')).read()).toEqual(['one\ntwo', 'three']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is bounded, and damage in it costs a line', () => {
    const history = new HistoryFile(join(home, 'inner'));
    history.add('x');
    const many = Array.from({ length: 2500 }, (_, at) => JSON.stringify(`n${at}`));
    writeFileSync(file, `${many.join('\n')}\n{broken\n"last"\n`);
    const read = history.read();
    expect(read).toHaveLength(1000);
    expect(read.at(-1)).toBe('last');
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThanOrEqual(1001);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('a home that can’t be written costs the history alone', () => {
    const history = new HistoryFile('/proc/nowhere');
    history.add('x');
    expect(history.read()).toEqual([]);
  });
});

describe('commands (18.1)', () => {
  it.each([
    ['/model opus', { type: 'command', command: { name: 'model' }, argument: 'opus' }],
    ['/clear', { type: 'command', command: { name: 'new' } }],
    ['/EXIT', { type: 'command', command: { name: 'quit' } }],
    ['/modle x', { type: 'unknown', word: 'modle', meant: 'model' }],
    ['/etc/hosts', { type: 'prompt', text: '/etc/hosts' }],
    ['/etc', { type: 'prompt' }],
    ['/compact now', { type: 'prompt', text: '/compact now' }],
    [' /model', { type: 'prompt', text: '/model' }],
    ['say /model', { type: 'prompt' }],
    ['/', { type: 'prompt' }],
  ])('%j', (text, parsed) => {
    expect(parseInput(text)).toMatchObject(parsed);
  });

  it.each([
    ['/ba', '/backend ', []],
    ['/', '/', ['backend', 'model']],
    ['/backend c', '/backend c', ['claude', 'codex']],
    ['/backend ge', '/backend gemini ', []],
    ['/permissions b', '/permissions bypass ', []],
  ])('Tab behind %j', (text, completed, choices) => {
    const found = complete(text, ['claude', 'codex', 'gemini']);
    expect(found?.text).toBe(completed);
    expect(found?.choices).toEqual(expect.arrayContaining(choices));
  });

  it('Tab completes nothing else', () => {
    expect(complete('hello', [])).toBeUndefined();
    expect(complete('/nothing', [])).toBeUndefined();
    expect(complete('/model x', [])).toBeUndefined();
  });
});

function type(editor: Editor, text: string): Editor {
  return edit(editor, { type: 'text', text }) ?? editor;
}

function press(editor: Editor, name: Extract<Key, { type: 'key' }>['name'], held?: 'ctrl' | 'alt'): Editor {
  return edit(editor, { type: 'key', name, ...(held === undefined ? {} : { [held]: true }) }) ?? editor;
}

/** Text may come in several pieces. */
function joined(keys: readonly Key[]): readonly Key[] {
  const found: Key[] = [];
  for (const key of keys) {
    const last = found.at(-1);
    if (key.type === 'text' && last?.type === 'text')
      found[found.length - 1] = { type: 'text', text: last.text + key.text };
    else found.push(key);
  }
  return found;
}
