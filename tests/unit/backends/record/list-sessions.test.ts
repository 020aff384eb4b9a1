import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBackend, type VendorName, vendorNames } from '../../../../src/backends/registry.js';
import { seededPrompt } from '../../../../src/gateway/agents/seed.js';
import { loadSqlite } from '../../../../src/sqlite/load-sqlite.js';
import { cpuMs } from '../../../machine-speed.js';
import { agentUser } from '../../process/agent-user.js';
import { recordedLines, recordHome } from './record-home.js';
import { databasePath, makeHome, recordPath, sessionId, writeSessions } from './written-sessions.js';

const cwd = '/projects/here';
const [one, two, three, four] = [1, 2, 3, 4].map(sessionId) as [string, string, string, string];

describe.each(vendorNames)('the sessions of %s in a directory (16.4)', (backend) => {
  it('are listed with the first words of the user, the last used one first', async () => {
    const home = makeHome();
    writeSessions(backend, home, [
      { id: one, cwd, usedAt: 1000, prompt: '  fix the\nparser ' },
      { id: two, cwd, usedAt: 3000, prompt: 'x'.repeat(500) },
      { id: three, cwd, usedAt: 2000, prompt: 'one more' },
    ]);
    expect(await list(backend, home)).toEqual([
      { sessionId: two, title: `${'x'.repeat(79)}…`, updatedAt: 3_000_000 },
      { sessionId: three, title: 'one more', updatedAt: 2_000_000 },
      { sessionId: one, title: 'fix the parser', updatedAt: 1_000_000 },
    ]);
    expect((await list(backend, home, cwd, 2)).map((session) => session.sessionId)).toEqual([two, three]);
  });

  it('have the user’s own words for a title where a conversation was handed over (16)', async () => {
    const home = makeHome();
    const said = { id: 1, channel: 'a', createdAt: 1, failed: false, role: 'user', part: 'prompt' } as const;
    const messages = [{ ...said, text: 'long '.repeat(9000) }];
    const prompt = seededPrompt({ messages }, 'and now the docs');
    writeSessions(backend, home, [
      { id: one, cwd, usedAt: 1000, prompt },
      { id: two, cwd, usedAt: 2000, prompt: prompt.slice(0, 3000) },
    ]);
    expect(await list(backend, home)).toMatchObject([{ sessionId: one, title: 'and now the docs' }]);
  });

  it('are not those of a directory with a similar name, of a subagent, or in which nobody has said anything', async () => {
    const home = makeHome();
    writeSessions(backend, home, [
      { id: one, cwd, usedAt: 1000, prompt: 'mine' },
      { id: two, cwd: '/projects-here', usedAt: 2000, prompt: 'of another' },
      { id: three, cwd, usedAt: 3000, prompt: 'of a subagent', subagent: true },
      { id: four, cwd, usedAt: 4000 },
    ]);
    expect(await list(backend, home)).toMatchObject([{ sessionId: one }]);
  });

  it('are found through a link to the directory, and are none where the CLI was never used', async () => {
    const home = makeHome();
    const [real, link] = [join(home, 'real'), join(home, 'link')];
    mkdirSync(real);
    symlinkSync(real, link);
    expect(await list(backend, home, link)).toEqual([]);
    writeSessions(backend, home, [{ id: one, cwd: real, usedAt: 1000, prompt: 'hello' }]);
    expect(await list(backend, home, link)).toMatchObject([{ sessionId: one, title: 'hello' }]);
  });
});

describe.each(['codex', 'gemini', 'opencode'] as const)('a record of %s', (backend) => {
  it('that names an id which can be none is neither listed nor the last session (27.9)', async () => {
    const home = makeHome();
    const evil = ['ab/../../c', 'a b\nc'];
    const good = { id: one, cwd, usedAt: 1000, prompt: 'the good one' };
    const bad = [two, three].map((id) => ({ id, cwd, usedAt: 2000, prompt: 'evil' }));
    if (backend === 'opencode')
      writeSessions(backend, home, [
        good,
        ...bad.map((session, nth) => ({ ...session, id: evil[nth] ?? '' })),
      ]);
    else {
      writeSessions(backend, home, [good, ...bad]);
      for (const [nth, session] of bad.entries()) {
        const path = recordPath(backend, home, session);
        const named = readFileSync(path, 'utf8').replaceAll(`"${session.id}"`, JSON.stringify(evil[nth]));
        expect(named).toContain(JSON.stringify(evil[nth]));
        writeFileSync(path, named);
        utimesSync(path, 3000, 3000);
      }
    }
    expect(await list(backend, home)).toMatchObject([{ sessionId: one }]);
    expect(await createBackend(backend, config(home)).lastSession?.(cwd)).toBe(one);
  });
});

