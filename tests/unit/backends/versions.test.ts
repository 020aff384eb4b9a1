import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { liveEnvironment } from '../../../src/backends/claude/versions.js';
import { withoutCommand } from '../../../src/backends/gemini/prompt.js';
import { commandOf, toolNameOf } from '../../../src/backends/gemini/versions.js';
import { pinnedVersion } from '../../../src/backends/launch/vetted.js';
import { createBackend } from '../../../src/backends/registry.js';
import type { RunRequest } from '../../../src/backends/types.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { Sessions } from '../../../src/sessions/sessions.js';
import { readRecording, stdoutOf } from '../../contract/recordings.js';
import { it, programPath, type Stage } from '../../contract/stage.js';

const packages = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
  opencode: 'opencode-ai',
} as const;
type Vendor = keyof typeof packages;
const vendors = Object.keys(packages) as Vendor[];

describe('a one-shot turn with a version that was not vetted', () => {
  it.for(vendors)('%s: carries one notice, in front, that says what to do', async (vendor, { stage }) => {
    for (const [version, level, advice] of [
      ['0.0.1', 'warning', `npm install -g ${packages[vendor]}@${pinnedVersion(vendor)}`],
      ['999.0.0', 'info', `turnout doctor --deep --backend ${vendor}`],
    ] as const) {
      // OpenCode before 1.17 is refused.
      const old = vendor === 'opencode' && level === 'warning' ? '1.17.0' : version;
      // Claude's first line shows a version, which counts before that of the package.
      const answer = stdoutOf(readRecording(vendor, 'answer')).replaceAll('2.1.325', version);
      const events = await run(stage, vendor, old, { prompt: 'hello' }, answer);
      expect(events[0]).toMatchObject({ type: 'notice', level, message: expect.stringContaining(advice) });
      expect(noticesIn(events)).toHaveLength(1);
      expect(events.at(-1)?.type).toBe('complete');
    }
  });

  it.for(vendors)(
    '%s: carries none with a vetted version, nor with one that is not known',
    async (vendor, { stage }) => {
      expect(noticesIn(await run(stage, vendor, pinnedVersion(vendor) ?? '', { prompt: 'hello' }))).toEqual(
        [],
      );
      expect(noticesIn(await run(stage, vendor, 'none', { prompt: 'hello' }))).toEqual([]);
    },
  );

  it('claude: by its first line, where the files around it tell nothing', async ({ stage }) => {
    const init = { type: 'system', subtype: 'init', session_id: 's', claude_code_version: '999.0.0' };
    const result = { type: 'result', subtype: 'success', session_id: 's', result: 'Hello.' };
    const lines = [init, result].map((line) => JSON.stringify(line)).join('\n');
    const events = await run(stage, 'claude', 'none', { prompt: 'hello' }, lines);
    expect(noticesIn(events)).toEqual([expect.stringContaining('Claude 999.0.0 is newer than the vetted')]);
  });
});

