import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claudeLive } from '../../src/backends/claude/live/protocol.js';
import type {
  LiveEvent,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
} from '../../src/backends/live/types.js';
import type { JsonObject } from '../../src/backends/output/json.js';
import type { TraceEntry } from '../../src/backends/types.js';
import type { PermissionMode } from '../../src/core/permission-mode.js';
import { type LabHome, makeHome } from '../../src/lab/home.js';
import type { Step } from '../../src/lab/model/script.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { installedCli } from './installed-cli.js';

// Sessions with the usual options share one process, one after the other, as they do in the warm pool.

let model: ScriptedModel;
let home: LabHome;
let shared: LiveProcess | undefined;
const started: LiveProcess[] = [];
const opened: LiveSession[] = [];

beforeAll(async () => {
  model = await startScriptedModel();
  home = await makeHome('claude', model.url);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((session) => session.close()));
  await endAll();
});
afterAll(async () => {
  await shared?.end();
  await model.close();
  await home.remove();
});

describe('a live session of Claude (S3)', () => {
  it('holds three turns with their history, in pieces, with this turn’s usage', async () => {
    model.use([{ steps: [{ text: ['Hello ', 'and ', 'hi.'] }] }, 'two', 'three']);
    const session = await open();
    const first = await turn(session, 'first');
    expect(texts(first)).toEqual(['Hello ', 'and ', 'hi.']);
    expect(endingOf(first)).toEqual({ type: 'answered', stopReason: 'end_turn', text: 'Hello and hi.' });
    await turn(session, 'second');
    const third = await turn(session, 'third');
    expect(said(third)).toBe('three');
    expect(conversation()).toEqual(['first', 'Hello and hi.', 'second', 'two', 'third']);
    const usages = [first, third].map((events) => events.find((event) => event.type === 'usage'));
    expect(usages[0]).toMatchObject({ inputTokens: 60, outputTokens: 7, cachedInputTokens: 30 });
    expect(usages[1]).toEqual(usages[0]);
    expect(session.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(first.find((event) => event.type === 'session')).toMatchObject({ sessionId: session.sessionId });
  });

  it('sends text as it is written, and thinking as thinking', async () => {
    model.use([{ steps: [{ thinking: ['Let me ', 'think.'] }, { text: ['a ', 'b ', 'c '], delayMs: 150 }] }]);
    const session = await open();
    const times: number[] = [];
    const events: LiveEvent[] = [];
    for await (const event of session.turn('think')) {
      events.push(event);
      if (event.type === 'text') times.push(performance.now());
    }
    expect(texts(events)).toEqual(['a ', 'b ', 'c ']);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(200);
    expect(events.flatMap((event) => (event.type === 'thinking' ? [event.text] : [])).join('')).toBe(
      'Let me think.',
    );
  });

  it('every prompt reaches the model as it was typed', async () => {
    model.use(['ok']);
    const session = await open();
    const prompts = [
      '/clear',
      '/compact now',
      '/code-review',
      '@notes.txt',
      '-',
      '--help',
      ' lead and trail \n',
      'nul \0 in it',
      'emoji 👩‍👩‍👧 \u2028 \ufeff bidi \u202e',
      `${'long ✓ '.repeat(25_000)}end`,
    ];
    for (const prompt of prompts) {
      await turn(session, prompt);
      expect(model.turns.at(-1)?.prompt === prompt, JSON.stringify(prompt.slice(0, 40))).toBe(true);
    }
  });

  it('an allowed tool runs, a denied one does not and the model hears why', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use([calls({ shell: 'touch allowed.txt' }), 'done']);
    const allowed = await turn(session, 'go', (id) => session.answerPermission(id, { decision: 'allow' }));
    expect(existsSync(join(home.workingDir, 'allowed.txt'))).toBe(true);
    const request = allowed.find((event) => event.type === 'permission_request');
    expect(request).toMatchObject({ tool: 'Bash', input: { command: 'touch allowed.txt' } });
    expect(kinds(allowed)).toEqual([
      'session',
      'tool_start',
      'permission_request',
      'permission_resolved',
      'tool_end',
      'text',
      'usage',
      'ending',
    ]);

    const file = join(home.workingDir, 'denied.txt');
    model.use([calls({ writeFile: { path: file, content: 'x' } }), 'pity']);
    const answer = { decision: 'deny', message: 'not on a Sunday' } as const;
    const denied = await turn(session, 'go', (id) => session.answerPermission(id, answer));
    expect(existsSync(file)).toBe(false);
    expect(model.turns.at(-1)?.toolResults[0]?.output).toContain('not on a Sunday');
    expect(denied.find((event) => event.type === 'permission_resolved')).toMatchObject({ decision: 'deny' });
    expect(denied.find((event) => event.type === 'tool_end')).toMatchObject({ denied: true });
    expect(said(denied)).toBe('pity');
  });

  it('what is allowed always is not asked again, in this session only', async () => {
    const options = { permissionMode: 'ask' } as const;
    const process = await start(options);
    const session = await process.open(optionsWith(options));
    const go = (one: LiveSession) => {
      model.use([calls({ shell: 'touch always.txt' }), 'done']);
      return turn(one, 'go', (id) => one.answerPermission(id, { decision: 'allow_always' }));
    };
    expect(kinds(await go(session))).toContain('permission_request');
    expect(kinds(await go(session))).not.toContain('permission_request');
    expect(existsSync(join(home.workingDir, '.claude'))).toBe(false);
    await session.close();
    await expect(process.exited).resolves.toBeDefined();
    const next = await open(options);
    expect(kinds(await go(next))).toContain('permission_request');
  });

  const python = { shell: `python3 -c "open('python.txt','w')"` };
  const modes: readonly (readonly [
    PermissionMode,
    readonly (readonly [Step, 'done' | 'asked' | 'refused'])[],
  ])[] = [
    [
      'edits',
      [
        [python, 'asked'],
        [{ writeFile: { path: 'edited.txt', content: 'x' } }, 'done'],
      ],
    ],
    [
      'plan',
      [
        [{ shell: 'ls' }, 'done'],
        [{ shell: 'touch planned.txt' }, 'refused'],
        [python, 'refused'],
        [{ writeFile: { path: 'planned.txt', content: 'x' } }, 'refused'],
      ],
    ],
    [
      'bypass',
      [
        [python, 'done'],
        [{ writeFile: { path: 'bypassed.txt', content: 'x' } }, 'done'],
      ],
    ],
  ];

  it.each(modes)('in the mode %s tools are done, asked for or refused', async (permissionMode, cases) => {
    const session = await open({ permissionMode });
    for (const [step, outcome] of cases) {
      const path = 'writeFile' in step ? join(home.workingDir, step.writeFile.path) : '';
      const placed = 'writeFile' in step ? { writeFile: { ...step.writeFile, path } } : step;
      model.use([calls(placed), 'done']);
      const events = await turn(session, 'go', (id) => session.answerPermission(id, { decision: 'deny' }));
      const end = events.find((event) => event.type === 'tool_end');
      const asked = kinds(events).includes('permission_request');
      const what = JSON.stringify(step);
      expect({ what, asked, failed: end?.isError }).toEqual({
        what,
        asked: outcome === 'asked',
        failed: outcome !== 'done',
      });
      if (outcome === 'refused') expect(end?.output).toContain('Plan mode is read only.');
    }
  });

  it('tools can be limited: to some, to some of their commands', async () => {
    const session = await open({ allowedTools: ['Read', 'Bash(git:*)'], disallowedTools: ['Read'] });
    const result = async (shell: string) => {
      model.use([calls({ shell }), 'done']);
      const events = await turn(session, 'go');
      return events.find((event) => event.type === 'tool_end');
    };
    expect(await result('git --version')).toMatchObject({ isError: false });
    expect(model.turns.at(-1)?.tools.map(({ name }) => name)).not.toContain('Write');
    expect(model.turns.at(-1)?.tools.map(({ name }) => name)).not.toContain('Read');
    expect(await result('touch limited.txt')).toMatchObject({
      isError: true,
      output: 'This is not among the allowed tools.',
    });
  });

  it('an interrupt ends the turn, and the next one is a good one', async () => {
    model.use([{ steps: [{ text: ['one ', 'two ', 'three '], delayMs: 300 }] }, 'fine']);
    const session = await open();
    const events: LiveEvent[] = [];
    for await (const event of session.turn('go')) {
      events.push(event);
      if (event.type === 'text') await session.interrupt();
    }
    expect(endingOf(events)).toMatchObject({ type: 'failed', code: 'interrupted' });
    expect(events.filter((event) => event.type === 'ending')).toHaveLength(1);
    const next = await turn(session, 'again');
    expect(texts(next)).toEqual(['fine']);
    await session.interrupt();
    expect(said(await turn(session, 'once more'))).toBe('fine');
  });

  it('an interrupt that comes before the turn has begun is not lost', async () => {
    const session = await open();
    model.use(['warm']);
    await turn(session, 'warm up');
    for (const wait of [undefined, 0, 5, 20]) {
      model.use([{ silent: true }]);
      const events: LiveEvent[] = [];
      const reading = (async () => {
        for await (const event of session.turn('early')) events.push(event);
      })();
      if (wait !== undefined) await sleep(wait);
      await session.interrupt();
      await reading;
      expect(endingOf(events)).toMatchObject({ code: 'interrupted' });
      model.use(['fine']);
      expect(said(await turn(session, 'next'))).toBe('fine');
    }
  });

  it('an interrupt that comes before the turn has begun is heard as soon as it begins', async () => {
    const session = await open();
    model.use(['warm']);
    await turn(session, 'warm up');
    const began = performance.now();
    for (let round = 0; round < 6; round++) {
      model.use([{ steps: [{ text: ['one ', 'two '], delayMs: 10_000 }] }]);
      const reading = turn(session, 'early');
      await session.interrupt();
      expect(endingOf(await reading)).toMatchObject({ code: 'interrupted' });
    }
    // Without it each would wait a second, for the interrupt to be repeated.
    expect(performance.now() - began).toBeLessThan(5000);
    model.use(['fine']);
    expect(said(await turn(session, 'next'))).toBe('fine');
  });

  it('what is said into its first turn, at its first line, is answered in it', async () => {
    const session = await open({ systemPrompt: 'Be steered.' });
    model.use([calls({ shell: 'sleep 1' }), 'both']);
    model.forget();
    const events: LiveEvent[] = [];
    let taken: Promise<boolean> | undefined;
    for await (const event of session.turn('go')) {
      events.push(event);
      if (event.type === 'session') taken = session.steer?.('STEERED');
    }
    expect(await taken).toBe(true);
    expect(endingOf(events)).toMatchObject({ type: 'answered', text: 'both' });
    expect(model.turns.at(-1)?.rawBody).toContain('STEERED');
    model.use(['fine']);
    expect(said(await turn(session, 'next'))).toBe('fine');
  });

  it('an interrupt ends the running tool with all that it started', async () => {
    const session = await open();
    model.use([calls({ shell: 'setsid tail -s 7001 -f /dev/null & tail -s 7002 -f /dev/null' }), 'fine']);
    const events: LiveEvent[] = [];
    for await (const event of session.turn('go')) {
      events.push(event);
      if (event.type !== 'tool_start') continue;
      await until(() => processesWith('7002').length > 0);
      await session.interrupt();
    }
    expect(endingOf(events)).toMatchObject({ code: 'interrupted' });
    await until(() => processesWith('-s\x380').length === 0);
    expect(said(await turn(session, 'again'))).toBe('fine');
  });

  it('an interrupt takes back what is being asked', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use([calls({ shell: 'touch asked.txt' }), 'fine']);
    const events = await turn(session, 'go', () => session.interrupt());
    expect(kinds(events).slice(-5)).toEqual([
      'permission_request',
      'permission_resolved',
      'tool_end',
      'usage',
      'ending',
    ]);
    expect(endingOf(events)).toMatchObject({ code: 'interrupted' });
    const id = events.flatMap((event) => (event.type === 'permission_request' ? [event.id] : []))[0] ?? '';
    await expect(session.answerPermission(id, { decision: 'allow' })).rejects.toMatchObject({
      code: 'bad_request',
    });
  });
});

