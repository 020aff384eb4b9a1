import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBackend, type VendorName, vendorNames } from '../../../../src/backends/registry.js';
import { loadSqlite } from '../../../../src/sqlite/load-sqlite.js';

const Sqlite = await loadSqlite();

interface Written {
  readonly id: string;
  readonly cwd: string;
  readonly usedAt: number;
  readonly subagent?: boolean;
}

const ids = [1, 2, 3].map((digit) => `${digit}`.repeat(8).concat('-1111-4111-8111-111111111111'));
const [one = '', two = '', three = ''] = ids;

describe.each(vendorNames)('the session of %s that was used last in a directory (S4)', (backend) => {
  it('is the one with the newest record, among those of the directory', async () => {
    const home = makeHome();
    write(backend, home, [
      { id: one, cwd: '/projects/here', usedAt: 2000 },
      { id: two, cwd: '/projects/here', usedAt: 1000 },
      { id: three, cwd: '/projects/here/below', usedAt: 3000 },
    ]);
    expect(await last(backend, home, '/projects/here')).toBe(one);
    expect(await last(backend, home, '/projects/here/below')).toBe(three);
    expect(await last(backend, home, '/work')).toBeUndefined();
  });

  it('is not that of a directory with a similar name, nor that of a subagent', async () => {
    const home = makeHome();
    write(backend, home, [
      { id: one, cwd: '/projects/here', usedAt: 1000 },
      { id: two, cwd: '/work-here', usedAt: 2000 },
      { id: three, cwd: '/projects/here', usedAt: 3000, subagent: true },
    ]);
    expect(await last(backend, home, '/projects/here')).toBe(one);
  });

  it('is found through a link to the directory', async () => {
    const home = makeHome();
    const [real, link] = [join(home, 'real'), join(home, 'link')];
    mkdirSync(real);
    symlinkSync(real, link);
    write(backend, home, [{ id: one, cwd: real, usedAt: 1000 }]);
    expect(await last(backend, home, link)).toBe(one);
  });

  it('is none where the CLI was never used', async () => {
    expect(await last(backend, makeHome(), '/projects/here')).toBeUndefined();
  });
});

it.each(['claude', 'codex', 'gemini'] as const)(
  'a record of %s that is no file is passed over (S4)',
  async (backend) => {
    const home = makeHome();
    write(backend, home, [{ id: one, cwd: '/projects/here', usedAt: 1000 }]);
    const [record] = recordOf[backend]({ id: one, cwd: '/projects/here', usedAt: 0 });
    const [link] = recordOf[backend]({ id: two, cwd: '/projects/here', usedAt: 0 });
    const [directory] = recordOf[backend]({ id: three, cwd: '/projects/here', usedAt: 0 });
    symlinkSync(join(home, record), join(home, link));
    mkdirSync(join(home, directory));
    expect(await last(backend, home, '/projects/here')).toBe(one);
  },
);

it.each(['claude', 'codex'] as const)(
  'a record of %s that begins with megabytes is found (S4)',
  async (backend) => {
    const home = makeHome();
    write(backend, home, [{ id: one, cwd: '/projects/here', usedAt: 1000 }]);
    const newer = { id: two, cwd: '/projects/here', usedAt: 2000 };
    const [path, line] = recordOf[backend](newer);
    writeRecord(path, { message: 'x'.repeat(3_000_000), ...line }, newer, home);
    if (backend === 'claude') {
      const whole = readFileSync(join(home, path), 'utf8');
      writeFileSync(join(home, path), `{"type":"queue-operation","sessionId":"${two}"}\n${whole}`);
      utimesSync(join(home, path), 2000, 2000);
    }
    expect(await last(backend, home, '/projects/here')).toBe(two);
  },
);

it('a session of Gemini that got only its summary later was not used later (S4)', async () => {
  const home = makeHome();
  const written = [one, two].map((id, at) => ({ id, cwd: '/projects/here', usedAt: 2000 - at }));
  for (const session of written) {
    const [path, line] = recordOf.gemini(session);
    writeRecord(path, line, session, home);
    const updated = session.id === two ? '2026-01-01T00:00:09Z' : '2026-01-01T00:00:05Z';
    const said = { type: 'gemini', content: '{"lastUpdated":"2027-01-01T00:00:00Z"} '.repeat(3000) };
    const lines = [said, { $set: { lastUpdated: updated } }, { $set: { summary: 'A summary.' } }];
    appendFileSync(join(home, path), lines.map((record) => `${JSON.stringify(record)}\n`).join(''));
    utimesSync(join(home, path), session.usedAt, session.usedAt);
  }
  expect(await last('gemini', home, '/projects/here')).toBe(two);
});

it('a damaged record is passed over (S4)', async () => {
  const home = makeHome();
  write('codex', home, [{ id: one, cwd: '/projects/here', usedAt: 1000 }]);
  const damaged = join(home, `.codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-${two}.jsonl`);
  mkdirSync(dirname(damaged), { recursive: true });
  writeFileSync(damaged, '{"type":"session_meta","payl\u0000\n');
  expect(await last('codex', home, '/projects/here')).toBe(one);
});

function makeHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-last-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

async function last(backend: VendorName, home: string, cwd: string): Promise<string | undefined> {
  const adapter = createBackend(backend, {
    ...{ cliPath: backend, workingDir: '/', queryTimeoutMs: 0, allowedTools: [], maxTurns: 1 },
    env: { HOME: home },
  });
  return adapter.lastSession?.(cwd);
}

function write(backend: VendorName, home: string, sessions: readonly Written[]): void {
  if (backend === 'opencode') writeDatabase(home, sessions);
  else for (const session of sessions) writeRecord(...recordOf[backend](session), session, home);
}

function writeRecord(path: string, line: object, { usedAt }: Written, home: string): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(line)}\n${JSON.stringify({ type: 'gemini', content: 'hi' })}\n`);
  utimesSync(file, usedAt, usedAt);
}

const recordOf: Record<'claude' | 'codex' | 'gemini', (session: Written) => [path: string, line: object]> = {
  claude: ({ id, cwd, subagent }) => [
    `.claude/projects/${cwd.replaceAll(/[^a-zA-Z0-9]/g, '-')}/${subagent ? 'agent-' : ''}${id}.jsonl`,
    { type: 'user', cwd, sessionId: id },
  ],
  codex: ({ id, cwd, subagent }) => [
    `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${id}.jsonl`,
    {
      type: 'session_meta',
      payload: { id, cwd, source: subagent ? { subagent: { other: 'x' } } : 'exec' },
    },
  ],
  gemini: ({ id, cwd, subagent }) => [
    `.gemini/tmp/project/chats/session-2026-01-01T00-00-${id.slice(0, 8)}.jsonl`,
    {
      sessionId: id,
      projectHash: createHash('sha256').update(cwd).digest('hex'),
      kind: subagent ? 'subagent' : 'main',
    },
  ],
};

function writeDatabase(home: string, sessions: readonly Written[]): void {
  const file = join(home, '.local/share/opencode/opencode.db');
  mkdirSync(dirname(file), { recursive: true });
  const database = new Sqlite(file);
  database.exec(
    'CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, time_updated INTEGER, time_archived INTEGER)',
  );
  for (const { id, cwd, usedAt, subagent } of sessions)
    database
      .prepare('INSERT INTO session VALUES (?, ?, ?, ?, NULL)')
      .run(id, subagent ? 'ses_parent' : null, cwd, usedAt);
  database.close();
}