describe('a prompt that begins with a slash, with every version of Claude', () => {
  it('gets a space in front where the version would run it as a command, and the turn tells so', async ({
    stage,
  }) => {
    for (const version of ['2.1.159', '2.1.286', '2.1.299']) {
      const events = await run(stage, 'claude', version, { prompt: '/clear' });
      expect(messageOf(stage)).toBe(' /clear');
      expect(noticesIn(events)).toContain(
        `A space was put in front of the prompt: Claude Code ${version} would run it as a command.`,
      );
    }
  });

  it('arrives as it was typed where the version knows how', async ({ stage }) => {
    for (const version of ['2.1.300', '2.1.325', '999.0.0']) {
      const events = await run(stage, 'claude', version, { prompt: '/clear' });
      expect(messageOf(stage)).toBe('/clear');
      expect(noticesIn(events).join()).not.toContain('A space');
    }
  });

  it('is decided by what the CLI says of its version where the files around it tell nothing', async ({
    stage,
  }) => {
    const said = 'echo "2.1.286 (Claude Code)"; exit';
    await run(stage, 'claude', 'none', { prompt: '/clear' }, undefined, said);
    expect(messageOf(stage)).toBe(' /clear');
    const silent = await run(stage, 'claude', 'none', { prompt: '/clear' }, undefined, 'exit 1');
    expect(messageOf(stage)).toBe(' /clear');
    expect(noticesIn(silent)).toEqual([
      'A space was put in front of the prompt: an old Claude Code would run it as a command.',
    ]);
  });

  it('is decided anew in each turn behind a wrapper, whose CLI may be another one by then', async ({
    stage,
  }) => {
    const said = `cat '${stage.path('current')}'; exit`;
    const config = install(stage, 'claude', 'none', said).of();
    const backend = createBackend('claude', config);
    for (const [version, message] of [
      ['2.1.325', '/clear'],
      ['2.1.286', ' /clear'],
      ['2.1.325', '/clear'],
    ] as const) {
      stage.write('current', `${version} (Claude Code)\n`);
      await collect(backend.run({ prompt: '/clear' }));
      expect(messageOf(stage)).toBe(message);
    }
  });

  it('is sent within the time of the turn where the CLI does not say its version', async ({ stage }) => {
    const config = { ...install(stage, 'claude', 'none', 'exec sleep 60').of(), queryTimeoutMs: 4000 };
    const events = await collect(createBackend('claude', config).run({ prompt: '/clear' }));
    expect(events.at(-1)?.type).toBe('complete');
    expect(messageOf(stage)).toBe(' /clear');
  });

  it('has no more time than the turn where the CLI hangs after it hung at its version', async ({ stage }) => {
    const hung = install(stage, 'claude', 'none', 'exec sleep 60', 'exec sleep 60').of();
    const began = performance.now();
    const events = await collect(
      createBackend('claude', { ...hung, queryTimeoutMs: 3000 }).run({ prompt: '/clear' }),
    );
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'timeout' });
    // Two times of a turn would be six seconds.
    expect(performance.now() - began).toBeLessThan(5900);
  });

  it('is not sent when the turn is stopped while the CLI is asked', async ({ stage }) => {
    const config = install(stage, 'claude', 'none', 'exec sleep 60').of();
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    const began = performance.now();
    const run = createBackend('claude', config).run({ prompt: '/clear' }, { signal: stop.signal });
    expect((await collect(run)).at(-1)).toMatchObject({ type: 'error', code: 'interrupted' });
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it('no other prompt makes Turnout ask for the version', async ({ stage }) => {
    await run(stage, 'claude', 'none', { prompt: 'hello' }, undefined, 'touch "$0.asked"; exit');
    expect(existsSync(`${stage.path('none/claude/cli')}.asked`)).toBe(false);
  });
});

