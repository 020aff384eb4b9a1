import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  LiveEvent,
  LiveProcess,
  LiveSession,
  LiveSessionOptions,
  TurnEnding,
} from '../../src/backends/live/types.js';
import { openCodeLive } from '../../src/backends/opencode/live/protocol.js';
import { type LabHome, makeHome } from '../../src/lab/home.js';
import type { Script } from '../../src/lab/model/script.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { installedCli } from './installed-cli.js';

let model: ScriptedModel;
let home: LabHome;
let live: LiveProcess;
/** A second process in the same home, for what the first has begun; the last test kills it. */
let other: LiveProcess;
const defaults = {
  systemPrompt: '',
  permissionMode: 'bypass',
  allowedTools: [],
  disallowedTools: [],
} as const;

beforeAll(async () => {
  model = await startScriptedModel();
  home = await makeHome('opencode', model.url);
  live = await start();
  other = await start();
  // The first turn of a home and of a directory boots what the others share.
  await run(await open(), 'warm up');
}, 60_000);

afterAll(async () => {
  await live?.end();
  await other?.end();
  expect(processesOf(home)).toEqual([]);
  await model.close();
  await home.remove();
}, 30_000);

it('starts without a package from npm: the lab needs no network', () => {
  expect(existsSync(join(home.directory, '.npm'))).toBe(false);
  expect(readdirSync(join(home.directory, '.config/opencode/node_modules'))).toEqual(['.keep']);
  expect(readFileSync(join(home.directory, '.cache/opencode/models.json'), 'utf8')).toBe('{}');
});

