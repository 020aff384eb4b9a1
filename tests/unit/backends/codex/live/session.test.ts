import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { codexLive } from '../../../../../src/backends/codex/live/protocol.js';
import type {
  LiveEvent,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
} from '../../../../../src/backends/live/types.js';
import type { TraceEntry } from '../../../../../src/backends/types.js';

const server = fileURLToPath(
  new URL('../../../../fixtures/recordings/codex/live-server.mjs', import.meta.url),
);
const started: LiveProcess[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((process_) => process_.end()));
});

describe('a Codex session over a server that misbehaves', () => {
  it('lines that are no JSON-RPC, and messages that nobody knows, become notices', async () => {
    const events = await turn(await open(), 'garbage');
    const raws = events.flatMap((event) => (event.type === 'notice' ? [event.raw] : []));
    expect(raws).toEqual([
      'not json',
      '[1]',
      '{"half":',
      'null',
      '{"id":"abc","result":{}}',
      '{"method":"brand/new","params":{"threadId":"thread-1","x":1}}',
    ]);
    expect(answerIn(events)).toBe('fine');
  });

  it('a line of 10 MB is a line', async () => {
    expect(answerIn(await turn(await open(), 'huge'))?.length).toBe(10_000_000);
  });

  it.each([
    ['that nobody can answer', 'unknown request', '-32601'],
    ['of a thread that nobody has', 'request of another thread', '-32601'],
    ['of a turn that is over', 'request of another turn', 'decline'],
  ])('a request %s is answered', async (_, prompt, answer) => {
    expect(answerIn(await turn(await open(), prompt))).toBe(answer);
  });

  it.each([
    ['bypass', 'accept'],
    ['plan', 'decline'],
  ] as const)('in %s a question needs no person', async (permissionMode, answer) => {
    const events = await turn(await open({ permissionMode }), 'ask');
    expect(events.map(({ type }) => type)).not.toContain('permission_request');
    expect(answerIn(events)).toBe(answer);
  });

  it.each(['allow', 'deny'] as const)(
    'with confirmTools the caller decides, also in bypass: %s',
    async (decision) => {
      const session = await open({ permissionMode: 'bypass', confirmTools: true });
      const events: LiveEvent[] = [];
      for await (const event of session.turn('ask')) {
        events.push(event);
        if (event.type === 'permission_request') await session.answerPermission(event.id, { decision });
      }
      expect(events.find(({ type }) => type === 'permission_request')).toMatchObject({
        confirmation: true,
        options: ['allow', 'deny'],
      });
      expect(answerIn(events)).toBe(decision === 'allow' ? 'accept' : 'decline');
      // What the mode denies is denied, and nobody is asked.
      const planning = await turn(await open({ permissionMode: 'plan', confirmTools: true }), 'ask');
      expect(planning.map(({ type }) => type)).not.toContain('permission_request');
    },
  );

  it('a permission is answered once; another answer is refused', async () => {
    const session = await open({ permissionMode: 'ask' });
    for await (const event of session.turn('ask')) {
      if (event.type === 'permission_request')
        await session.answerPermission(event.id, { decision: 'allow_always' });
      if (event.type === 'ending') expect(event.ending).toMatchObject({ text: 'acceptForSession' });
    }
    await expect(session.answerPermission('0', { decision: 'deny' })).rejects.toMatchObject({
      code: 'bad_request',
    });
  });

  it('an id that stands for two requests is allowed nothing [fault 13.9: two permission requests with one id]', async () => {
    const session = await open({ permissionMode: 'ask' });
    const events: LiveEvent[] = [];
    for await (const event of session.turn('ask twice with one id')) {
      events.push(event);
      // Both were read.
      if (event.type === 'text')
        await session.answerPermission('0', { decision: 'allow' }).catch(() => undefined);
    }
    expect(answerIn(events)).toBe('decline');
    expect(events.filter(({ type }) => type.startsWith('permission'))).toMatchObject([
      { type: 'permission_request', input: { command: 'ls' } },
      { type: 'permission_resolved', decision: 'deny' },
    ]);
  });

  it.each(['', '  '])('a model without a name is refused: "%s"', async (name) => {
    const session = await open();
    await expect(session.setModel?.(name)).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('one turn at a time', async () => {
    const session = await open();
    const first = session.turn('hang')[Symbol.asyncIterator]();
    await first.next();
    expect(await turn(session, 'second')).toMatchObject([
      { type: 'ending', ending: { type: 'failed', code: 'bad_request' } },
    ]);
    await session.interrupt();
    expect((await first.next()).value).toMatchObject({ type: 'ending', ending: { code: 'interrupted' } });
    expect(answerIn(await turn(session, 'third'))).toBe('third');
    await session.close();
    expect(await turn(session, 'fourth')).toMatchObject([
      { type: 'ending', ending: { type: 'failed', code: 'bad_request' } },
    ]);
  });

  it('a turn that waits for the one before it is not begun when it is stopped or left', async () => {
    const sent: string[] = [];
    const process_ = await start(undefined, (entry) => {
      if (entry.type === 'line' && entry.direction === 'out') sent.push(entry.line);
    });
    const session = await process_.open(options());
    for await (const event of session.turn('flood')) if (event.type === 'text') break;
    const stopped = turn(session, 'stopped');
    await session.interrupt();
    expect((await stopped).at(-1)).toMatchObject({ ending: { code: 'interrupted' } });
    for await (const event of session.turn('flood')) if (event.type === 'text') break;
    const left = session.turn('left')[Symbol.asyncIterator]();
    void left.next();
    await left.return?.();
    expect(answerIn(await turn(session, 'last'))).toBe('last');
    expect(sent.filter((line) => /"(stopped|left)"/.test(line))).toEqual([]);
  });

  it('a reader that does not read disturbs nobody else, and its turn is stopped in the end', async () => {
    let interrupted = () => {};
    const stopped = new Promise<void>((resolve) => {
      interrupted = resolve;
    });
    const process_ = await start(undefined, (entry) => {
      if (entry.type === 'line' && entry.line.includes('"turn/interrupt"')) interrupted();
    });
    const [slow, quick] = [await process_.open(options()), await process_.open(options())];
    const unread = slow.turn('flood')[Symbol.asyncIterator]();
    await unread.next();
    for (let count = 0; count < 5; count++)
      expect(answerIn(await turn(quick, `hello ${count}`))).toBe(`hello ${count}`);
    await stopped;
    let last: LiveEvent | undefined;
    for (let next = await unread.next(); !next.done; next = await unread.next()) last = next.value;
    expect(last).toMatchObject({
      type: 'ending',
      ending: { code: 'interrupted', message: expect.stringContaining('32 MiB behind') },
    });
    expect(answerIn(await turn(slow, 'again'))).toBe('again');
  });

  it('new instructions that the server can’t take stand in front of the prompt, once', async () => {
    const session = await open({ sessionId: 'thread-9', systemPrompt: 'Be brief.' });
    expect(answerIn(await turn(session, 'hi'))).toBe('<instructions>\nBe brief.\n</instructions>\n\nhi');
    expect(answerIn(await turn(session, 'hi'))).toBe('hi');
  });

  it('another thread than the one asked for is not the session', async () => {
    const process_ = await start('other thread');
    await expect(process_.open(options({ sessionId: 'thread-9' }))).rejects.toMatchObject({
      code: 'session_not_found',
    });
  });

  it('traces every line, in and out', async () => {
    const trace: TraceEntry[] = [];
    const process_ = await start(undefined, (entry) => trace.push(entry));
    await turn(await process_.open(options()), 'hello');
    await process_.end();
    const lines = trace.flatMap((entry) => (entry.type === 'line' ? [entry] : []));
    expect(lines.find(({ line }) => line.includes('"turn/start"'))?.direction).toBe('out');
    expect(lines.find(({ line }) => line.includes('item/agentMessage/delta'))).toMatchObject({
      direction: 'in',
      events: [{ type: 'text', text: 'hello' }],
    });
    expect(trace.at(-1)?.type).toBe('exit');
  });

  it('resumes a thread that is still closing when it is closed', async () => {
    const process_ = await start('closing');
    const session = await process_.open(options({ sessionId: 'thread-7' }));
    expect(session.sessionId).toBe('thread-7');
  });
});

describe('what is said into a running turn', () => {
  it.each([
    ['is answered in it', 'be steered', 'first\n\nand more'],
    ['voids the message that is being written', 'be steered in the middle', 'and more'],
    [
      'is answered in another one when this one ends with it',
      'be steered at the end',
      'first\n\nwhat the thread ends with',
    ],
    ['is said again when this one ended without it', 'be steered without a word', 'first\n\nand more'],
  ])('%s', async (_, prompt, answer) => {
    const session = await open();
    const events: LiveEvent[] = [];
    let steering: Promise<boolean | undefined> | undefined;
    for await (const event of session.turn(prompt)) {
      events.push(event);
      if (event.type === 'text') steering ??= session.steer?.('and more');
    }
    expect(await steering).toBe(true);
    expect(answerIn(events)).toBe(answer);
    expect(events.filter(({ type }) => type === 'ending')).toHaveLength(1);
    const begunAnew = events.some((event) => event.type === 'notice' && /begins it anew/.test(event.message));
    expect(begunAnew).toBe(prompt === 'be steered in the middle');
    expect(answerIn(await turn(session, 'next'))).toBe('next');
  });

  it('is not taken before a turn, behind it, when it is being stopped, or when the server refuses', async () => {
    const session = await open();
    expect(await session.steer?.('too early')).toBe(false);
    for await (const event of session.turn('hang')) {
      if (event.type !== 'session') continue;
      // The server has not begun the turn.
      expect(await session.steer?.('too early')).toBe(false);
      await session.interrupt();
      expect(await session.steer?.('too late')).toBe(false);
    }
    const asking = await open({ permissionMode: 'ask' });
    for await (const event of asking.turn('ask')) {
      if (event.type !== 'permission_request') continue;
      expect(await asking.steer?.('refused')).toBe(false);
      await asking.answerPermission(event.id, { decision: 'allow' });
    }
    expect(await asking.steer?.('too late')).toBe(false);
  });

  it('is not taken by a server that dies of it', async () => {
    const process_ = await start();
    const session = await process_.open(options());
    let steering: Promise<boolean | undefined> | undefined;
    for await (const event of session.turn('be steered')) {
      if (event.type !== 'text') continue;
      process.kill(process_.pid, 'SIGSTOP');
      steering ??= session.steer?.('and more');
      process.kill(process_.pid, 'SIGKILL');
    }
    expect(await steering).toBe(false);
  });
});

describe('a Codex process that dies', () => {
  it('in the middle of a turn: the turns of all its sessions end as crashed, with its last words', async () => {
    const process_ = await start();
    const [a, b] = [await process_.open(options()), await process_.open(options())];
    const [first, second] = await Promise.all([turn(a, 'hang'), turn(b, 'exit')]);
    for (const events of [first, second]) {
      expect(events.at(-1)).toEqual({
        type: 'ending',
        ending: {
          type: 'failed',
          code: 'crashed',
          message: 'Codex CLI error (exit 7): panicked at the disco',
        },
      });
    }
    expect(await process_.exited).toEqual({ code: 7, signal: null });
    expect((await turn(a, 'again')).at(-1)).toMatchObject({ ending: { code: 'crashed' } });
    await expect(process_.open(options())).rejects.toMatchObject({ code: 'crashed' });
    await a.interrupt();
    await a.close();
  });

  it('and closes only its output is ended', async () => {
    expect((await turn(await open(), 'close output')).at(-1)).toMatchObject({ ending: { code: 'crashed' } });
    await started[0]?.exited;
  });

  it.each(['initialize', 'thread/start', 'turn/start'])('at %s says why', async (method) => {
    const said = { code: 'crashed', message: `Codex CLI error (exit 3): no ${method} today` };
    if (method === 'initialize') return expect(start(method)).rejects.toMatchObject(said);
    const process_ = await start(method);
    if (method === 'thread/start') return expect(process_.open(options())).rejects.toMatchObject(said);
    const events = await turn(await process_.open(options()), 'hello');
    expect(events.at(-1)).toMatchObject({ type: 'ending', ending: said });
  });

  it('because we end it: its turns are interrupted', async () => {
    const process_ = await start();
    const events: LiveEvent[] = [];
    for await (const event of (await process_.open(options())).turn('hang')) {
      events.push(event);
      if (event.type === 'session') void process_.end();
    }
    expect(events.at(-1)).toMatchObject({ ending: { type: 'failed', code: 'interrupted' } });
  });
});

async function start(trouble?: string, trace?: (entry: TraceEntry) => void): Promise<LiveProcess> {
  const suite = process.env['TURNOUT_SUITE'];
  const process_ = await codexLive.start(options(), {
    command: server,
    env: {
      PATH: dirname(process.execPath),
      HOME: tmpdir(),
      ...(trouble === undefined ? {} : { TROUBLE: trouble }),
      ...(suite === undefined ? {} : { TURNOUT_SUITE: suite }),
    },
    scratch: join(tmpdir(), 'unused'),
    trace,
  });
  started.push(process_);
  return process_;
}

async function open(some: Partial<LiveSessionOptions> = {}): Promise<LiveSession> {
  return (await start()).open(options(some));
}

function options(some: Partial<LiveSessionOptions> = {}): LiveSessionOptions {
  return {
    cwd: tmpdir(),
    systemPrompt: '',
    permissionMode: 'bypass',
    allowedTools: [],
    disallowedTools: [],
    ...some,
  };
}

async function turn(session: LiveSession, prompt: string): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of session.turn(prompt)) events.push(event);
  return events;
}

function answerIn(events: readonly LiveEvent[]): string | undefined {
  const last = events.at(-1);
  return last?.type === 'ending' && last.ending.type === 'answered' ? last.ending.text : undefined;
}