describe('what else depends on the version', () => {
  it.for([
    ['2.1.276', 0.25],
    ['2.1.277', 0.05],
  ] as const)('claude %s: the cost of a resumed turn', async ([version, expected], { stage }) => {
    const config = install(stage, 'claude', version);
    const backend = createBackend('claude', config.of(result('s', 0.2)));
    await collect(backend.run({ prompt: 'hello' }));
    writeFileSync(config.stdout, result('s', 0.25));
    const events = await collect(backend.run({ prompt: 'hello', sessionId: 's' }));
    const usage = events.find((event) => event.type === 'usage');
    expect(usage?.costUsd).toBeCloseTo(expected, 6);
  });

  it('claude, not known: a total below the one before is the cost of the turn', async ({ stage }) => {
    const config = install(stage, 'claude', 'none');
    const backend = createBackend('claude', config.of(result('s', 0.2)));
    await collect(backend.run({ prompt: 'hello' }));
    writeFileSync(config.stdout, result('s', 0.1));
    const events = await collect(backend.run({ prompt: 'hello', sessionId: 's' }));
    expect(events.find((event) => event.type === 'usage')).toMatchObject({ costUsd: 0.1 });
  });

  it('gemini: a version newer than the list of its commands may have any', async ({ stage }) => {
    await run(stage, 'gemini', '0.61.0', { prompt: '/no-such-command now' });
    expect(stdinOf(stage)).toBe('/no-such-command now');
    const events = await run(stage, 'gemini', '999.0.0', { prompt: '/no-such-command now' });
    expect(stdinOf(stage)).toBe(' /no-such-command now');
    expect(noticesIn(events).join()).toContain('A space was put in front of the prompt: Gemini');
  });

  it('gemini: commands in a work tree of AGENT_USER are not looked at: any may be there (27.11)', () => {
    const typed = { prompt: '/no-such-command now' };
    expect(withoutCommand(typed.prompt, ['/nonexistent'], '0.61.0')).toMatchObject(typed);
    expect(withoutCommand(typed.prompt, 'unseen', '0.61.0')).toMatchObject({ prompt: ` ${typed.prompt}` });
    expect(withoutCommand('no command', 'unseen', '0.61.0')).toMatchObject({ prompt: 'no command' });
  });

  it('opencode: the flag that allows everything has another name before 1.18', async ({ stage }) => {
    await run(stage, 'opencode', '1.17.11', { prompt: 'hello' });
    expect(argvOf(stage)).toContain('--dangerously-skip-permissions');
    await run(stage, 'opencode', '1.18.4', { prompt: 'hello' });
    expect(argvOf(stage)).toContain('--auto');
  });

  it('opencode, not known: the list of flags that it prints tells, and the turn is run with the other one', async ({
    stage,
  }) => {
    const help = 'echo "  --dangerously-skip-permissions  auto-approve" >&2; exit 1';
    const script = `for word; do [ "$word" = --auto ] && { ${help}; }; done; true || exit`;
    const events = await run(stage, 'opencode', 'none', { prompt: 'hello' }, undefined, undefined, script);
    expect(events.at(-1)?.type).toBe('complete');
    expect(argvOf(stage)).toContain('--dangerously-skip-permissions');
  });

  it('opencode before 1.17 does not print its answer: a turn is run in a live process of its own', async ({
    stage,
  }) => {
    const config = install(stage, 'opencode', '1.15.5').of();
    const [notice, error] = await collect(createBackend('opencode', config).run({ prompt: 'hello' }));
    expect(notice).toMatchObject({
      type: 'notice',
      message: expect.stringContaining('OpenCode 1.15.5 is older'),
    });
    // The fixture is no server, and ends at once.
    expect(error).toMatchObject({ type: 'error', code: 'crashed' });
    expect(argvOf(stage)[0]).toBe('serve');
  });

  it('opencode before 1.17 takes no raw arguments', async ({ stage }) => {
    const events = await run(stage, 'opencode', '1.15.5', { prompt: 'hello', rawArgs: ['--share'] });
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      code: 'unsupported',
      message: expect.stringMatching(new RegExp(`npm install -g opencode-ai@${pinnedVersion('opencode')}\``)),
    });
    expect(existsSync(stage.path('received.argv'))).toBe(false);
  });
});

describe('tools of a live Gemini, by name and command', () => {
  const title = 'touch x [current working directory /a] [current working directory /work] (Why)';
  it.for([
    // 0.35.3 and 0.45.2
    [
      { toolCallId: 'call_1', kind: 'execute', title },
      'run_shell_command',
      'touch x [current working directory /a]',
    ],
    [
      { toolCallId: 'run_shell_command__call_1', kind: 'execute', title: 'touch x' },
      'run_shell_command',
      'touch x',
    ],
    [
      { toolCallId: 'call_1', kind: 'edit', content: [{ type: 'diff', _meta: { kind: 'add' } }] },
      'write_file',
      '',
    ],
    [{ toolCallId: 'call_1', kind: 'edit', content: [{ type: 'diff' }] }, 'replace', ''],
    [{ toolCallId: 'call_1', kind: 'fetch' }, 'fetch', ''],
  ] as const)('%j', ([call, name, command]) => {
    expect(toolNameOf(call)).toBe(name);
    expect(commandOf(call)).toBe(command);
  });
});