describe('sessions of Claude (S3)', () => {
  it('a resumed one has its history, and the system prompt of now', async () => {
    model.use(['one', 'two']);
    const first = await open({ systemPrompt: 'Speak like a pirate.' });
    await turn(first, 'first');
    expect(model.turns.at(-1)?.system).toContain('Speak like a pirate.');
    const id = first.sessionId;
    await endAll();
    const second = await open({ sessionId: id, systemPrompt: 'Speak like a poet.' });
    expect(second.sessionId).toBe(id);
    const events = await turn(second, 'second');
    expect(conversation()).toEqual(['first', 'one', 'second']);
    expect(model.turns.at(-1)?.system).toContain('Speak like a poet.');
    expect(model.turns.at(-1)?.system).not.toContain('pirate');
    expect(second.sessionId).toBe(id);
    expect(events.find((event) => event.type === 'usage')).toMatchObject({
      costUsd: expect.closeTo(0.000286, 6),
    });
  });

  it('a resumed one whose background task was lost begins by itself: that is not taken for our answer', async () => {
    const first = await open({ systemPrompt: 'Be busy.' });
    const input = { command: 'tail -s 7007 -f /dev/null', run_in_background: true };
    model.use([calls({ tool: 'Bash', input }), 'started']);
    await turn(first, 'go');
    const id = first.sessionId;
    await endAll();
    model.use(['one', 'two', 'never']);
    const second = await open({ sessionId: id, systemPrompt: 'Be busy.' });
    for (const [prompt, answer] of [
      ['first', 'one'],
      ['second', 'two'],
    ] as const) {
      const events = await turn(second, prompt);
      expect(kinds(events)).toEqual(['session', 'text', 'usage', 'ending']);
      expect(endingOf(events)).toMatchObject({ type: 'answered', text: answer });
    }
    expect(model.turns.at(-1)?.prompt).toBe('second');
  });

  it.each(['11111111-1111-4111-8111-111111111111', 'no-such-name', '-x', '--help'])(
    '%s is not found',
    async (sessionId) => {
      await expect(start({ sessionId })).rejects.toMatchObject({ code: 'session_not_found' });
    },
  );

  it('a new one in a warm process knows nothing of the one before', async () => {
    const given = { systemPrompt: 'Be kind.', permissionMode: 'edits' } as const;
    const process = await start(given);
    const options = optionsWith(given);
    model.use(['one']);
    const first = await process.open(options);
    await expect(process.open(options)).rejects.toMatchObject({ code: 'bad_request' });
    await turn(first, 'my secret is 42');
    await first.setModel?.('claude-haiku-4-5');
    await first.setPermissionMode?.('plan');
    await first.close();
    const began = performance.now();
    const second = await process.open(options);
    const took = performance.now() - began;
    expect(second.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(second.sessionId).not.toBe(first.sessionId);
    model.use([calls({ shell: 'touch second.txt' }), 'two']);
    const events = await turn(second, 'hello');
    expect(existsSync(join(home.workingDir, 'second.txt'))).toBe(true);
    expect(conversation().at(0)).toBe('hello');
    expect(JSON.stringify(model.turns.at(-1)?.body)).not.toContain('secret');
    expect(model.turns.at(-1)?.model).not.toContain('haiku');
    expect(model.turns.at(-1)?.system).toContain('Be kind.');
    expect(events.find((event) => event.type === 'session')).toMatchObject({ sessionId: second.sessionId });
    expect(took).toBeLessThan(1000);
    await expect(process.open({ ...options, sessionId: first.sessionId })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await second.close();
    await expect(process.open({ ...options, sessionId: first.sessionId })).rejects.toMatchObject({
      code: 'unsupported',
    });
    const again = await process.open({ ...options, sessionId: second.sessionId });
    model.use(['three']);
    await turn(again, 'still there?');
    expect(conversation()).toContain('hello');
  });

  it('a process with a background task serves no other session', async () => {
    const process = await start();
    const session = await process.open(optionsWith());
    const input = { command: 'tail -s 7003 -f /dev/null', run_in_background: true };
    model.use([calls({ tool: 'Bash', input }), 'started']);
    expect(said(await turn(session, 'go'))).toBe('started');
    await session.close();
    await process.exited;
    await until(() => processesWith('7003').length === 0);
  });

  it('a turn that the agent begins by itself is not taken for the answer to ours', async () => {
    const session = await open();
    const input = { command: 'sleep 0.3', run_in_background: true };
    const woken = { steps: [{ text: ['woken ', 'up '], delayMs: 400 }] };
    model.use([calls({ tool: 'Bash', input }), 'started', woken, 'the answer']);
    model.forget();
    await turn(session, 'go');
    await model.turn(3);
    const events = await turn(session, 'and now?');
    expect(texts(events)).toEqual(['the answer']);
    expect(model.turns.at(-1)?.prompt).toBe('and now?');
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
    expect(notices.join()).toContain('woken up');
    expect(events.find((event) => event.type === 'usage')).toMatchObject({
      costUsd: expect.closeTo(0.000286, 6),
    });
  });

  it('a message that the agent takes up in a turn of its own, behind a tool, is answered by that turn', async () => {
    const session = await open();
    const input = { command: 'sleep 0.3', run_in_background: true };
    model.use([calls({ tool: 'Bash', input }), 'started', calls({ shell: 'sleep 1.5' }), 'both', 'the next']);
    model.forget();
    await turn(session, 'go');
    await model.turn(3);
    const events = await turn(session, 'and now?');
    expect(model.turns).toHaveLength(4);
    expect(model.turns[3]?.rawBody).toContain('and now?');
    expect(texts(events)).toEqual(['both']);
    expect(endingOf(events)).toMatchObject({ type: 'answered', text: 'both' });
    expect(texts(await turn(session, 'next'))).toEqual(['the next']);
  });

  it('every message carries an id, and Claude tells where each begins before its first line', async () => {
    const lines: { readonly direction: 'in' | 'out'; readonly message: JsonObject }[] = [];
    const process = await start({}, (entry) => {
      if (entry.type === 'line') lines.push({ direction: entry.direction, message: JSON.parse(entry.line) });
    });
    const session = await process.open(optionsWith());
    const go = async (prompt: string) => {
      lines.length = 0;
      await turn(session, prompt);
      // Lines that come behind the result.
      await sleep(200);
      const sent = lines.find(
        ({ direction, message }) => direction === 'out' && message['type'] === 'user',
      )?.message;
      expect(sent?.['uuid']).toEqual(expect.any(String));
      const result = lines.find(({ message }) => message['type'] === 'result')?.message;
      expect(result).toMatchObject({ user_message_uuids: [sent?.['uuid']] });
      expect(result).not.toHaveProperty('origin');
      return lines.flatMap(({ message }) => {
        if (message['type'] === 'result' || message['subtype'] === 'init') return [message['subtype']];
        return message['command_uuid'] === sent?.['uuid'] ? [message['state']] : [];
      });
    };
    const way = ['queued', 'started', 'init', 'success', 'completed'];
    model.use(['one']);
    expect(await go('one')).toEqual(way);
    model.use([calls({ shell: 'true' }), 'two']);
    expect(await go('two')).toEqual(way);
    const input = { command: 'tail -s 7006 -f /dev/null', run_in_background: true };
    model.use([calls({ tool: 'Bash', input }), 'three']);
    expect(await go('three')).toEqual(way);
    model.use(['four']);
    expect(await go('four')).toEqual(way);
  });

  it('a background task that ends within the turn that began it does not make it the agent’s own', async () => {
    const session = await open();
    const input = { command: 'sleep 0.2', run_in_background: true };
    model.use([calls({ tool: 'Bash', input }), calls({ shell: 'sleep 1.5' }), 'all done']);
    model.forget();
    const events = await turn(session, 'go');
    // The model has heard of the end in this turn.
    expect(model.turns).toHaveLength(3);
    expect(model.turns[2]?.rawBody).toContain('task-notification');
    expect(endingOf(events)).toMatchObject({ type: 'answered', text: 'all done' });
    expect(kinds(events)).not.toContain('notice');
    model.use(['the answer']);
    expect(texts(await turn(session, 'and now?'))).toEqual(['the answer']);
  });

  it('the model and the permission mode can be changed between turns', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use(['ok']);
    await turn(session, 'one');
    await session.setModel?.('claude-haiku-4-5');
    await turn(session, 'two');
    expect(model.turns.at(-1)?.model).toBe('claude-haiku-4-5');
    expect(model.turns.at(-1)?.prompt).toBe('two');
    model.use([calls({ shell: 'touch edits.txt' }), 'done']);
    expect(
      kinds(await turn(session, 'three', (id) => session.answerPermission(id, { decision: 'deny' }))),
    ).toContain('permission_request');
    expect(await session.setPermissionMode?.('edits')).toBe(true);
    model.use([calls({ shell: 'touch edits.txt' }), 'done']);
    expect(kinds(await turn(session, 'four'))).not.toContain('permission_request');
    expect(existsSync(join(home.workingDir, 'edits.txt'))).toBe(true);
    expect(await session.setPermissionMode?.('bypass')).toBe(false);
  });

  it('what is to be asked for even where permissions are skipped is refused', async () => {
    const session = await open({ permissionMode: 'bypass' });
    // With --help it would only print its usage.
    model.use([calls({ shell: 'rm -rf ~/ --help' }), 'done']);
    const ended = (await turn(session, 'go')).find((event) => event.type === 'tool_end');
    expect(ended).toMatchObject({ isError: true, output: expect.stringContaining('Dangerous rm') });
  });

  it('a process that skips permissions keeps to that', async () => {
    const session = await open({ permissionMode: 'bypass' });
    for (const mode of ['ask', 'edits', 'plan'] as const)
      expect(await session.setPermissionMode?.(mode)).toBe(false);
    expect(await session.setPermissionMode?.('bypass')).toBe(true);
    model.use([calls({ shell: "python3 -c \"open('kept.txt','w')\"" }), 'done']);
    await turn(session, 'go');
    expect(existsSync(join(home.workingDir, 'kept.txt'))).toBe(true);
  });

  it.each(['bypass', 'ask', 'plan'] as const)(
    'in %s mode no tool is offered that needs a person',
    async (mode) => {
      const session = await open({ permissionMode: mode });
      model.use(['ok']);
      await turn(session, 'hello');
      const offered = JSON.stringify(model.turns.at(-1)?.body);
      expect(offered).toContain('"name":"Bash"');
      for (const tool of ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'])
        expect(offered).not.toContain(`"name":"${tool}"`);
    },
  );
});

describe('trouble with Claude', () => {
  it.each([
    [401, 'auth'],
    [429, 'rate_limit'],
    [500, 'overloaded'],
  ])('HTTP %i is %s, with the retries on the way, and the process lives on', async (status, code) => {
    const session = await open();
    model.use([{ status, message: 'scripted trouble' }]);
    const events = await turn(session, 'go');
    expect(endingOf(events)).toMatchObject({
      type: 'failed',
      code,
      message: expect.stringContaining('scripted trouble'),
    });
    expect(kinds(events)).toContain('notice');
    expect(texts(events)).toEqual([]);
    model.use(['fine']);
    expect(said(await turn(session, 'again'))).toBe('fine');
  });

  it('a broken stream is shown once', async () => {
    const session = await open();
    model.use([
      { steps: [{ text: ['aa ', 'bb '] }, { cut: true }] },
      { steps: [{ text: ['aa ', 'bb ', 'cc'] }] },
    ]);
    expect(said(await turn(session, 'go'))).toBe('aa bb cc');
  });

  it('kill -9 in the middle of a turn ends it within a second, and its tools with it', async () => {
    const running = await start();
    const session = await running.open(optionsWith());
    model.use([calls({ shell: 'tail -s 7004 -f /dev/null' }), 'never']);
    let killed = 0;
    const events: LiveEvent[] = [];
    for await (const event of session.turn('go')) {
      events.push(event);
      if (event.type !== 'tool_start') continue;
      await until(() => processesWith('7004').length > 0);
      process.kill(running.pid, 'SIGKILL');
      killed = performance.now();
    }
    expect(performance.now() - killed).toBeLessThan(1000);
    expect(endingOf(events)).toMatchObject({ code: 'crashed', message: expect.stringContaining('SIGKILL') });
    await until(() => processesWith('7004').length === 0);
    expect(endingOf(await turn(session, 'more'))).toMatchObject({ code: 'crashed' });
    await expect(running.open(optionsWith())).rejects.toMatchObject({ code: 'crashed' });
    await session.interrupt();
    await session.close();
  });

  it('a limit of turns ends the turn', async () => {
    const session = await open({ maxTurns: 1 });
    model.use([calls({ shell: 'true' }), 'never']);
    expect(endingOf(await turn(session, 'go'))).toMatchObject({
      type: 'failed',
      message: expect.stringContaining('maximum number of turns'),
    });
  });

  it('nothing is left of an ended process', async () => {
    const process = await start();
    const session = await process.open(optionsWith());
    model.use([calls({ shell: 'setsid tail -s 7005 -f /dev/null & true' }), 'done']);
    await turn(session, 'go');
    await Promise.all([process.end(), process.end()]);
    await process.exited;
    expect(processesWith('7005')).toEqual([]);
    expect(existsSync(`/proc/${process.pid}`)).toBe(false);
  });
});

function optionsWith(options: Partial<LiveSessionOptions> = {}): LiveSessionOptions {
  return {
    cwd: home.workingDir,
    systemPrompt: '',
    permissionMode: 'bypass',
    allowedTools: [],
    disallowedTools: [],
    ...options,
  };
}

async function start(
  options: Partial<LiveSessionOptions> = {},
  trace?: (entry: TraceEntry) => void,
): Promise<LiveProcess> {
  const process = await claudeLive.start(optionsWith(options), {
    command: installedCli('claude'),
    env: home.env,
    scratch: join(home.directory, 'scratch'),
    trace,
  });
  started.push(process);
  return process;
}

async function open(options?: Partial<LiveSessionOptions>): Promise<LiveSession> {
  const process = options === undefined ? await sharedProcess() : await start(options);
  const session = await process.open(optionsWith(options));
  opened.push(session);
  return session;
}

async function sharedProcess(): Promise<LiveProcess> {
  if (shared !== undefined && existsSync(`/proc/${shared.pid}`)) return shared;
  shared = await start();
  started.pop();
  return shared;
}

async function endAll(): Promise<void> {
  await Promise.all(started.splice(0).map((process) => process.end()));
}

/** One turn to its end; each permission request is given to `answer`. */
async function turn(
  session: LiveSession,
  prompt: string,
  answer?: (id: string) => Promise<void>,
): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of session.turn(prompt)) {
    events.push(event);
    if (event.type === 'permission_request') await answer?.(event.id);
  }
  return events;
}

function calls(step: Step) {
  return { steps: [step] };
}

function texts(events: readonly LiveEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
}

function said(events: readonly LiveEvent[]): string {
  return texts(events).join('');
}

function kinds(events: readonly LiveEvent[]): string[] {
  return events.map((event) => event.type);
}

function endingOf(events: readonly LiveEvent[]) {
  const last = events.at(-1);
  return last?.type === 'ending' ? last.ending : undefined;
}

/** The words of the person and the model in the last request, without those that the CLI put there itself. */
function conversation(): string[] {
  return (model.turns.at(-1)?.messages ?? []).flatMap((message) => {
    if (message.role === 'system') return [];
    return message.parts.flatMap((part) =>
      part.type === 'text' && !/^<(system-reminder|local-command|command-name)/.test(part.text)
        ? [part.text]
        : [],
    );
  });
}

/** Living processes with this in their command line, NUL between the words. */
function processesWith(words: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return command.startsWith('tail\0') && command.includes(words) ? [command] : [];
    } catch {
      return [];
    }
  });
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never true: ${condition}`);
    await sleep(20);
  }
}
