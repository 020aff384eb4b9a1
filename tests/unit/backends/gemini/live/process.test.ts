import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { geminiLive } from '../../../../../src/backends/gemini/live/protocol.js';
import type {
  LiveEvent,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
} from '../../../../../src/backends/live/types.js';
import type { TraceEntry } from '../../../../../src/backends/types.js';

let directory: string;
let trace: TraceEntry[];
const processes: LiveProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnout-gemini-'));
  trace = [];
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.end()));
  rmSync(directory, { recursive: true, force: true });
});

const options = (more: Partial<LiveSessionOptions> = {}): LiveSessionOptions => ({
  cwd: directory,
  systemPrompt: '',
  permissionMode: 'ask',
  allowedTools: [],
  disallowedTools: [],
  ...more,
});

/** An agent that is a real process; `source` says what it does with a request, `reply` and `update` speak for it. */
async function start(source: string): Promise<LiveProcess> {
  const command = join(directory, 'agent.cjs');
  writeFileSync(command, agentSource(source));
  chmodSync(command, 0o755);
  const env = { HOME: directory, PATH: process.env['PATH'] ?? '' };
  const scratch = join(directory, 'scratch');
  const started = await geminiLive.start(options(), {
    command,
    env,
    scratch,
    trace: (entry) => trace.push(entry),
  });
  processes.push(started);
  return started;
}

async function turn(session: LiveSession, prompt = 'hi', act: (event: LiveEvent) => void = () => undefined) {
  const events: LiveEvent[] = [];
  for await (const event of session.turn(prompt)) {
    events.push(event);
    act(event);
  }
  expect(events.filter(({ type }) => type === 'ending')).toEqual([events.at(-1)]);
  return events;
}

const said = (events: readonly LiveEvent[]) =>
  events.flatMap((event) => (event.type === 'text' ? [event.text] : []));