describe('a session (S5)', () => {
  it('takes three turns, each with what went before', async () => {
    model.use(['one', 'two', 'three']);
    const session = await open();
    for (const [prompt, answer] of [
      ['first', 'one'],
      ['second', 'two'],
      ['third', 'three'],
    ] as const) {
      const events = await run(session, prompt);
      expect(said(events)).toBe(answer);
      expect(endingOf(events)).toEqual({ type: 'answered', stopReason: 'end_turn' });
      expect(events[0]).toEqual({
        type: 'session',
        sessionId: session.sessionId,
        backend: 'opencode',
        model: 'lab/lab-model',
      });
    }
    expect(history()).toEqual(['first', 'one', 'second', 'two', 'third']);
    expect(model.requests.filter(({ side }) => side === 'title')).toEqual([]);
  });

  it('streams text and thinking piece by piece, and counts the tokens of this turn', async () => {
    model.use([
      { steps: [{ thinking: ['Let me ', 'think.'] }, { text: ['one ', 'two ', 'three'], delayMs: 150 }] },
    ]);
    const session = await open();
    const times: number[] = [];
    const events: LiveEvent[] = [];
    for await (const event of session.turn('count')) {
      events.push(event);
      if (event.type === 'text') times.push(performance.now());
    }
    expect(of(events, 'text').map(({ text }) => text)).toEqual(['one ', 'two ', 'three']);
    expect(
      of(events, 'thinking')
        .map(({ text }) => text)
        .join(''),
    ).toBe('Let me think.');
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(150);
    const usage = { inputTokens: 60, outputTokens: 7, cachedInputTokens: 30, costUsd: 0, contextTokens: 67 };
    expect(of(events, 'usage').at(-1)).toEqual({ type: 'usage', ...usage });
    await run(session, 'again');
    expect(of(await run(session, 'again'), 'usage').at(-1)).toEqual({ type: 'usage', ...usage });
  });

  it('tells of a tool and sums the usage of its steps', async () => {
    model.use([{ steps: [{ text: 'Looking. ' }, { shell: 'echo made by a tool' }] }, 'It said so.']);
    const events = await run(await open(), 'look');
    expect(of(events, 'tool_start')).toMatchObject([
      { name: 'bash', input: { command: 'echo made by a tool' } },
    ]);
    expect(of(events, 'tool_end')).toMatchObject([{ output: 'made by a tool\n', isError: false }]);
    expect(of(events, 'usage').at(-1)?.inputTokens).toBe(120);
    expect(said(events)).toBe('Looking. It said so.');
  });

  it('sees the system prompt, and a changed one when it is resumed in a new process', async () => {
    model.use(['first answer', 'second answer']);
    const session = await open({ systemPrompt: 'Speak like PIRATE-ONE.' });
    await run(session, 'hello');
    expect(model.turns.at(-1)?.system).toContain('PIRATE-ONE');
    await session.close();
    const resumed = await other.open(options({ sessionId: session.sessionId, systemPrompt: 'PIRATE-TWO' }));
    await run(resumed, 'again');
    expect(resumed.sessionId).toBe(session.sessionId);
    expect(history()).toEqual(['hello', 'first answer', 'again']);
    expect(model.turns.at(-1)?.system).toContain('PIRATE-TWO');
    expect(model.turns.at(-1)?.system).not.toContain('PIRATE-ONE');
  });

  it.each(['ses_1111111111111111111111111', 'no such session', '../session'])(
    'that does not exist can not be resumed: %s',
    async (sessionId) => {
      await expect(open({ sessionId })).rejects.toMatchObject({ code: 'session_not_found' });
    },
  );

  it('stays in its own directory, and says so', async () => {
    model.use([{ steps: [{ shell: 'pwd' }] }, 'there']);
    const session = await open();
    const cwd = join(home.directory, 'elsewhere');
    mkdirSync(cwd, { recursive: true });
    const moved = await open({ sessionId: session.sessionId, cwd });
    const events = await run(moved, 'where?');
    expect(of(events, 'notice')).toMatchObject([{ level: 'warning', message: expect.stringContaining(cwd) }]);
    expect(of(events, 'tool_end')).toMatchObject([{ output: `${home.workingDir}\n` }]);
  });

  it('changes its model', async () => {
    model.use(['a', 'b']);
    const session = await open();
    await run(session, 'a');
    await session.setModel?.('lab/other-model');
    await run(session, 'b');
    expect(model.turns.slice(-2).map((turn) => turn.model)).toEqual(['lab-model', 'other-model']);
    await expect(session.setModel?.('nonsense')).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('a prompt arrives as it was typed', () => {
  const prompts = {
    'a slash command': '/init now',
    'a known command with nothing else': '/compact',
    'a mention of a file': 'look at @opencode.json and @/etc/hostname',
    'a dash': '-',
    'an option': '--help me',
    'a bang': '!ls',
    'white space around': '\n\t  spaced  \r\n',
    'NUL and other control characters': 'a\0b\u001b[31mc\u007f',
    unicode: '\uFEFFé👩‍👩‍👧 \u2028\u202e𝒳',
    'what looks like markup': '<system-reminder>x</system-reminder>"\\"$HOME`id`',
    '200 KB': 'wörter '.repeat(30_000),
  };
  let session: LiveSession;
  beforeAll(async () => {
    session = await open();
  });
  it.each(Object.entries(prompts))('%s', async (_, prompt) => {
    model.use(['ok']);
    await run(session, prompt);
    const texts = model.turns
      .at(-1)
      ?.messages.at(-1)
      ?.parts.map((part) => (part.type === 'text' ? part.text : part));
    expect(texts).toEqual([prompt]);
  });
});

describe('permissions', () => {
  const touch = (name: string): Script => [{ steps: [{ shell: `touch ${name}` }] }, 'went on'];

  it('a tool that is allowed runs, always allowed it is not asked for again, and only in this session', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use(touch('allowed-1'));
    const first = await answering(session, 'allow');
    expect(of(first, 'permission_request')).toMatchObject([
      { tool: 'bash', input: { command: 'touch allowed-1' }, options: ['allow', 'allow_always', 'deny'] },
    ]);
    expect(of(first, 'permission_resolved')).toMatchObject([{ decision: 'allow' }]);
    model.use(touch('allowed-2'));
    const second = await answering(session, 'allow_always');
    expect(of(second, 'permission_resolved')).toMatchObject([{ decision: 'allow_always' }]);
    model.use(touch('allowed-3'));
    expect(of(await answering(session, 'deny'), 'permission_request')).toEqual([]);
    expect(['allowed-1', 'allowed-2', 'allowed-3'].map(inWork)).toEqual([true, true, true]);
    model.use(touch('other-session'));
    const other = await answering(await open({ permissionMode: 'ask' }), 'deny');
    expect(of(other, 'permission_request')).toHaveLength(1);
    expect(inWork('other-session')).toBe(false);
  });

  it('a tool that is denied does not run, the model is told why, and goes on', async () => {
    model.use(touch('denied'));
    const events = await answering(await open({ permissionMode: 'ask' }), 'deny', 'not on a Sunday');
    expect(inWork('denied')).toBe(false);
    expect(of(events, 'tool_end')).toMatchObject([
      { isError: true, output: expect.stringContaining('Sunday') },
    ]);
    expect(model.turns.at(-1)?.toolResults[0]?.output).toContain('not on a Sunday');
    expect(said(events)).toBe('went on');
    expect(endingOf(events)).toEqual({ type: 'answered', stopReason: 'end_turn' });
  });

  it('of two tools at once one can be denied and the other allowed', async () => {
    model.use([{ steps: [{ shell: 'touch pair-1' }, { shell: 'touch pair-2' }] }, 'done']);
    const session = await open({ permissionMode: 'ask' });
    const events: LiveEvent[] = [];
    for await (const event of session.turn('both')) {
      events.push(event);
      if (event.type !== 'permission_request') continue;
      const first = JSON.stringify(event.input).includes('pair-1');
      await session.answerPermission(event.id, { decision: first ? 'deny' : 'allow' });
    }
    expect(
      of(events, 'permission_resolved')
        .map(({ decision }) => decision)
        .sort(),
    ).toEqual(['allow', 'deny']);
    expect(['pair-1', 'pair-2'].map(inWork)).toEqual([false, true]);
    expect(said(events)).toBe('done');
  });

  it('a file outside of the directory is asked for, and in bypass it is not', async () => {
    const script: Script = [{ steps: [{ tool: 'read', input: { filePath: '/etc/hostname' } }] }, 'read'];
    model.use(script);
    const free = await answering(await open(), 'deny');
    expect(of(free, 'permission_request')).toEqual([]);
    expect(of(free, 'permission_resolved')).toEqual([]);
    expect(of(free, 'tool_end')).toMatchObject([{ isError: false }]);
    model.use(script);
    const asked = await answering(await open({ permissionMode: 'ask' }), 'deny');
    expect(of(asked, 'permission_request')).toMatchObject([{ tool: 'external_directory' }]);
    expect(of(asked, 'tool_end')).toMatchObject([{ isError: true }]);
  });

  it('in the mode "edits" files are edited without a question, commands ask', async () => {
    const session = await open({ permissionMode: 'edits' });
    const path = join(home.workingDir, 'edited.txt');
    model.use([
      { steps: [{ writeFile: { path, content: 'x' } }] },
      { steps: [{ shell: 'touch no' }] },
      'end',
    ]);
    const events = await answering(session, 'deny');
    expect(existsSync(path)).toBe(true);
    expect(of(events, 'permission_request')).toMatchObject([{ tool: 'bash' }]);
  });

  it('in the mode "plan" nothing is changed; the mode can be changed both ways', async () => {
    const session = await open({ permissionMode: 'plan' });
    model.use(touch('planned'));
    await run(session, 'plan');
    expect(inWork('planned')).toBe(false);
    expect(offered()).not.toEqual(expect.arrayContaining(['bash']));
    expect(offered()).not.toEqual(expect.arrayContaining(['write']));
    expect(offered()).toEqual(expect.arrayContaining(['read', 'grep', 'glob']));
    await session.setPermissionMode?.('bypass');
    model.use(touch('unplanned'));
    await run(session, 'do');
    expect(inWork('unplanned')).toBe(true);
    await session.setPermissionMode?.('ask');
    model.use(touch('asked'));
    expect(of(await answering(session, 'deny'), 'permission_request')).toHaveLength(1);
  });

  it('an asking session has no subagents: they would not ask', async () => {
    model.use(['ok']);
    await run(await open({ permissionMode: 'ask' }), 'x');
    expect(offered()).not.toContain('task');
    await run(await open(), 'x');
    expect(offered()).toContain('task');
  });

  it('in bypass a subagent works, and costs', async () => {
    model.use((request) => {
      const child = request.prompt.includes('CHILD');
      if (request.toolResults.length > 0) return child ? 'child done' : 'parent done';
      if (child) return { steps: [{ shell: 'cat /etc/hostname; touch by-child' }] };
      const input = { description: 'd', prompt: 'CHILD work', subagent_type: 'general' };
      return { steps: [{ tool: 'task', input }] };
    });
    const events = await run(await open(), 'go');
    expect(inWork('by-child')).toBe(true);
    expect(said(events)).toBe('parent done');
    expect(of(events, 'tool_start').map(({ name }) => name)).toEqual(['task']);
    expect(of(events, 'usage').at(-1)?.inputTokens).toBe(240);
  });

  it('filters tools', async () => {
    model.use(['ok']);
    await run(await open({ allowedTools: ['read', 'write'] }), 'x');
    expect(offered()).toEqual(['edit', 'read', 'write']);
    await run(await open({ disallowedTools: ['bash', 'webfetch'] }), 'x');
    expect(offered()).toContain('read');
    expect(offered()).not.toContain('bash');
    expect(offered()).not.toContain('webfetch');
  });
});

describe('an interrupt', () => {
  it('in the middle of a text ends the turn, and the next one is clean', async () => {
    const session = await open();
    model.use([{ steps: [{ text: ['LOST-1 ', 'LOST-2 ', 'LOST-3 '], delayMs: 400 }] }, 'good']);
    const events = await interrupting(session, 'text');
    expect(endingOf(events)).toMatchObject({ type: 'failed', code: 'interrupted' });
    const next = await run(session, 'next');
    expect(said(next)).toBe('good');
    expect(endingOf(next)).toMatchObject({ type: 'answered' });
    expect(history().at(-1)).toBe('next');
  });

  it('before the model was asked stops the turn as well', async () => {
    const session = await open();
    model.use([{ steps: [{ text: ['a ', 'b ', 'c ', 'd '], delayMs: 500 }] }, 'good']);
    const turn = run(session, 'stop at once');
    await new Promise((resolve) => setImmediate(resolve));
    const began = performance.now();
    await session.interrupt();
    expect(endingOf(await turn)).toMatchObject({ code: 'interrupted' });
    expect(performance.now() - began).toBeLessThan(1500);
    expect(said(await run(session, 'next'))).toMatch(/good|a b c d/);
  });

  it('ends the processes of a tool, also those that do not want to', async () => {
    const session = await open();
    model.use([{ steps: [{ shell: "trap '' TERM; setsid sleep 3117 & sleep 3118; sleep 3119" }] }, 'good']);
    const began = new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (running('sleep 3117') && running('sleep 3118')) {
          clearInterval(look);
          resolve();
        }
      }, 20);
    });
    const turn = run(session, 'sleep');
    await began;
    await session.interrupt();
    const events = await turn;
    expect(endingOf(events)).toMatchObject({ code: 'interrupted' });
    expect(['sleep 3117', 'sleep 3118', 'sleep 3119'].filter(running)).toEqual([]);
    expect(said(await run(session, 'next'))).toBe('good');
  });

  it('answers what was being asked with no', async () => {
    const session = await open({ permissionMode: 'ask' });
    model.use([{ steps: [{ shell: 'touch interrupted' }] }, 'good']);
    const events = await interrupting(session, 'permission_request');
    expect(of(events, 'permission_resolved')).toMatchObject([{ decision: 'deny' }]);
    expect(endingOf(events)).toMatchObject({ code: 'interrupted' });
    const id = of(events, 'permission_request')[0]?.id ?? '';
    await expect(session.answerPermission(id, { decision: 'allow' })).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(said(await run(session, 'next'))).toBe('good');
    expect(inWork('interrupted')).toBe(false);
  });

  it('ends a long wait for the next try', async () => {
    const session = await open();
    model.use([{ status: 429, message: 'slow down', headers: { 'retry-after': '60' } }, 'good']);
    expect(endingOf(await interrupting(session, 'notice'))).toMatchObject({ code: 'interrupted' });
    expect(said(await run(session, 'next'))).toBe('good');
  });

  it('by leaving the loop stops the turn, and the session goes on', async () => {
    const session = await open();
    model.use([{ steps: [{ text: ['a ', 'b ', 'c '], delayMs: 1000 }] }, 'good']);
    for await (const event of session.turn('leave')) {
      if (event.type !== 'text') continue;
      await session.interrupt();
      break;
    }
    expect(said(await run(session, 'next'))).toBe('good');
  });

  it('without a turn does nothing', async () => {
    const session = await open();
    await session.interrupt();
    model.use(['fine']);
    expect(said(await run(session, 'x'))).toBe('fine');
  });
});

