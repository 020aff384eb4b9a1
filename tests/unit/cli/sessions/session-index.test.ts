import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shortId } from '../../../../src/cli/output/short-id.js';
import { withContinuedSession, withNamedSession } from '../../../../src/cli/run/resumed-session.js';
import { knownSessions, noteSession } from '../../../../src/cli/sessions/session-index.js';
import { canMount, fillDisk, mountDisk } from '../../../gateway/small-disk.js';

let home: string;
let unmount = () => {};

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-index-')));
});

afterEach(() => {
  unmount();
  unmount = () => {};
  rmSync(home, { recursive: true, force: true });
});

const index = () => join(home, 'sessions.jsonl');
const note = (sessionId: string, at: number, more: object = {}) =>
  noteSession(home, { backend: 'codex', sessionId, cwd: home, prompt: 'hello', ...more }, at);
const ids = () => knownSessions(home).map(({ sessionId }) => sessionId);

describe('the index of sessions (18.4)', () => {
  it('has each session once, the last used one first, under the first words that were said', () => {
    note('one', 1, { prompt: 'the \u001b[31mfirst\nwords' });
    note('two', 2, { backend: 'claude' });
    note('one', 3, { prompt: 'later words' });
    expect(knownSessions(home)).toEqual([
      { backend: 'codex', sessionId: 'one', directory: home, title: 'the first words', usedAt: 3 },
      { backend: 'claude', sessionId: 'two', directory: home, title: 'hello', usedAt: 2 },
    ]);
    expect(statSync(index()).mode & 0o777).toBe(0o600);
  });

  it('a clock that was wrong for a while does not keep its sessions on top, and a time that is none is passed over', () => {
    note('of the future', Date.now() + 1e11);
    note('now', Date.now());
    note('of no time', 1e17);
    expect(ids()).toEqual(['now', 'of the future']);
  });

  it('a pipe in its place is not waited for', () => {
    execFileSync('mkfifo', [index()]);
    note('one', 1);
    expect(ids()).toEqual([]);
  });

  it('knows a directory by its real path', () => {
    const link = join(home, 'link');
    symlinkSync(home, link);
    note('one', 1, { cwd: link });
    expect(knownSessions(home)[0]?.directory).toBe(home);
  });

  it('is bounded, and forgets the oldest', () => {
    for (let turn = 0; turn < 3000; turn += 1) note(`session-${turn}`, turn, { prompt: 'x'.repeat(200) });
    expect(statSync(index()).size).toBeLessThan(140_000);
    expect(statSync(join(home, 'sessions.former.jsonl')).size).toBeLessThan(140_000);
    expect(ids()[0]).toBe('session-2999');
    expect(ids().length).toBeGreaterThan(500);
    expect(existsSync(`${index()}.lock`)).toBe(false);
  });

  it('reads what is whole of a damaged file', () => {
    note('one', 1);
    appendFileSync(index(), '{"at":2,"backend":"co');
    note('two', 3);
    appendFileSync(index(), 'nonsense\n{"at":"x"}\n[]\n\0\n');
    expect(ids()).toEqual(['two', 'one']);
    rmSync(index());
    mkdirSync(index());
    expect(ids()).toEqual([]);
  });

  it('never fails a turn', () => {
    writeFileSync(join(home, 'file'), '');
    noteSession(join(home, 'file', 'x'), { backend: 'codex', sessionId: 'a', cwd: '/', prompt: '' });
    const target = join(home, 'target');
    symlinkSync(target, index());
    note('one', 1);
    // A link in its place is not followed.
    expect(existsSync(target)).toBe(false);
  });

  it.runIf(canMount)('goes on after a full disk', () => {
    unmount = mountDisk(home, 1);
    note('one', 1);
    const makeRoom = fillDisk(home);
    for (let turn = 0; turn < 100; turn += 1) note('lost', 2, { prompt: 'x'.repeat(70) });
    makeRoom();
    note('two', 3);
    expect(ids()[0]).toBe('two');
    expect(ids()).toContain('one');
    expect(readFileSync(index(), 'utf8').endsWith('\n')).toBe(true);
  });
});

describe('--resume and --continue (18.4)', () => {
  const flags = (more: { sessionId?: string; backend?: string; continueLast?: boolean }) => ({
    ...{ backend: undefined, continueLast: false },
    ...more,
  });

  it('take the beginning of an id, and the backend that it belongs to', () => {
    note('3f2a9b1c-77aa-4000', 1, { backend: 'gemini' });
    note('3f2a9b1c-88bb-4000', 2);
    expect(withNamedSession(flags({ sessionId: '3f2a9b1c-77' }), home)).toMatchObject({
      sessionId: '3f2a9b1c-77aa-4000',
      backend: 'gemini',
    });
    // As it is shown.
    expect(withNamedSession(flags({ sessionId: `${shortId('3f2a9b1c-88bb-4000')}…` }), home)).toMatchObject({
      sessionId: '3f2a9b1c-88bb-4000',
      backend: 'codex',
    });
    expect(withNamedSession(flags({ sessionId: '3f2a', backend: 'codex' }), home).sessionId).toContain(
      '88bb',
    );
    expect(() => withNamedSession(flags({ sessionId: '3f2a9b1c' }), home)).toThrow(/fits 2 sessions:\n/);
  });

  it('leave what the index does not know to the CLI', () => {
    note('3f2a9b1c-77aa-4000', 1);
    for (const sessionId of ['latest', '3f2', '3f2a9b1c-77aa-4000-and-more']) {
      const given = flags({ sessionId });
      expect(withNamedSession(given, home)).toBe(given);
    }
    const other = flags({ sessionId: '3f2a9b1c', backend: 'claude' });
    expect(withNamedSession(other, home)).toBe(other);
  });

  it('take the last session of this directory and backend', () => {
    const place = { home, cwd: home, backend: 'codex' };
    const given = flags({ continueLast: true });
    expect(withContinuedSession(given, place)).toEqual({ flags: given });
    note('elsewhere', 9, { cwd: '/' });
    expect(withContinuedSession(given, place)).toEqual({ flags: given });
    note('old', 1);
    note('own', 2);
    expect(withContinuedSession(given, place)).toEqual({
      flags: { ...given, sessionId: 'own', continueLast: false },
    });
    note('newer', 3, { backend: 'claude' });
    expect(withContinuedSession(given, place)).toEqual({
      flags: { ...given, sessionId: 'own', continueLast: false },
      note: expect.stringContaining('the last session here is claude’s'),
    });
    const chosen = flags({ continueLast: true, backend: 'codex' });
    expect(withContinuedSession(chosen, place)).not.toHaveProperty('note');
  });
});