describe('an agent that', () => {
  it('prints noise, notifies of the unknown and sends five megabytes in one line does no harm', async () => {
    const process = await start(`
      if (method === 'session/prompt') {
        process.stdout.write('not json\\n{"half": \\n[1,2]\\n\\n{}\\n{"jsonrpc":"2.0","id":77,"result":{}}\\n');
        say({ jsonrpc: '2.0', method: 'session/novelty', params: { sessionId: params.sessionId } });
        update(params.sessionId, { sessionUpdate: 'novelty' });
        text(params.sessionId, 'x'.repeat(5_000_000));
        reply(id, { stopReason: 'end_turn' });
      }`);
    const events = await turn(await process.open(options()));
    expect(said(events).map(({ length }) => length)).toEqual([5_000_000]);
    const raws = events.flatMap((event) => (event.type === 'notice' ? [event.raw ?? ''] : []));
    expect(raws.slice(0, 5)).toEqual([
      'not json',
      '{"half": ',
      '[1,2]',
      '{}',
      '{"jsonrpc":"2.0","id":77,"result":{}}',
    ]);
    expect(raws.slice(5).map((raw) => /novelty/.test(raw))).toEqual([true, true]);
  });

  it('loads another session than the one to resume has lost that one', async () => {
    const process = await start(`if (method === 'session/load') reply(id, { sessionId: 'another', modes });`);
    await expect(process.open(options({ sessionId: 'wanted' }))).rejects.toMatchObject({
      code: 'session_not_found',
      message: expect.stringContaining('"another"'),
    });
  });

  it('asks for what nobody can give gets an error, and a question out of turn is withdrawn', async () => {
    const process = await start(`
      if (method === 'session/prompt') {
        prompt = { id, sessionId: params.sessionId };
        say({ jsonrpc: '2.0', id: 'a', method: 'fs/read_text_file', params: { sessionId: params.sessionId, path: '/x' } });
        say({ jsonrpc: '2.0', id: 'b', method: 'session/request_permission', params: { sessionId: 'other', options: [] } });
      } else if (method === undefined) {
        text(prompt.sessionId, id + ' ' + (error ? error.code : result.outcome.outcome));
        if (id === 'b') reply(prompt.id, { stopReason: 'end_turn' });
      }`);
    expect(said(await turn(await process.open(options()))).sort()).toEqual(['a -32601', 'b cancelled']);
  });

  it('speaks after its answer does not speak into the next turn', async () => {
    const process = await start(`
      if (method === 'session/prompt') {
        const last = params.prompt.at(-1).text;
        text(params.sessionId, last);
        reply(id, { stopReason: 'end_turn' });
        if (last === 'one') { text(params.sessionId, 'late'); reply(id, { stopReason: 'end_turn' }); }
      }`);
    const session = await process.open(options());
    expect(said(await turn(session, 'one'))).toEqual(['one']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(said(await turn(session, 'two'))).toEqual(['two']);
  });

  it('ends with an error code tells it with its last words', async () => {
    const process = await start(`
      if (method === 'session/prompt') { console.error('out of luck'); process.exit(3); }`);
    const session = await process.open(options());
    const events = await turn(session);
    expect(events.at(-1)).toEqual({
      type: 'ending',
      ending: { type: 'failed', code: 'crashed', message: 'Gemini CLI error (exit 3): out of luck' },
    });
    expect((await turn(session)).at(-1)).toMatchObject({ ending: { code: 'crashed' } });
    await session.interrupt();
    await session.close();
    expect(trace.at(-1)).toMatchObject({ type: 'exit', code: 3 });
  });

  it('ends while a session opens fails the opening', async () => {
    const process = await start(`if (method === 'session/new') process.exit(1);`);
    await expect(process.open(options())).rejects.toMatchObject({ code: 'crashed' });
    await expect(process.open(options())).rejects.toMatchObject({ code: 'crashed' });
  });

  it.each([
    ['and leaves', `setTimeout(() => { console.error('no luck at all'); process.exit(3); }, 200);`, 'exit 3'],
    ['but lives on', '', 'signal SIGTERM'],
  ])('reads no more %s: the next request says how it ended', async (_, then, how) => {
    const process = await start(`
      if (method === 'initialize') {
        require('node:fs').closeSync(0);
        ${then}
        setInterval(() => undefined, 1000);
      }`);
    const failure = await process.open(options()).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'crashed', message: expect.stringContaining(how) });
    if (then !== '') expect(failure).toMatchObject({ message: expect.stringContaining('no luck at all') });
    await process.exited;
  });

  it('closes its output but lives on is ended', async () => {
    const process = await start(`
      if (method === 'session/prompt') { require('node:fs').closeSync(1); setInterval(() => {}, 1000); }`);
    expect((await turn(await process.open(options()))).at(-1)).toMatchObject({ ending: { code: 'crashed' } });
    await process.exited;
  });

  it('says what its listener chokes on is ended: nothing more of it would be heard', async () => {
    const process = await start(`
      if (method === 'session/prompt') { text(params.sessionId, 'poison'); text(params.sessionId, 'more'); }`);
    const session = await process.open(options());
    const record = trace.push.bind(trace);
    trace.push = (entry) => {
      if (entry.type === 'line' && entry.line.includes('poison')) throw new Error('choked');
      return record(entry);
    };
    const events = await turn(session);
    expect(said(events)).toEqual(['poison']);
    expect(events.at(-1)).toMatchObject({ ending: { code: 'crashed' } });
    await process.exited;
  });

  it('has no account says so at the opening', async () => {
    const process = await start(`
      if (method === 'session/new') say({ jsonrpc: '2.0', id, error: { code: -32000, message: 'Authentication required' } });`);
    await expect(process.open(options())).rejects.toMatchObject({ code: 'auth' });
  });

  it('does not start at all says why', async () => {
    const started = start(`
      if (method === 'initialize') { console.error('Please set an Auth method in your settings'); process.exit(41); }`);
    await expect(started).rejects.toMatchObject({
      code: 'auth',
      message: expect.stringContaining('exit 41'),
    });
  });

  it('asks although everything is allowed is answered without anybody', async () => {
    const process = await start(`
      if (method === 'session/prompt') {
        prompt = { id, sessionId: params.sessionId };
        const toolCall = { toolCallId: 'tool__1', kind: 'execute', title: 'ls' };
        const options = [{ optionId: 'x', kind: 'allow_once' }];
        say({ jsonrpc: '2.0', id: 9, method: 'session/request_permission', params: { ...params, toolCall, options } });
      } else if (method === undefined) {
        text(prompt.sessionId, result.outcome.optionId);
        reply(prompt.id, { stopReason: 'end_turn' });
      }`);
    const events = await turn(await process.open(options({ permissionMode: 'bypass' })));
    expect(events.slice(1, 3)).toEqual([
      { type: 'tool_start', id: 'tool__1', name: 'tool', input: { command: 'ls' } },
      { type: 'text', text: 'x' },
    ]);
  });

  it('asks a session with confirmTools is answered by its caller; a reason follows as a prompt of the same turn', async () => {
    const process = await start(`
      if (method === 'session/prompt') {
        const [{ text: said }] = params.prompt;
        const before = prompt;
        prompt = { id, sessionId: params.sessionId };
        const counted = { stopReason: 'end_turn', _meta: { quota: { token_count: { input_tokens: 10, output_tokens: 2 } } } };
        if (before !== undefined) { text(params.sessionId, 'heard: ' + said); reply(id, counted); return; }
        const toolCall = { toolCallId: 'run__1', kind: 'execute', title: 'rm x' };
        const options = [{ optionId: 'yes', kind: 'allow_once' }, { optionId: 'ever', kind: 'allow_always' }, { optionId: 'no', kind: 'reject_once' }];
        say({ jsonrpc: '2.0', id: 9, method: 'session/request_permission', params: { ...params, toolCall, options } });
      } else if (method === undefined) {
        text(prompt.sessionId, result.outcome.optionId);
        reply(prompt.id, { stopReason: 'end_turn', _meta: { quota: { token_count: { input_tokens: 5, output_tokens: 1 } } } });
      }`);
    const session = await process.open(options({ permissionMode: 'bypass', confirmTools: true }));
    const events = await turn(session, 'hi', (event) => {
      if (event.type === 'permission_request')
        void session.answerPermission(event.id, { decision: 'deny', message: 'not today' });
    });
    expect(events.find(({ type }) => type === 'permission_request')).toEqual({
      type: 'permission_request',
      id: 'run__1',
      toolId: 'run__1',
      tool: 'run',
      input: { command: 'rm x' },
      options: ['allow', 'deny'],
      confirmation: true,
    });
    expect(said(events)).toEqual(['no', '\n\n', 'heard: Your call of run was not run: not today']);
    expect(events.find(({ type }) => type === 'usage')).toMatchObject({ inputTokens: 15, outputTokens: 3 });
  });

  it('asks twice about one tool gets the answer for what was shown [fault 13.9: two permission requests with one id]', async () => {
    const process = await start(`
      if (method === 'session/prompt') {
        prompt = { id, sessionId: params.sessionId };
        const options = [{ optionId: 'yes', kind: 'allow_once' }, { optionId: 'no', kind: 'reject_once' }];
        const ask = (id, title) => say({ jsonrpc: '2.0', id, method: 'session/request_permission',
          params: { ...params, toolCall: { toolCallId: 'run__1', kind: 'execute', title }, options } });
        ask('first', 'ls');
        ask('second', 'rm');
      } else if (method === undefined) {
        text(prompt.sessionId, id + ' ' + (result.outcome.optionId ?? 'none'));
        if (id === 'first') reply(prompt.id, { stopReason: 'end_turn' });
      }`);
    const session = await process.open(options());
    const events = await turn(session, 'hi', (event) => {
      // The answer to the second one has come back: both were read.
      if (event.type === 'text' && event.text.startsWith('second'))
        void session.answerPermission('run__1', { decision: 'allow' });
    });
    expect(events.filter(({ type }) => type === 'permission_request')).toMatchObject([
      { input: { command: 'ls' } },
    ]);
    expect(said(events)).toEqual(['second no', 'first yes']);
  });

  it('does not offer the mode is refused', async () => {
    const process = await start('');
    await expect(process.open(options({ permissionMode: 'plan' }))).rejects.toMatchObject({
      code: 'unsupported',
    });
  });

  it('answers a stopped turn with the error it had ready still ends it as interrupted', async () => {
    const process = await start(`
      if (method === 'session/prompt') { text(params.sessionId, 'x'); prompt = { id }; }
      if (method === 'session/cancel') say({ jsonrpc: '2.0', id: prompt.id, error: { code: 429, message: 'slow down' } });`);
    const session = await process.open(options());
    const events = await turn(session, 'hi', (event) => event.type === 'text' && void session.interrupt());
    expect(events.at(-1)).toMatchObject({ ending: { code: 'interrupted' } });
  });

  it('is told to stop a turn that waits for the one before never hears of it', async () => {
    const process = await start(`
      if (method === 'session/prompt') { text(params.sessionId, 'x'); prompt = { id }; }
      if (method === 'session/cancel') setTimeout(() => reply(prompt.id, { stopReason: 'cancelled' }), 50);`);
    const session = await process.open(options());
    for await (const event of session.turn('left')) if (event.type === 'text') break;
    const next = turn(session, 'next');
    await session.interrupt();
    expect((await next).at(-1)).toMatchObject({ ending: { code: 'interrupted' } });
    expect(trace.filter((entry) => entry.type === 'line' && entry.line.includes('"next"'))).toEqual([]);
  });
});

