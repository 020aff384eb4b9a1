import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LiveEvent, LiveProcess, LiveSessionOptions } from '../../../../../src/backends/live/types.js';
import { openCodeLive } from '../../../../../src/backends/opencode/live/protocol.js';
import type { TraceEntry } from '../../../../../src/backends/types.js';

const program = fileURLToPath(
  new URL('../../../../fixtures/recordings/opencode/live-server.mjs', import.meta.url),
);
const started: LiveProcess[] = [];
let directory: string;

beforeAll(() => {
  chmodSync(program, 0o755);
  directory = mkdtempSync(join(tmpdir(), 'turnout-opencode-'));
});
afterEach(async () => {
  for (const live of started.splice(0)) await live.end();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a server that misbehaves', () => {
  it('a broken stream of events is opened again, and nothing is lost or said twice', async () => {
    const events = await turn('cut');
    expect(said(events)).toBe('one two three');
    expect(events.at(-1)).toMatchObject({ ending: { type: 'answered' } });
  });

  it('a turn of which no event came is read from its messages', async () => {
    expect(said(await turn('deaf'))).toBe('heard later');
  });

  it('garbage becomes notices', async () => {
    const events = await turn('garbage');
    expect(events.filter(({ type }) => type === 'notice')).toHaveLength(4);
    expect(said(events)).toBe('fine');
  });

  it('a question is rejected, and so is the request of a session that nobody holds', async () => {
    expect(said(await turn('question'))).toBe('nobody there');
    expect(said(await turn('stranger'))).toBe('answered');
  });

  it('what comes late of another turn is not heard', async () => {
    expect(said(await turn('late'))).toBe('new');
  });

  it('a refused prompt is a failure in its words', async () => {
    expect((await turn('refused')).at(-1)).toMatchObject({
      ending: { type: 'failed', message: 'no such thing' },
    });
  });

  it('twenty million characters in one event arrive', async () => {
    expect(said(await turn('big'))).toHaveLength(20_000_000);
  });

  it('one that does not stop is left alone after a while', async () => {
    const live = await start();
    const session = await live.open(options());
    const events: LiveEvent[] = [];
    for await (const event of session.turn('deafToAbort')) {
      events.push(event);
      if (event.type === 'text') await session.interrupt();
    }
    expect(events.at(-1)).toMatchObject({ ending: { code: 'interrupted' } });
  });
});

it('a server that answers with another session than the one to resume has lost it', async () => {
  const live = await start();
  await expect(live.open(options({ sessionId: 'ses_other' }))).rejects.toMatchObject({
    code: 'session_not_found',
    message: expect.stringContaining('"ses_fake"'),
  });
});

describe('a server that dies', () => {
  it('in a turn: the turn says how and what it said last; so does each later one', async () => {
    const live = await start();
    const session = await live.open(options());
    const events = await collect(session.turn('die'));
    const ending = {
      type: 'failed',
      code: 'crashed',
      message: expect.stringMatching(/exit 7.*out of cheese/),
    };
    expect(events.at(-1)).toEqual({ type: 'ending', ending });
    expect(await collect(session.turn('again'))).toEqual([{ type: 'ending', ending }]);
    await expect(live.open(options())).rejects.toMatchObject({ code: 'crashed' });
    await session.interrupt();
    await session.close();
  });

  it('while a session is opened', async () => {
    const live = await start();
    await expect(live.open(options({ sessionId: 'ses_dies' }))).rejects.toMatchObject({
      code: 'crashed',
      message: expect.stringContaining('exit 9'),
    });
  });

  it('while it is idle', async () => {
    const live = await start();
    const session = await live.open(options());
    process.kill(live.pid, 'SIGKILL');
    expect(await live.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await collect(session.turn('late'))).toMatchObject([{ ending: { code: 'crashed' } }]);
  });

  it('when it is ended in the middle of everything', async () => {
    const live = await start();
    const session = await live.open(options());
    const opening = live.open(options({ sessionId: 'ses_hangs' })).catch((error: unknown) => error);
    const events: LiveEvent[] = [];
    for await (const event of session.turn('deafToAbort')) {
      events.push(event);
      if (event.type !== 'text') continue;
      void session.interrupt();
      await live.end();
    }
    expect(events.at(-1)).toMatchObject({ ending: { code: 'crashed' } });
    expect(await opening).toMatchObject({ code: 'crashed' });
  });

  it('before it is ready, or is not there at all', async () => {
    await expect(start('/bin/false')).rejects.toMatchObject({ code: 'crashed' });
    await expect(start('/no/such/opencode')).rejects.toMatchObject({ code: 'not_installed' });
  });
});

it('traces what comes and what goes, never the password', async () => {
  const trace: TraceEntry[] = [];
  const live = await start(program, (entry) => trace.push(entry));
  await collect((await live.open(options())).turn('late'));
  await live.end();
  const lines = trace.flatMap((entry) => (entry.type === 'line' ? [entry] : []));
  const starting = (direction: 'in' | 'out', start: string) =>
    lines.some((entry) => entry.direction === direction && entry.line.startsWith(start));
  expect(starting('out', 'POST /session/ses_fake/message {')).toBe(true);
  expect(starting('in', '200 POST /session')).toBe(true);
  expect(lines.every(({ direction, events }) => direction === 'in' || events.length === 0)).toBe(true);
  expect(lines.flatMap(({ events }) => events).filter(({ type }) => type === 'text')).toHaveLength(1);
  expect(JSON.stringify(trace)).not.toMatch(/Basic |PASSWORD":"(?!\[redacted\]")/);
  expect(trace.at(-1)).toMatchObject({ type: 'exit' });
});

async function turn(prompt: string): Promise<readonly LiveEvent[]> {
  const live = await start();
  return collect((await live.open(options())).turn(prompt));
}

async function start(command = program, trace?: (entry: TraceEntry) => void): Promise<LiveProcess> {
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, FAKE_DIRECTORY: directory };
  const live = await openCodeLive.start(options(), { command, env, scratch: directory, trace });
  started.push(live);
  return live;
}

function options(given: Partial<LiveSessionOptions> = {}): LiveSessionOptions {
  return {
    cwd: directory,
    systemPrompt: '',
    permissionMode: 'bypass',
    allowedTools: [],
    disallowedTools: [],
    ...given,
  };
}

async function collect(events: AsyncIterable<LiveEvent>): Promise<readonly LiveEvent[]> {
  const all: LiveEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function said(events: readonly LiveEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}