describe.each(vendorNames)('the last exchange of a session of %s (18.1)', (backend) => {
  it('is the last prompt with the last words of the answer, or without an answer', async () => {
    const exchange = (lines: readonly string[]) => recordHome(backend, lines).lastExchange();
    const lines = recordedLines(backend);
    expect(await exchange(lines)).toEqual({ prompt: 'ask me', answer: undefined });
    const end = lines.findLastIndex((line) => line.includes('Written.'));
    expect(await exchange(lines.slice(0, end + 1))).toEqual({ prompt: 'write it', answer: 'Written.' });
    expect(await exchange(['{"x":1}'].slice(backend === 'opencode' ? 1 : 0))).toBeUndefined();
  });
});

describe.each(['claude', 'codex', 'gemini'] as const)('hostile records of %s (16.4)', (backend) => {
  it('are left out: links, pipes, directories, garbage, gigabytes', async () => {
    const home = makeHome();
    writeSessions(backend, home, [{ id: one, cwd, usedAt: 1000, prompt: 'the good one' }]);
    const path = (digit: number) => recordPath(backend, home, { id: sessionId(digit), cwd, usedAt: 0 });
    const good = path(1);
    symlinkSync(good, path(2));
    execFileSync('mkfifo', [path(3)]);
    mkdirSync(path(4));
    writeFileSync(path(5), Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 256)));
    writeFileSync(path(6), '');
    writeFileSync(
      path(7),
      `{"type":"session_meta","payl\u0000\n[1]\nnull\n{"type":"user","message":7,"cwd":"${cwd}"}\n`,
    );
    // Sparse: a terabyte that takes no room.
    writeFileSync(path(8), '{"x":');
    truncateSync(path(8), 2 ** 40);
    const began = cpuMs();
    expect(await list(backend, home)).toMatchObject([{ sessionId: one, title: 'the good one' }]);
    expect(cpuMs() - began).toBeLessThan(2000);
  });

  it('a first prompt behind a megabyte of instructions is found, one behind more is not', async () => {
    const home = makeHome();
    for (const [digit, size] of [
      [1, 1_500_000],
      [2, 9_000_000],
    ] as const) {
      const session = { id: sessionId(digit), cwd, usedAt: 1000, prompt: 'here' };
      writeSessions(backend, home, [session]);
      const file = recordPath(backend, home, session);
      const [first = '', ...rest] = execFileSync('cat', [file], { encoding: 'utf8' }).split('\n');
      writeFileSync(
        file,
        [first, JSON.stringify({ type: 'system', text: 'x'.repeat(size) }), ...rest].join('\n'),
      );
    }
    expect(await list(backend, home)).toMatchObject([{ sessionId: one, title: 'here' }]);
  });
});

describe.each(['claude', 'codex', 'gemini'] as const)('records of %s in a home of AGENT_USER', (backend) => {
  it('are none if that user can’t read them: it may have put a file of root’s there (27.11)', async (test) => {
    const user = agentUser(test);
    const home = makeHome();
    const sessions = [1, 2, 3, 4].map((digit) => ({
      ...{ id: sessionId(digit), cwd, usedAt: digit * 1000, prompt: `the ${digit}.` },
    }));
    writeSessions(backend, home, sessions);
    const [own, open, ofGroup, closed] = sessions.map((session) => recordPath(backend, home, session));
    chownSync(own ?? '', user.uid, user.gid);
    chownSync(ofGroup ?? '', 0, user.gid);
    for (const [path, mode] of [
      [own, 0o600],
      [open, 0o644],
      [ofGroup, 0o640],
      [closed, 0o600],
    ] as const)
      chmodSync(path ?? '', mode);
    const adapter = createBackend(backend, { ...config(home), user });
    const listed = (await adapter.listSessions?.(cwd, 50)) ?? [];
    expect(listed.map(({ title }) => title)).toEqual(['the 3.', 'the 2.', 'the 1.']);
    expect(await adapter.lastSession?.(cwd)).toBe(three);
    expect(await adapter.lastExchange?.(one, cwd)).toBeDefined();
    expect(await adapter.lastExchange?.(four, cwd)).toBeUndefined();
    const query = { cwd, since: 0, prompt: 'the 4.', clockSetBack: true, sessionId: four, isNamed: true };
    expect(await adapter.recordedTools?.(query)).toMatchObject({
      type: 'unknown',
      reason: expect.stringContaining('the agent’s user can’t read'.replaceAll('’', "'")),
    });
    // Root reads all that is root's where agents are root as well.
    expect(await list(backend, home)).toHaveLength(4);
  });
});

