import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { claudeLive, claudeLiveAs } from '../../../../../src/backends/claude/live/protocol.js';
import type {
  LiveEvent,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
} from '../../../../../src/backends/live/types.js';
import type { TraceEntry } from '../../../../../src/backends/types.js';

/** A program that speaks the protocol, badly where a test wants it: its behaviour is a few lines of JavaScript. */
const prologue = `
const fs = require('node:fs');
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
const answer = (request, response = {}) =>
  say({ type: 'control_response', response: { subtype: 'success', request_id: request.request_id, response } });
const result = (text, more = {}) => say({ type: 'result', subtype: 'success', is_error: false, result: text, ...more });
const text = (text) => say({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
let sessionId = 's';
const init = (more = {}) => say({ type: 'system', subtype: 'init', session_id: sessionId, model: 'm', ...more });
const lifecycle = (message, state) => say({ type: 'command_lifecycle', command_uuid: message.uuid, state });
const ask = (id, request) => say({ type: 'control_request', request_id: id, request });
const heard = (line) => fs.appendFileSync(process.env.HEARD, line + '\\n');
const on = {
  control_request: (message) => answer(message),
  control_response: () => {},
  user: () => { text('hi'); result('hi'); },
};
`;
const epilogue = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  heard(line);
  const message = JSON.parse(line);
  on[message.type](message);
});
`;

let directory: string;
let count = 0;
const started: LiveProcess[] = [];

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnout-claude-live-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((process) => process.end()));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a Claude process that does not start well', () => {
  it.each([
    [`process.stderr.write('error: unknown option'); process.exit(1)`, 'bad_request', 'exit 1'],
    [
      `process.stderr.write('No conversation found with session ID: x'); process.exit(1)`,
      'session_not_found',
      '',
    ],
    [`process.exit(0)`, 'crashed', 'exit 0'],
    [`process.kill(process.pid, 'SIGKILL')`, 'crashed', 'SIGKILL'],
    [`on.control_request = () => process.exit(7)`, 'crashed', 'exit 7'],
    [`process.stdout.end(); setInterval(() => {}, 1000)`, 'crashed', ''],
    [
      `on.control_request = (m) => say({ type: 'control_response', response: { subtype: 'error', request_id: m.request_id, error: 'no' } })`,
      'bad_request',
      'refused',
    ],
  ])('%s is %s', async (behaviour, code, words) => {
    const failure = await start(behaviour).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ name: 'TurnoutError', code, message: expect.stringContaining(words) });
  });

  it('that is not there is not installed', async () => {
    const options = optionsWith();
    const context = { command: join(directory, 'nothing'), env: {}, scratch: directory };
    await expect(claudeLive.start(options, context)).rejects.toMatchObject({ code: 'not_installed' });
  });
});

describe('a turn with a Claude that misbehaves', () => {
  it('garbage is reported, and the turn goes on', async () => {
    const { session } = await open(`
      on.user = () => { process.stdout.write('garbage\\n\\n[1]\\n"x"\\nnull\\n{"broken":\\n'); text('hi'); result('hi'); };
    `);
    const events = await turn(session);
    const raws = events.flatMap((event) => (event.type === 'notice' ? [event.raw] : []));
    expect(raws).toEqual(['garbage', '[1]', '"x"', 'null', '{"broken":']);
    expect(texts(events)).toEqual(['hi']);
    expect(events.at(-1)).toMatchObject({ type: 'ending', ending: { type: 'answered' } });
  });

  it.each([
    [
      `process.stderr.write('out of memory'); process.exitCode = 3; process.stdin.destroy()`,
      /exit 3.*out of memory/,
    ],
    [`process.kill(process.pid, 'SIGKILL')`, /^Claude was killed \(signal SIGKILL\)$/],
    [`process.stdout.end()`, /Claude ended \(signal SIGTERM\)/],
  ])('%s in the middle ends it as crashed', async (death, message) => {
    const { session, process } = await open(
      `on.user = () => { text('partly'); setTimeout(() => { ${death} }, 50); };`,
    );
    const events = await turn(session);
    expect(texts(events)).toEqual(['partly']);
    expect(events.at(-1)).toMatchObject({
      type: 'ending',
      ending: { type: 'failed', code: 'crashed', message: expect.stringMatching(message) },
    });
    await process.exited;
    expect((await turn(session)).at(-1)).toMatchObject({ ending: { code: 'crashed' } });
    await expect(process.open(optionsWith())).rejects.toMatchObject({ code: 'crashed' });
    await session.interrupt();
    await session.close();
  });

  it('errors and retries name the agent that speaks: the demo agent is no Claude (16)', async () => {
    const { session } = await open(
      `on.user = () => {
        say({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 2, error_status: 429, error: 'rate_limit' });
        process.stdout.end();
      };`,
      {},
      undefined,
      claudeLiveAs('Demo'),
    );
    const words = JSON.stringify(await turn(session));
    expect(words).toMatch(/Demo tries again: retry 1 of 2.*Demo ended/);
    expect(words).not.toContain('Claude');
  });

  it('what it asks is always answered: hooks without an opinion, the unknown with an error', async () => {
    const { session, heard } = await open(`
      on.user = () => {
        ask('h', { subtype: 'hook_callback', callback_id: 'x', input: {} });
        ask('u', { subtype: 'request_user_dialog' });
        let left = 2;
        on.control_response = () => { if (--left === 0) { text('hi'); result('hi'); } };
      };
    `);
    const events = await turn(session);
    expect(texts(events)).toEqual(['hi']);
    const answers = heard().flatMap((message) =>
      message.type === 'control_response' ? [message.response] : [],
    );
    expect(answers).toEqual([
      { subtype: 'success', request_id: 'h', response: {} },
      { subtype: 'error', request_id: 'u', error: 'Not supported by this client: request_user_dialog' },
    ]);
    expect(
      events.some((event) => event.type === 'notice' && event.raw?.includes('request_user_dialog')),
    ).toBe(true);
  });

  it('a question outside of any turn is answered with no', async () => {
    const { session, heard } = await open(
      `on.user = () => { result('hi'); ask('q', { subtype: 'can_use_tool', tool_name: 'Bash', input: {} }); };`,
      { permissionMode: 'ask' },
    );
    await turn(session);
    await until(() => heard().some((message) => message.type === 'control_response'));
    expect(heard().at(-1)?.response.response).toMatchObject({ behavior: 'deny' });
  });

  it.each(['ask', 'plan'] as const)(
    'a tool that was denied says so at its end, in the mode %s',
    async (permissionMode) => {
      const { session } = await open(
        `const use = (id) => say({ type: 'assistant', message: { content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] } });
      const end = (tool_use_id) => say({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id, content: 'no', is_error: true }] } });
      on.user = () => { init(); use('t1'); use('t2'); ask('q', { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 't1', input: {} }); };
      on.control_response = () => { end('t1'); end('t2'); result('done'); };`,
        { permissionMode },
      );
      const ends: LiveEvent[] = [];
      for await (const event of session.turn('go')) {
        if (event.type === 'permission_request')
          await session.answerPermission(event.id, { decision: 'deny' });
        if (event.type === 'tool_end') ends.push(event);
        if (event.type === 'ending') break;
      }
      expect(ends).toMatchObject([
        { id: 't1', denied: true },
        { id: 't2', isError: true },
      ]);
      expect(ends[1]).not.toHaveProperty('denied');
    },
  );

  it.each([
    ['while it waits', ''],
    ['after it was withdrawn', `say({ type: 'control_cancel_request', request_id: 'q' });`],
  ])('an id is not used again %s [fault 13.9: two permission requests with one id]', async (_, between) => {
    const { session, heard } = await open(
      `const tool = (command) => ask('q', { subtype: 'can_use_tool', tool_name: 'Bash', input: { command } });
      on.user = () => { init(); tool('ls'); ${between} tool('rm'); text('asked'); };
      on.control_response = (m) => { if (m.response.response.behavior === 'allow') result('done'); };`,
      { permissionMode: 'ask' },
    );
    const events: LiveEvent[] = [];
    for await (const event of session.turn('go')) {
      events.push(event);
      if (event.type !== 'text') continue;
      const allowed = session.answerPermission('q', { decision: 'allow' });
      if (between === '') await allowed;
      else {
        await expect(allowed).rejects.toMatchObject({ code: 'bad_request' });
        break;
      }
    }
    expect(events.filter(({ type }) => type === 'permission_request')).toMatchObject([
      { id: 'q', input: { command: 'ls' } },
    ]);
    await until(() => heard().some(({ type }) => type === 'control_response'));
    const answers = heard().flatMap((m) => (m.type === 'control_response' ? [m.response.response] : []));
    expect(answers[0]).toMatchObject({ behavior: 'deny' });
    expect(answers.slice(1)).toEqual(
      between === '' ? [{ behavior: 'allow', updatedInput: { command: 'ls' } }] : [],
    );
  });

  it('an older version, which can take nothing back and names no message, is interrupted too', async () => {
    const { session } = await open(`
      on.control_request = (m) => {
        if (m.request.subtype === 'initialize') return answer(m);
        if (m.request.subtype !== 'interrupt')
          return say({ type: 'control_response', response: { subtype: 'error', request_id: m.request_id, error: 'Unsupported control request subtype' } });
        answer(m);
        say({ type: 'result', subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' });
        on.user = () => { text('fine'); result('fine'); };
      };
      on.user = () => text('begun');
    `);
    const events: LiveEvent[] = [];
    for await (const event of session.turn('go')) {
      events.push(event);
      if (event.type === 'text') await session.interrupt();
    }
    expect(events.at(-1)).toMatchObject({ ending: { code: 'interrupted' } });
    expect(texts(await turn(session))).toEqual(['fine']);
  });

  it('an interrupt that is not heard at first is repeated', async () => {
    const { session } = await open(`
      let times = 0;
      on.control_request = (m) => {
        answer(m);
        if (m.request.subtype === 'interrupt' && ++times === 2)
          result(undefined, { is_error: true, terminal_reason: 'aborted_streaming' });
      };
      on.user = () => text('begun');
    `);
    const events: LiveEvent[] = [];
    for await (const event of session.turn('go')) {
      events.push(event);
      if (event.type === 'text') await session.interrupt();
    }
    expect(events.at(-1)).toMatchObject({ ending: { code: 'interrupted' } });
  });

  it('late words of an interrupted turn stay out of the next one, also when its reader has left', async () => {
    const { session } = await open(`
      let current;
      on.control_request = (m) => {
        answer(m);
        if (m.request.subtype !== 'interrupt') return;
        const interrupted = current;
        setTimeout(() => {
          text('late');
          result(undefined, { is_error: true, terminal_reason: 'aborted_streaming', user_message_uuid: interrupted });
        }, 100);
      };
      on.user = (m) => {
        say({ type: 'command_lifecycle', command_uuid: m.uuid, state: 'started' });
        current = m.uuid;
        if (m.message.content === 'go') return text('begun');
        text('fine');
        result('fine', { user_message_uuid: m.uuid });
      };
    `);
    for await (const event of session.turn('go')) {
      if (event.type !== 'text') continue;
      await session.interrupt();
      break;
    }
    expect(texts(await turn(session, 'next'))).toEqual(['fine']);
  });

  it('two turns at once run one after the other', async () => {
    const { session } = await open(`
      on.user = (m) => setTimeout(() => { text(m.message.content); result('', { user_message_uuid: m.uuid }); }, 100);
    `);
    const both = await Promise.all([turn(session, 'one'), turn(session, 'two')]);
    expect(both.map(texts)).toEqual([['one'], ['two']]);
  });

  /** More than a reader may fall behind. */
  const flood = `
    on.user = async () => {
      for (let i = 0; i < 600; i++) {
        if (!process.stdout.write(JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: 'x'.repeat(100_000) }] } }) + '\\n'))
          await new Promise((resolve) => process.stdout.once('drain', resolve));
      }
      heard('{"type":"written"}');
      result('done');
    };
  `;

  it('a slow reader slows the writer, and loses nothing', async () => {
    const { session, heard } = await open(flood);
    let chars = 0;
    let first = true;
    for await (const event of session.turn('go')) {
      if (event.type === 'text') chars += event.text.length;
      if (!first) continue;
      first = false;
      await sleep(500);
      expect(heard().some((message) => message.type === 'written')).toBe(false);
    }
    expect(chars).toBe(60_000_000);
  });

  it('a turn that is interrupted does not wait for its slow reader', async () => {
    const { session, heard } = await open(flood);
    const events = session.turn('go')[Symbol.asyncIterator]();
    await events.next();
    await sleep(300);
    await session.interrupt();
    await until(() => heard().some((message) => message.type === 'written'));
    await events.return?.();
  });

  it('a line of 20 MB is fine', async () => {
    const { session } = await open(`on.user = () => { text('y'.repeat(20_000_000)); result('ok'); };`);
    expect(texts(await turn(session)).join('').length).toBe(20_000_000);
  });

  it('to end the process ends the turn', async () => {
    const { session, process } = await open(`on.user = () => text('begun');`);
    const events: LiveEvent[] = [];
    for await (const event of session.turn('go')) {
      events.push(event);
      if (event.type === 'text') void process.end();
    }
    expect(events.at(-1)).toMatchObject({ ending: { code: 'interrupted' } });
  });
});

describe('the id of a message', () => {
  /** A Claude of today: it tells where a message is on its way, and its result names it. */
  const today = `
    const today = { capabilities: ['msg_lifecycle_v1'] };
    const start = (message) => {
      lifecycle(message, 'queued');
      lifecycle(message, 'started');
      init(today);
    };
    const reply = (message, words) => {
      start(message);
      text(words);
      result(words, { user_message_uuids: [message.uuid] });
      lifecycle(message, 'completed');
    };
    const onItsOwn = (words) => {
      init(today);
      text(words);
      result(words, { origin: { kind: 'task-notification' } });
    };
    on.user = (m) => reply(m, m.message.content);
  `;

  it('is there in each: the first, a later one, what is said into a turn, /clear and what follows it', async () => {
    const { session, process, heard } = await open(`${today}
      let running;
      on.user = (m) => {
        const { content } = m.message;
        if (content === '/clear') sessionId = 'cleared';
        if (content === 'go') {
          running = m;
          start(m);
          return text('begun');
        }
        if (content !== 'more') return reply(m, content);
        lifecycle(m, 'queued');
        lifecycle(m, 'started');
        result('both', { user_message_uuids: [running.uuid, m.uuid] });
      };
    `);
    await turn(session, 'one');
    await turn(session, 'two');
    for await (const event of session.turn('go'))
      if (event.type === 'text') expect(await session.steer?.('more')).toBe(true);
    await session.close();
    const next = await process.open(optionsWith());
    expect(texts(await turn(next, 'three'))).toEqual(['three']);
    const sent = heard().filter((message) => message.type === 'user');
    const contents = sent.map((message) => message.message.content);
    expect(contents).toEqual(['one', 'two', 'go', 'more', '/clear', 'three']);
    for (const { uuid } of sent) expect(uuid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(new Set(sent.map(({ uuid }) => uuid)).size).toBe(sent.length);
  });

  it('keeps a turn that the agent began between two of ours out of the next one, which is told of it', async () => {
    const stage = await open(`${today}
      on.user = (m) => {
        reply(m, 'one');
        setTimeout(() => { onItsOwn('woken up'); heard('{"type":"woken"}'); }, 20);
        on.user = (m) => reply(m, m.message.content);
      };
    `);
    expect(texts(await turn(stage.session))).toEqual(['one']);
    await until(() => stage.heard().some((message) => message.type === 'woken'));
    await sleep(50);
    const events = await turn(stage.session, 'two');
    expect(texts(events)).toEqual(['two']);
    expect(events[0]).toMatchObject({ type: 'notice', message: expect.stringContaining('woken up') });
  });

  it('keeps the agent’s own turn apart in whose middle the message is sent', async () => {
    const stage = await open(`${today}
      on.user = (m) => {
        reply(m, 'one');
        setTimeout(() => { init(today); text('woken '); heard('{"type":"woken"}'); }, 20);
        on.user = (m) => {
          lifecycle(m, 'queued');
          setTimeout(() => {
            text('up');
            result('woken up', { origin: { kind: 'task-notification' } });
            reply(m, 'two');
          }, 20);
        };
      };
    `);
    expect(texts(await turn(stage.session))).toEqual(['one']);
    await until(() => stage.heard().some((message) => message.type === 'woken'));
    await sleep(50);
    const events = await turn(stage.session, 'two');
    expect(texts(events)).toEqual(['two']);
    expect(notices(events)).toEqual([expect.stringContaining('woken '), expect.stringContaining('up')]);
    expect(events.at(-1)).toMatchObject({ ending: { type: 'answered', text: 'two' } });
  });

  it('keeps the agent’s own turn apart that begins just before the message is read, also before the first', async () => {
    const stage = await open(`${today}
      on.user = (m) => { onItsOwn('woken up'); reply(m, m.message.content); };
    `);
    for (const prompt of ['one', 'two']) {
      const events = await turn(stage.session, prompt);
      expect(kinds(events)).toEqual(['notice', 'session', 'text', 'ending']);
      expect(notices(events)).toEqual([expect.stringContaining('woken up')]);
      expect(events.at(-1)).toMatchObject({ ending: { type: 'answered', text: prompt } });
    }
  });

  it('tells at once that the agent took the message up in its own turn', async () => {
    const stage = await open(`${today}
      on.user = (m) => {
        init(today);
        text('woken up');
        lifecycle(m, 'queued');
        lifecycle(m, 'started');
        text('both');
        result('both', { origin: { kind: 'task-notification' }, user_message_uuids: [m.uuid] });
        on.user = (m) => reply(m, m.message.content);
      };
    `);
    const events = await turn(stage.session);
    expect(texts(events)).toEqual(['both']);
    expect(events.at(-1)).toMatchObject({ ending: { type: 'answered', text: 'both' } });
    expect(texts(await turn(stage.session, 'next'))).toEqual(['next']);
  });

  it('takes a message back that waits behind the agent’s own turn: no interrupt is needed', async () => {
    const trace: TraceEntry[] = [];
    const behaviour = `${today}
      on.control_request = (m) => answer(m, m.request.subtype === 'cancel_async_message' ? { cancelled: true } : {});
      on.user = (m) => {
        reply(m, 'one');
        on.user = (m) => {
          init(today);
          lifecycle(m, 'queued');
          say({ type: 'waits' });
          on.user = (m) => reply(m, m.message.content);
        };
      };
    `;
    const stage = await open(behaviour, {}, trace);
    await turn(stage.session);
    const reading = turn(stage.session, 'two');
    await until(() => trace.some((entry) => entry.type === 'line' && entry.line.includes('"waits"')));
    await stage.session.interrupt();
    expect((await reading).at(-1)).toMatchObject({ ending: { code: 'interrupted' } });
    const heard = stage.heard();
    const two = heard.find((message) => message.message?.content === 'two');
    const requests = heard.flatMap((message) => message.request ?? []).slice(1);
    expect(requests).toEqual([{ subtype: 'cancel_async_message', message_uuid: two.uuid }]);
    expect(texts(await turn(stage.session, 'three'))).toEqual(['three']);
  });
});

describe('an early interrupt', () => {
  /** As 2.1.325: what comes before the first line of a turn is answered, and not heard. */
  const deafAtFirst = `
    let begun = false;
    const ended = () => result(undefined, { is_error: true, terminal_reason: 'aborted_streaming' });
    on.control_request = (m) => {
      answer(m);
      if (m.request.subtype !== 'interrupt' || !begun) return;
      begun = false;
      ended();
    };
    on.user = () => setTimeout(() => { begun = true; init(); }, 150);
  `;
  const interrupts = (stage: Stage) =>
    stage.heard().filter((message) => message.request?.subtype === 'interrupt').length;

  it('is said again with the turn’s first line, long before its time', async () => {
    const stage = await open(deafAtFirst);
    // The clock that says it again stands still.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    for (let round = 1; round <= 3; round++) {
      const reading = turn(stage.session);
      await stage.session.interrupt();
      expect((await reading).at(-1)).toMatchObject({ ending: { code: 'interrupted' } });
      expect(interrupts(stage)).toBe(round * 2);
    }
  });

  it('once heard is not said again', async () => {
    const stage = await open(`${deafAtFirst} on.user = () => { begun = true; init(); text('begun'); };`);
    const events: LiveEvent[] = [];
    for await (const event of stage.session.turn('go')) {
      events.push(event);
      if (event.type === 'text') await stage.session.interrupt();
    }
    expect(events.at(-1)).toMatchObject({ ending: { code: 'interrupted' } });
    expect(interrupts(stage)).toBe(1);
  });

  it('that nobody made is not said, also in the turn behind an interrupted one', async () => {
    const stage = await open(`${deafAtFirst}
      const first = on.user;
      on.user = (m) => {
        if (m.message.content === 'stop') return first(m);
        init();
        text('fine');
        result('fine');
      };
    `);
    await turn(stage.session, 'good');
    expect(interrupts(stage)).toBe(0);
    const reading = turn(stage.session, 'stop');
    await stage.session.interrupt();
    await reading;
    expect(interrupts(stage)).toBe(2);
    expect(texts(await turn(stage.session, 'good'))).toEqual(['fine']);
    expect(interrupts(stage)).toBe(2);
  });
});

describe('an interrupt that takes a while', () => {
  it('does not hit the next turn', async () => {
    const { session, heard } = await open(`
      on.control_request = (m) => {
        if (m.request.subtype === 'interrupt')
          result(undefined, { is_error: true, terminal_reason: 'aborted_streaming' });
        if (m.request.subtype !== 'cancel_async_message') return answer(m);
        result('first', { user_message_uuids: [first, m.request.message_uuid] });
        setTimeout(() => answer(m, { cancelled: false }), 100);
      };
      let first;
      on.user = (m) => {
        lifecycle(m, 'queued');
        if (m.message.content === 'more') return;
        first ??= m.uuid;
        lifecycle(m, 'started');
        init();
        text(m.message.content);
        if (m.message.content === 'next')
          setTimeout(() => result('next', { user_message_uuids: [m.uuid] }), 300);
      };
    `);
    let interrupting: Promise<void> | undefined;
    for await (const event of session.turn('go')) {
      if (event.type !== 'text') continue;
      await session.steer?.('more');
      interrupting = session.interrupt();
    }
    const events = await turn(session, 'next');
    await interrupting;
    expect(events.at(-1)).toMatchObject({ ending: { type: 'answered', text: 'next' } });
    expect(heard().some((message) => message.request?.subtype === 'interrupt')).toBe(false);
  });
});

describe('what is said into a turn', () => {
  const steerable = `
    on.user = (m) => {
      lifecycle(m, 'queued');
      if (m.message.content === 'warm up') {
        lifecycle(m, 'started');
        return result('warm', { user_message_uuids: [m.uuid] });
      }
      setTimeout(() => { lifecycle(m, 'started'); init(); text('begun'); }, 100);
      on.user = (more) => {
        lifecycle(more, 'queued');
        lifecycle(more, 'started');
        lifecycle(more, 'completed');
        text(more.message.content);
        result('both', { user_message_uuids: [m.uuid, more.uuid] });
      };
    };
  `;

  it.each(['first', 'second'])(
    'is taken from the beginning of the %s turn on, and not before',
    async (which) => {
      const { session, heard } = await open(steerable);
      if (which === 'second') await turn(session, 'warm up');
      const events: LiveEvent[] = [];
      let taken: Promise<boolean | undefined> | undefined;
      const reading = (async () => {
        for await (const event of session.turn('go')) {
          events.push(event);
          if (event.type === 'session') taken = session.steer?.('more');
        }
      })();
      expect(await session.steer?.('too early')).toBe(false);
      await reading;
      expect(await taken).toBe(true);
      expect(texts(events)).toEqual(['begun', 'more']);
      expect(events.at(-1)).toMatchObject({ ending: { type: 'answered', text: 'both' } });
      const sent = heard().filter((message) => message.type === 'user');
      expect(sent.slice(-2).map((message) => message.message.content)).toEqual(['go', 'more']);
    },
  );

  it('is not taken by a version that reports no lifecycle', async () => {
    const { session, heard } = await open(`
      on.user = () => { init(); text('begun'); setTimeout(() => result('begun'), 50); };
    `);
    let taken: boolean | undefined;
    for await (const event of session.turn('go'))
      if (event.type === 'text') taken = await session.steer?.('more');
    expect(taken).toBe(false);
    expect(heard().filter((message) => message.type === 'user')).toHaveLength(1);
  });
});

describe('the live protocol of Claude', () => {
  it('one key for what one process can serve, whatever the order of the options', () => {
    const base = optionsWith();
    const reversed = Object.fromEntries(Object.entries(base).reverse()) as unknown as LiveSessionOptions;
    const key = claudeLive.processKey(base);
    expect(claudeLive.processKey(reversed)).toBe(key);
    expect(claudeLive.processKey({ ...base, sessionId: 'x' })).toBe(key);
    const others: readonly Partial<LiveSessionOptions>[] = [
      { cwd: '/' },
      { model: 'm' },
      { systemPrompt: 's' },
      { permissionMode: 'ask' },
      { allowedTools: ['Read'] },
      { disallowedTools: ['Bash'] },
      { maxTurns: 3 },
      { mcpConfig: 'f' },
    ];
    expect(new Set(others.map((other) => claudeLive.processKey({ ...base, ...other }))).size).toBe(8);
    for (const other of others) expect(claudeLive.processKey({ ...base, ...other })).not.toBe(key);
  });

  it('a process started to resume one session serves a new one only after /clear', async () => {
    const { process, heard } = await start(
      `
      on.user = (m) => {
        if (m.message.content === '/clear') say({ type: 'system', subtype: 'init', session_id: 'new' });
        result('', { user_message_uuid: m.uuid });
      };
    `,
      { sessionId: 'old' },
    );
    const session = await process.open(optionsWith());
    expect(session.sessionId).toBe('new');
    const [clear] = heard().filter((message) => message.type === 'user');
    expect(clear).toMatchObject({ message: { content: '/clear' } });
    expect(clear).not.toHaveProperty('text_not_typed');
  });

  const wanted = '0199a213-81c0-7800-8aa1-00000000dead';

  it('a turn in another session than the one to resume fails with session_not_found, names the tools that had begun, and ends the process', async () => {
    const { process, session } = await open(
      `on.user = () => {
        sessionId = 'another';
        // In one piece: the process is ended after the first line.
        globalThis.process.stdout.cork();
        init();
        say({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] } });
        result('done in the wrong place');
        globalThis.process.stdout.uncork();
      };`,
      { sessionId: wanted },
    );
    const events = await turn(session);
    expect(events.map(({ type }) => type)).toEqual(['tool_start', 'ending']);
    expect(events.at(-1)).toMatchObject({
      ending: { type: 'failed', code: 'session_not_found', message: expect.stringContaining('"another"') },
    });
    expect(session.sessionId).toBe(wanted);
    await process.exited;
  });

  it('the turn fails with session_not_found too when the process dies first, and an id in capitals is the same one', async () => {
    const dies = await open(`on.user = () => { sessionId = 'another'; init(); }`, { sessionId: wanted });
    expect((await turn(dies.session)).at(-1)).toMatchObject({ ending: { code: 'session_not_found' } });
    const id = '0199a213-81c0-7800-8aa1-bbab2a035a53';
    const same = await open(`on.user = () => { sessionId = '${id}'; init(); result('hi'); }`, {
      sessionId: id.toUpperCase(),
    });
    expect((await turn(same.session)).at(-1)).toMatchObject({ ending: { type: 'answered' } });
    expect(same.session.sessionId).toBe(id);
  });

  it('a session that is resumed by its title has the id that Claude answers with', async () => {
    const { session } = await open(`on.user = () => { sessionId = 'another'; init(); result('hi'); }`, {
      sessionId: 'my-title',
    });
    expect((await turn(session)).at(-1)).toMatchObject({ ending: { type: 'answered' } });
    expect(session.sessionId).toBe('another');
  });

  it('a process that does not clear is ended rather than shared', async () => {
    const { process } = await start(`on.user = () => result('');`, { sessionId: 'old' });
    await expect(process.open(optionsWith())).rejects.toMatchObject({ code: 'crashed' });
    await process.exited;
  });

  it('traces every line in and out', async () => {
    const trace: TraceEntry[] = [];
    const { session, process } = await open(
      `on.user = () => {
        init();
        say({ type: 'system', subtype: 'status', status: 'requesting' });
        say({ type: 'stream_event', event: { type: 'message_start' } });
        process.stdout.write(' \\n');
        text('hi');
        result('hi');
      };`,
      {},
      trace,
    );
    expect(kinds(await turn(session, 'secret prompt'))).toEqual(['session', 'text', 'ending']);
    await process.end();
    await until(() => trace.some((entry) => entry.type === 'exit'));
    const lines = trace.flatMap((entry) => (entry.type === 'line' ? [entry] : []));
    expect(lines.find(({ line }) => line.includes('secret prompt'))?.direction).toBe('out');
    // Lines that say nothing to the session are traced all the same.
    for (const mark of ['"subtype":"status"', '"message_start"'])
      expect(lines.find(({ line }) => line.includes(mark))).toMatchObject({ direction: 'in', events: [] });
    expect(lines.filter(({ line }) => line.trim() === '')).toEqual([]);
    expect(lines.find(({ line }) => line.includes('"assistant"'))).toMatchObject({
      direction: 'in',
      events: [{ type: 'text', text: 'hi' }],
    });
  });
});

interface Stage {
  readonly process: LiveProcess;
  // biome-ignore lint/suspicious/noExplicitAny: what our side wrote, as it is
  heard(): any[];
}

async function start(
  behaviour: string,
  options: Partial<LiveSessionOptions> = {},
  trace?: TraceEntry[],
  protocol = claudeLive,
): Promise<Stage> {
  const command = join(directory, `claude-${++count}.cjs`);
  const heard = join(directory, `heard-${count}`);
  writeFileSync(command, `#!${process.execPath}\n${prologue}${behaviour}${epilogue}`);
  writeFileSync(heard, '');
  chmodSync(command, 0o755);
  const live = await protocol.start(optionsWith(options), {
    command,
    env: { HEARD: heard, PATH: process.env['PATH'] ?? '' },
    scratch: directory,
    trace: trace && ((entry) => trace.push(entry)),
  });
  started.push(live);
  return {
    process: live,
    heard: () =>
      readFileSync(heard, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  };
}

async function open(
  behaviour: string,
  options: Partial<LiveSessionOptions> = {},
  trace?: TraceEntry[],
  protocol = claudeLive,
): Promise<Stage & { session: LiveSession }> {
  const stage = await start(behaviour, options, trace, protocol);
  return { ...stage, session: await stage.process.open(optionsWith(options)) };
}

function optionsWith(options: Partial<LiveSessionOptions> = {}): LiveSessionOptions {
  return {
    cwd: tmpdir(),
    systemPrompt: '',
    permissionMode: 'bypass',
    allowedTools: [],
    disallowedTools: [],
    ...options,
  };
}

async function turn(session: LiveSession, prompt = 'go'): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of session.turn(prompt)) events.push(event);
  return events;
}

function texts(events: readonly LiveEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
}

function notices(events: readonly LiveEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
}

function kinds(events: readonly LiveEvent[]): string[] {
  return events.map((event) => event.type);
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never true: ${condition}`);
    await sleep(20);
  }
}
