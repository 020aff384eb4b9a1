import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../../src/gateway/gateway.js';
import { openDatabase } from '../../../src/store/sqlite/open-database.js';
import { directory, exitCode, type Run, startProgram, url } from '../program.js';
import { demoAgent, eventually } from '../stage.js';

const day = 86_400_000;
const token = 'a-token-for-the-tests';
const secret = 'zebra-crossing';

/** As if all in the home had been so many days earlier. */
async function age(home: string, days: number): Promise<void> {
  const db = await openDatabase(join(home, databaseFile));
  const columns = db.all<{ table: string; name: string }>(
    `SELECT tables.name AS "table", columns.name AS name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
      WHERE tables.type = 'table' AND columns.name LIKE '%\\_at' ESCAPE '\\'`,
  );
  expect(columns.length).toBeGreaterThan(10);
  for (const { table, name } of columns)
    db.run(`UPDATE ${table} SET ${name} = ${name} - ? WHERE ${name} > ?`, days * day, days * day);
  db.close();
  for (const channel of readdirSync(join(home, 'archive')))
    for (const page of readdirSync(join(home, 'archive', channel))) {
      const older = new Date(Date.parse(page.slice(0, 10)) - days * day).toISOString().slice(0, 10);
      const [from, to] = [page, `${older}.md`].map((name) => join(home, 'archive', channel, name));
      renameSync(from as string, to as string);
    }
}

/** The files of a home in which a word occurs, also where the database is not used any more. The agent's own records are not the gateway's. */
function filesWith(word: string, home: string): readonly string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !file.startsWith(join(home, 'demo-agent')))
    .filter((file) => readFileSync(file).includes(word));
}

function call(at: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(
    `${at}${path}`,
    body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) },
  );
}

async function ask(at: string, text: string): Promise<{ eventId: string; state: string }> {
  const posted = (await (await call(at, '/v1/channels/a/messages', { text })).json()) as { eventId: string };
  return (await (await call(at, `/v1/events/${posted.eventId}?wait=50`)).json()) as {
    eventId: string;
    state: string;
  };
}

async function stop(run: Run): Promise<void> {
  run.child.kill('SIGTERM');
  expect(await exitCode(run)).toBe(0);
}

describe('RETENTION_DAYS of a gateway program', () => {
  it('leaves nothing of an old conversation: not in the rows, the pages, nor in what the database no longer uses (27.17)', async () => {
    const root = directory();
    const home = join(root, '.turnout');
    const work = join(root, 'work');
    mkdirSync(work);
    execFileSync('git', ['init', '-q'], { cwd: work });
    const env = { BACKEND_CLI_PATH: demoAgent, AGENT_BACKEND: 'claude', HTTP_TOKEN: token };
    const first = startProgram(root, env);
    const at = await url(first);
    const old = await ask(at, `say exactly: ${secret}`);
    expect(old.state).toBe('answered');
    expect((await ask(at, `write a note: ${secret}`)).state).toBe('answered');
    // It fills pages of its own.
    expect((await ask(at, `say exactly: ${`${secret} `.repeat(3000)}`)).state).toBe('answered');
    const pages = () => readdirSync(join(home, 'archive', 'a'));
    await eventually(() => filesWith(secret, join(home, 'archive')).length > 0);
    await stop(first);
    await age(home, 40);
    const agedPages = pages();
    // Beside the page, and so not the gateway's.
    writeFileSync(join(home, 'archive', 'a', 'notes.txt'), 'mine');

    const keeping = startProgram(root, { ...env, RETENTION_DAYS: '60' });
    expect((await ask(await url(keeping), 'hello')).state).toBe('answered');
    expect(filesWith(secret, home)).not.toEqual([]);
    await stop(keeping);

    const removing = startProgram(root, { ...env, RETENTION_DAYS: '30' });
    const there = await url(removing);
    await eventually(() => removing.err.includes('RETENTION_DAYS'));
    const { messages } = (await (await call(there, '/v1/channels/a/messages')).json()) as {
      messages: { text: string }[];
    };
    expect(messages.map(({ text }) => text)[0]).toBe('hello');
    expect((await call(there, `/v1/events/${old.eventId}`)).status).toBe(404);
    expect(pages()).toContain('notes.txt');
    expect(pages().filter((name) => agedPages.includes(name))).toEqual([]);
    await stop(removing);
    expect(filesWith(secret, home)).toEqual([]);
  });
});