it('a directory of sessions that is none, or may not be read, hides nothing from others (16.4)', async () => {
  const home = makeHome();
  mkdirSync(join(home, '.claude'));
  writeFileSync(join(home, '.claude/projects'), 'no directory');
  expect(await list('claude', home)).toEqual([]);
});

it('Codex: what older versions wrote down as typed is the title (16.4)', async () => {
  const home = makeHome();
  const session = { id: one, cwd, usedAt: 1000 };
  const text = (words: string) => ({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: words }],
  });
  const lines = [
    { type: 'session_meta', payload: { id: one, cwd } },
    { type: 'response_item', payload: text('# AGENTS.md instructions for /projects/here\n\nBe brief.') },
    { type: 'response_item', payload: text('<environment_context>\n</environment_context>') },
    { type: 'event_msg', payload: { type: 'user_message', message: 'as typed' } },
  ];
  const file = recordPath('codex', home, session);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(await list('codex', home)).toMatchObject([{ title: 'as typed' }]);
});

it('Gemini: a session that got only its summary later was not used later (16.4)', async () => {
  const home = makeHome();
  const older = { id: one, cwd, usedAt: 1000, prompt: 'older' };
  writeSessions('gemini', home, [older, { id: two, cwd, usedAt: 2000, prompt: 'newer' }]);
  utimesSync(recordPath('gemini', home, older), 3000, 3000);
  expect((await list('gemini', home)).map(({ title }) => title)).toEqual(['newer', 'older']);
});

describe('hostile databases of OpenCode (16.4)', () => {
  it('a damaged session is left out, and a pipe in place of the database is told', async () => {
    const home = makeHome();
    writeSessions('opencode', home, [
      { id: one, cwd, usedAt: 1000, prompt: 'the good one' },
      { id: two, cwd, usedAt: 2000, prompt: 'damaged' },
    ]);
    const database = new (await loadSqlite())(databasePath(home));
    database.exec(`UPDATE part SET data = '{"type":' WHERE session_id = '${two}'`);
    database.close();
    expect(await list('opencode', home)).toMatchObject([{ sessionId: one }]);
    const other = makeHome();
    mkdirSync(dirname(databasePath(other)), { recursive: true });
    execFileSync('mkfifo', [databasePath(other)]);
    await expect(list('opencode', other)).rejects.toThrow(/is no file/);
  });

  it('one that is no database, or another user’s, is told', async () => {
    const home = makeHome();
    mkdirSync(dirname(databasePath(home)), { recursive: true });
    writeFileSync(databasePath(home), 'no database at all, but long enough to be looked at');
    await expect(list('opencode', home)).rejects.toThrow(/not a database/);
    const user = { name: 'agent', uid: 1234, gid: 1234, groups: [], home: '/' };
    const adapter = createBackend('opencode', { ...config(home), user } as never);
    await expect(adapter.listSessions?.(cwd, 50)).rejects.toThrow(/AGENT_USER/);
  });
});

function config(home: string) {
  return {
    cliPath: 'x',
    workingDir: '/',
    queryTimeoutMs: 0,
    allowedTools: [],
    maxTurns: 1,
    env: { HOME: home },
  };
}

async function list(backend: VendorName, home: string, directory = cwd, limit = 50) {
  const adapter = createBackend(backend, config(home));
  return (await adapter.listSessions?.(directory, limit)) ?? [];
}