describe('failures of the API', () => {
  it.each([
    [400, 'bad_request'],
    [401, 'auth'],
  ] as const)('%i is %s', async (status, code) => {
    model.use([{ status, message: `failure ${status}` }]);
    const events = await run(await open(), 'x');
    expect(endingOf(events)).toEqual({ type: 'failed', code, message: `failure ${status}` });
  });

  it.each([429, 500])('%i is tried again, which is told; then it is over or goes well', async (status) => {
    const headers = { 'retry-after': '1' };
    const session = await open();
    model.use([{ status, message: 'slow down', headers }, 'at last']);
    const events = await run(session, 'x');
    expect(of(events, 'notice')).toMatchObject([
      {
        level: 'warning',
        message: expect.stringMatching(/\(slow down\); OpenCode tries again: retry 1 of \d+ in/),
      },
    ]);
    expect(said(events)).toBe('at last');
  });

  it('an unknown model is a bad request', async () => {
    const events = await run(await open({ model: 'lab/no-such' }), 'x');
    expect(endingOf(events)).toMatchObject({ type: 'failed', code: 'bad_request' });
    await expect(open({ model: 'no-provider' })).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('one process', () => {
  it('holds sessions of several directories that do not mix', async () => {
    const cwd = join(home.directory, 'second');
    mkdirSync(cwd, { recursive: true });
    model.use(({ prompt, toolResults }) =>
      toolResults.length > 0
        ? { steps: [{ text: [`${prompt} 1 `, `${prompt} 2 `, `${prompt} 3`], delayMs: 50 }] }
        : { steps: [{ shell: `pwd; echo ${prompt}` }] },
    );
    const [a, b] = await Promise.all([open(), open({ cwd })]);
    const [ofA, ofB] = await Promise.all([run(a, 'AAA'), run(b, 'BBB')]);
    expect(said(ofA)).toBe('AAA 1 AAA 2 AAA 3');
    expect(said(ofB)).toBe('BBB 1 BBB 2 BBB 3');
    expect(of(ofA, 'tool_end')).toMatchObject([{ output: `${home.workingDir}\nAAA\n` }]);
    expect(of(ofB, 'tool_end')).toMatchObject([{ output: `${cwd}\nBBB\n` }]);
  });

  it('goes on for others when one session is interrupted', async () => {
    model.use(({ prompt }) => ({
      steps: [{ text: [`${prompt} 1 `, `${prompt} 2 `, `${prompt} 3`], delayMs: 250 }],
    }));
    const [a, b] = await Promise.all([open(), open()]);
    const other = run(b, 'B');
    const stopped = await interrupting(a, 'text', 'A');
    expect(endingOf(stopped)).toMatchObject({ code: 'interrupted' });
    expect(said(await other)).toBe('B 1 B 2 B 3');
  });

  it('wants a password', async () => {
    const ports = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .flatMap((line) => /^\s*\d+: 0100007F:([0-9A-F]{4}) 00000000:0000 0A/.exec(line)?.[1] ?? [])
      .map((hex) => Number.parseInt(hex, 16));
    const answers = await Promise.all(
      ports.map((port) =>
        fetch(`http://127.0.0.1:${port}/session`, { signal: AbortSignal.timeout(1000) }).then(
          (response) => response.status,
          () => 0,
        ),
      ),
    );
    expect(answers).toContain(401);
  });

  it('that is killed ends the running turn as crashed within a second, and later ones too', async () => {
    const session = await other.open(options());
    model.use([{ steps: [{ text: ['a ', 'b ', 'c '], delayMs: 3000 }] }]);
    let killed = 0;
    const events: LiveEvent[] = [];
    for await (const event of session.turn('x')) {
      events.push(event);
      if (event.type === 'text') {
        killed = performance.now();
        process.kill(other.pid, 'SIGKILL');
      }
    }
    expect(performance.now() - killed).toBeLessThan(1000);
    expect(endingOf(events)).toMatchObject({
      type: 'failed',
      code: 'crashed',
      message: expect.stringContaining('SIGKILL'),
    });
    expect(endingOf(await run(session, 'again'))).toMatchObject({ code: 'crashed' });
    await expect(other.open(options())).rejects.toMatchObject({ code: 'crashed' });
    await session.close();
    await other.end();
    await other.end();
  });
});

function start(): Promise<LiveProcess> {
  const { env } = home;
  const context = { command: installedCli('opencode'), env, scratch: join(home.directory, 'scratch') };
  return openCodeLive.start(options(), context);
}

function options(given: Partial<LiveSessionOptions> = {}): LiveSessionOptions {
  return { cwd: home.workingDir, model: home.model, ...defaults, ...given };
}

function open(given: Partial<LiveSessionOptions> = {}): Promise<LiveSession> {
  return live.open(options(given));
}

async function run(session: LiveSession, prompt: string): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of session.turn(prompt)) events.push(event);
  return events;
}

async function answering(
  session: LiveSession,
  decision: 'allow' | 'allow_always' | 'deny',
  message?: string,
): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of session.turn('please')) {
    events.push(event);
    if (event.type === 'permission_request') await session.answerPermission(event.id, { decision, message });
  }
  return events;
}