it('a reader that does not read disturbs nobody else, and its turn is stopped in the end', async () => {
  const process = await start(`
    if (method === 'session/prompt') {
      const { sessionId } = params;
      if (params.prompt.at(-1).text !== 'flood') { text(sessionId, 'hello'); reply(id, { stopReason: 'end_turn' }); return; }
      prompt = { id };
      const content = [{ type: 'content', content: { type: 'text', text: 'x'.repeat(1024 * 1024) } }];
      const flood = setInterval(() => {
        if (process.stdout.writableNeedDrain) return;
        if (prompt === undefined) return clearInterval(flood);
        update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'cat__1', kind: 'execute', status: 'completed', content });
      }, 1);
    }
    if (method === 'session/cancel') { reply(prompt.id, { stopReason: 'cancelled' }); prompt = undefined; }`);
  const [slow, quick] = [await process.open(options()), await process.open(options())];
  const unread = slow.turn('flood')[Symbol.asyncIterator]();
  await unread.next();
  for (let count = 0; count < 5; count++) expect(said(await turn(quick))).toEqual(['hello']);
  const cancels = () =>
    trace.filter((entry) => entry.type === 'line' && entry.line.includes('session/cancel'));
  await expect.poll(() => cancels().length).toBe(1);
  let last: LiveEvent | undefined;
  for (let next = await unread.next(); !next.done; next = await unread.next()) last = next.value;
  expect(last).toMatchObject({
    type: 'ending',
    ending: { code: 'interrupted', message: expect.stringContaining('32 MiB behind') },
  });
  expect(said(await turn(slow))).toEqual(['hello']);
  await slow.close();
  expect((await turn(slow)).at(-1)).toMatchObject({ ending: { type: 'failed', code: 'bad_request' } });
});