describe('a live session', () => {
  it.for([
    ['2.1.252', '1'],
    ['2.1.286', undefined],
    [undefined, undefined],
  ] as const)(
    'of Claude %s: background tasks are off where no result names its messages',
    ([version, off]) => {
      const name = 'CLAUDE_CODE_DISABLE_BACKGROUND_TASKS';
      expect(liveEnvironment(version, {})).toEqual(off === undefined ? {} : { [name]: off });
      expect(liveEnvironment('2.1.252', { [name]: '0' })).toEqual({ [name]: '0' });
    },
  );

  it('tells of an unvetted version once in each turn, and keeps a slash prompt a prompt', async ({
    stage,
  }) => {
    const sessions = new Sessions();
    try {
      const env = { OLD_CLAUDE: '2.1.198' };
      const config = stage.configFor(
        packaged(stage, 'claude', '2.1.198', `exec ${programPath('old-claude.mjs')}`),
        env,
      );
      const session = await sessions.open({ backend: 'claude', config });
      const old = expect.stringContaining('Claude 2.1.198 is older than the vetted');
      const first = await collect(session.send('hello'));
      expect(noticesIn(first)).toEqual([old]);
      const second = await collect(session.send('/clear'));
      expect(noticesIn(second)).toEqual([old, expect.stringContaining('A space was put in front')]);
      expect(second.at(-1)).toMatchObject({ type: 'complete', text: 'got " /clear"' });
      await session.close();
      // The process is taken over, and its cost runs on: the new session has cost one turn.
      const next = await sessions.open({ backend: 'claude', config });
      const events = await collect(next.send('a new session'));
      expect(sessions.processes).toBe(1);
      expect(events.find((event) => event.type === 'usage')).toMatchObject({ costUsd: 0.25 });
    } finally {
      await sessions.close();
    }
  });

  it('with a version that shows only in its first turn, tells of it in the next', async ({ stage }) => {
    const sessions = new Sessions();
    try {
      const config = stage.configFor(programPath('old-claude.mjs'), { OLD_CLAUDE: '2.1.287' });
      const session = await sessions.open({ backend: 'claude', config });
      expect(noticesIn(await collect(session.send('/clear')))).toEqual([expect.stringContaining('A space')]);
      expect(noticesIn(await collect(session.send('hello')))).toEqual([
        expect.stringContaining('Claude 2.1.287 is older'),
      ]);
    } finally {
      await sessions.close();
    }
  });
});

/** A CLI in its npm package (`none`: in no package), that answers as it was recorded and writes down what it got. */
function install(stage: Stage, vendor: Vendor, version: string, whenAsked = 'exit 1', before = '') {
  const program = packaged(
    stage,
    vendor,
    version,
    `[ "$1" = --version ] && { ${whenAsked}; }\n${before}\nexec ${programPath('receive.sh')} "$@"`,
  );
  const stdout = stage.path('stdout');
  return {
    stdout,
    of: (answer = stdoutOf(readRecording(vendor, 'answer'))) =>
      stage.configFor(program, { ...stage.replay(answer), RECEIVE_INTO: stage.path('received') }),
  };
}

function packaged(stage: Stage, vendor: Vendor, version: string, script: string): string {
  const directory = stage.path(`${version}/${vendor}`);
  mkdirSync(directory, { recursive: true });
  const manifest = { name: version === 'none' ? 'a-wrapper' : packages[vendor], version };
  writeFileSync(`${directory}/package.json`, JSON.stringify(manifest));
  writeFileSync(`${directory}/cli`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${directory}/cli`;
}

async function run(
  stage: Stage,
  vendor: Vendor,
  version: string,
  request: RunRequest,
  answer?: string,
  whenAsked?: string,
  before?: string,
): Promise<readonly ChatEvent[]> {
  const config = install(stage, vendor, version, whenAsked, before).of(answer);
  return collect(createBackend(vendor, config).run(request));
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<readonly ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function noticesIn(events: readonly ChatEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
}

function result(sessionId: string, cost: number): string {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return `${JSON.stringify({ type: 'result', subtype: 'success', session_id: sessionId, result: 'Hello.', total_cost_usd: cost, usage })}\n`;
}

function stdinOf(stage: Stage): string {
  return readFileSync(stage.path('received.stdin'), 'utf8');
}

function messageOf(stage: Stage): string {
  const { message, text_not_typed: mark } = JSON.parse(stdinOf(stage));
  expect(mark).toBe(true);
  return message.content;
}

function argvOf(stage: Stage): readonly string[] {
  return readFileSync(stage.path('received.argv'), 'utf8').split('\0');
}
