import { describe, expect } from 'vitest';
import { createBackend, type VendorName, vendorNames } from '../../../src/backends/registry.js';
import type { RunRequest, SpawnedCommand } from '../../../src/backends/types.js';
import { TurnoutError } from '../../../src/core/errors.js';
import { type OptionName, optionNames } from '../../../src/runner/option-names.js';
import { modeSupport, supportTable } from '../../../src/runner/option-table.js';
import { openSession } from '../../../src/sessions/sessions.js';
import { it, type Stage } from '../../contract/stage.js';

/** A request for one option alone. */
function requestFor(option: OptionName, stage: Stage): Partial<RunRequest> {
  const file = stage.write('file.json', '{"mcpServers": {"one": {"command": "one"}}}');
  const requests: Record<OptionName, Partial<RunRequest>> = {
    systemPrompt: { systemPrompt: 'Be brief.' },
    model: { model: 'a-model' },
    maxTurns: { maxTurns: 3 },
    'tools.allowed': { allowedTools: ['Read'] },
    'tools.disallowed': { disallowedTools: ['Read'] },
    settings: { settings: file },
    mcpConfig: { mcpConfig: file },
    permissionMode: { permissionMode: 'plan' },
    thinking: { thinking: 'high' },
    sessionId: { sessionId: '6e0f7e3c-8f0b-4f1c-9d7e-0c1d2e3f4a5b' },
    continueLast: { continueLast: true },
    cwd: { cwd: stage.directory },
    env: { env: { ADDED: '1' } },
    providerOptions: { rawArgs: ['--some=thing'] },
    rawArgs: { rawArgs: ['--some=thing'] },
  };
  return requests[option];
}

const cells = vendorNames.flatMap((name) => optionNames.map((option) => [name, option] as const));

describe('the table of options', () => {
  it.for(cells)('agrees with a one-shot turn of %s: %s (O4)', async ([name, option], { stage }) => {
    const support = (await modeSupport(name, 'one-shot')).of(option);
    const { command, code } = await turn(name, requestFor(option, stage), stage);
    if (support.type === 'refused') {
      expect(code).toBe('unsupported');
      expect(support.instead).not.toBe('');
      return;
    }
    expect(code).not.toBe('unsupported');
    // Without a session in the directory, nothing is started that could be looked at.
    if (option === 'continueLast') expect(code).toBe('session_not_found');
    // Such a turn runs in the CLI's live protocol, whose start is no one-shot command.
    else if (!support.how.includes('--acp'))
      expect(wordsOf(command)).toEqual(expect.stringMatching(oneOf(support.how, option, stage)));
  });

  it.for(cells)('agrees with a live session of %s: %s (O4)', async ([name, option], { stage }) => {
    const support = (await modeSupport(name, 'live')).of(option);
    const { env: _, ...request } = requestFor(option, stage);
    const config = stage.configFor(stage.path('no-such-program'));
    const failure = await openSession({ backend: name, config, ...request }).then(
      (session) => session.close(),
      (error: TurnoutError) => error.code,
    );
    if (support.type === 'refused') expect(failure).toBe('unsupported');
    else expect(failure).toBe(option === 'continueLast' ? 'session_not_found' : 'not_installed');
  });

  it('has a value’s own answer: a mode or a depth that a CLI does not have (O4)', async () => {
    const gemini = await modeSupport('gemini', 'one-shot');
    expect(gemini.of('permissionMode', 'ask')).toMatchObject({ type: 'refused' });
    expect(gemini.of('permissionMode', 'plan')).toMatchObject({ type: 'native' });
    const claude = await modeSupport('claude', 'one-shot');
    expect(claude.of('thinking', 'off')).toMatchObject({ type: 'refused', value: 'off' });
    expect(claude.of('thinking', 4000)).toMatchObject({ type: 'native' });
  });

  it('says which modes a runner does not have (O13)', async () => {
    expect(await supportTable('codex-sdk', 'interactive')).toBeUndefined();
    expect(await supportTable('codex-sdk', 'one-shot')).toMatchObject({ rawArgs: { type: 'refused' } });
    await expect(modeSupport('codex-sdk', 'interactive')).rejects.toMatchObject({ code: 'unsupported' });
  });
});

async function turn(
  name: VendorName,
  request: Partial<RunRequest>,
  stage: Stage,
): Promise<{ command: SpawnedCommand | undefined; code: string | undefined }> {
  let command: SpawnedCommand | undefined;
  let code: string | undefined;
  const backend = createBackend(name, stage.config('replay.sh', stage.replay('')));
  const events = backend.run({ prompt: 'hi', ...request }, { onSpawn: (spawned) => (command = spawned) });
  for await (const event of events) if (event.type === 'error') code = event.code;
  return { command, code };
}

function wordsOf(command: SpawnedCommand | undefined): string {
  if (command === undefined) throw new TurnoutError('unknown', 'Nothing was started.');
  const { cwd, args, env } = command;
  return [cwd, ...args, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)].join(' ');
}

/** Of the flags and fields that the table names for an option, one at least is in the command. */
function oneOf(how: string, option: OptionName, stage: Stage): RegExp {
  if (how === 'in front of the prompt') return /./;
  if (how === 'directory of the process') return new RegExp(`^${stage.directory} `);
  if (how === 'environment of the process') return /ADDED=1/;
  if (how === 'its own arguments') return /--some=thing/;
  const [, inConfig] = /^(\w+)(?: rules)? in OPENCODE_CONFIG_CONTENT$/.exec(how) ?? [];
  if (inConfig !== undefined) return new RegExp(`OPENCODE_CONFIG_CONTENT=.*"${inConfig}":`);
  const named = how.split(', ').filter((words) => /^(-|exec)/.test(words));
  expect(named, `${option}: ${how}`).not.toEqual([]);
  return new RegExp(named.map((words) => words.replace(/ (?=\w+$)/, ' (.* )?')).join('|'));
}