describe('a recorded agent', () => {
  const recordings = fileURLToPath(new URL('../../../../fixtures/recordings/gemini/', import.meta.url));

  /** Says what it said then, each time it hears what it heard then. What it is asked once more than then, it grants. */
  const replaySource = (name: string) => `
    recorded ??= require('node:fs').readFileSync(${JSON.stringify(join(recordings, `live-${name}.jsonl`))}, 'utf8')
      .split('\\n').filter(Boolean).map((line) => JSON.parse(line));
    const then = recorded[0].message;
    if (then.method !== method || then.params?.modeId !== params?.modeId) return reply(id, {});
    if (method !== undefined) ids.set(then.id, id);
    recorded.shift();
    while (recorded[0]?.from === 'gemini') {
      const { message } = recorded.shift();
      say(message.method === undefined ? { ...message, id: ids.get(message.id) } : message);
    }
    return;`;

  it('loads its session: the history is not heard again, the instructions are not told again', async () => {
    const process = await start(replaySource('load'));
    const more = { permissionMode: 'bypass', model: 'gemini-2.5-flash', systemPrompt: 'Be brief.' } as const;
    const session = await process.open(options(more));
    expect(said(await turn(session, 'First.'))).toEqual(['One.']);
    const loaded = await process.open(options({ ...more, sessionId: session.sessionId }));
    expect(said(await turn(loaded, 'Second.'))).toEqual(['Two.']);
    const sent = trace.flatMap((entry) =>
      entry.type === 'line' && entry.line.includes('session/prompt') ? [entry.line] : [],
    );
    expect(sent.map((line) => line.includes('Be brief.'))).toEqual([true, false]);
  });

  it('asks and is answered', async () => {
    const process = await start(replaySource('permission-deny'));
    const session = await process.open(options({ model: 'gemini-2.5-flash' }));
    const events = await turn(session, 'Write.', (event) => {
      if (event.type === 'permission_request')
        void session.answerPermission(event.id, { decision: 'deny', message: 'No.' });
    });
    expect(events.map(({ type }) => type)).toEqual([
      'session',
      'text',
      'permission_request',
      'permission_resolved',
      'tool_start',
      'tool_end',
      'text',
      'usage',
      'ending',
    ]);
    expect(trace).toContainEqual(
      expect.objectContaining({ direction: 'out', line: expect.stringContaining('"optionId":"cancel"') }),
    );
    const words = trace.filter((entry) => entry.type === 'line' && entry.line.includes('session/update'));
    expect(new Set(words.map((entry) => entry.type === 'line' && entry.direction))).toEqual(new Set(['in']));
    const traced = trace.flatMap((entry) => (entry.type === 'line' ? entry.events : []));
    expect(traced.map(({ type }) => type)).toEqual(['text', 'permission_request', 'text', 'usage', 'ending']);
  });
});

function agentSource(source: string): string {
  return `#!${process.execPath}
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
const reply = (id, result) => say({ jsonrpc: '2.0', id, result });
const update = (sessionId, update) => say({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } });
const text = (sessionId, text) => update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const ids = new Map();
let prompt, recorded, sessions = 0;
const modes = { availableModes: [{ id: 'default' }, { id: 'yolo' }], currentModeId: 'default' };
function hear({ id, method, params, result, error }) {
  ${source}
  if (method === 'initialize') reply(id, { protocolVersion: 1 });
  else if (method === 'session/new') reply(id, { sessionId: 'session-' + ++sessions, modes });
  else if (id !== undefined && method !== undefined && method !== 'session/prompt') reply(id, {});
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => hear(JSON.parse(line)));
`;
}