async function interrupting(
  session: LiveSession,
  at: LiveEvent['type'],
  prompt = 'long',
): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of session.turn(prompt)) {
    events.push(event);
    if (event.type === at) await session.interrupt();
  }
  return events;
}

function of<T extends LiveEvent['type']>(events: readonly LiveEvent[], type: T) {
  return events.filter((event): event is Extract<LiveEvent, { type: T }> => event.type === type);
}

function said(events: readonly LiveEvent[]): string {
  return of(events, 'text')
    .map(({ text }) => text)
    .join('');
}

/** There is exactly one, and it is the last. */
function endingOf(events: readonly LiveEvent[]): TurnEnding['ending'] | undefined {
  const endings = of(events, 'ending');
  expect(endings).toHaveLength(1);
  expect(events.at(-1)).toBe(endings[0]);
  return endings[0]?.ending;
}

function history(): readonly string[] {
  return (model.turns.at(-1)?.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : [])));
}

function offered(): readonly string[] {
  return (model.turns.at(-1)?.tools ?? []).map(({ name }) => name).sort();
}

function inWork(name: string): boolean {
  return existsSync(join(home.workingDir, name));
}

function running(command: string): boolean {
  return processesOf(home).includes(command);
}

/** The command lines of everything that carries the mark of this home. */
function processesOf({ mark }: LabHome): readonly string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TURNOUT_LAB=${mark}\0`)) return [];
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()];
      } catch {
        return [];
      }
    })
    .filter((command) => command !== '');
}
