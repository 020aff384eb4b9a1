import { existsSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { ChatEvent, CompleteEvent } from '../../../src/core/chat-event.js';
import { createRunner } from '../../../src/runner/create-runner.js';
import type { OnceResult, RunnerOptions, StreamingCallbacks } from '../../../src/runner/types.js';
import { readRecording, stdoutOf } from '../../contract/recordings.js';
import { it, type Stage } from '../../contract/stage.js';

const vendors = ['claude', 'codex', 'gemini', 'opencode'] as const;

function endOf({ structured = [] }: OnceResult): CompleteEvent {
  const end = structured.at(-1);
  if (end?.type !== 'complete') throw new Error(`The turn ended with ${JSON.stringify(end)}`);
  return end;
}

describe('runOnce', () => {
  it.for(vendors)('gives the answer of %s, with its session and usage (O1)', async (vendor, { stage }) => {
    const env = stage.replay(stdoutOf(readRecording(vendor, 'answer')));
    const runner = createRunner(`${vendor}-CLI`, stage.config('replay.sh', env));
    const { exitCode, output, structured } = await runner.runOnce({ prompt: 'hi' });
    expect({ exitCode, name: runner.name }).toEqual({ exitCode: 0, name: vendor });
    expect(output).not.toBe('');
    expect(structured).toEqual([
      expect.objectContaining({ type: 'session', backend: vendor }),
      expect.objectContaining({ type: 'usage', outputTokens: expect.any(Number) }),
      expect.objectContaining({ type: 'complete', stopReason: 'end_turn', text: output }),
    ]);
  });

  it.for(vendors)('returns a failure with the exit code of %s itself (O1)', async (vendor, { stage }) => {
    const env = stage.replay('', { exit: 7, stderr: 'no' });
    const runner = createRunner(vendor, stage.config('replay.sh', env));
    const { exitCode, output, structured } = await runner.runOnce({ prompt: 'hi' });
    expect(exitCode).toBe(7);
    expect(output).toContain('no');
    expect(structured?.at(-1)).toMatchObject({ type: 'error', code: 'crashed' });
  });

  it('counts as a shell where a signal ends the CLI, and has 1 for a failure with exit 0 (O1)', async ({
    stage,
  }) => {
    const killed = createRunner('claude', stage.configFor(stage.program('killed', 'kill -9 $$')));
    expect(await killed.runOnce({ prompt: 'hi' })).toMatchObject({ exitCode: 137 });
    const silent = createRunner('claude', stage.configFor(stage.program('silent', 'exit 0')));
    expect(await silent.runOnce({ prompt: 'hi' })).toMatchObject({ exitCode: 1 });
  });

  it('gives 3 for a CLI that is not there, 124 when the time is up, 130 when it is interrupted', async ({
    stage,
  }) => {
    const missing = createRunner('codex', stage.configFor(stage.path('nothing')));
    expect(await missing.runOnce({ prompt: 'hi' })).toMatchObject({ exitCode: 3 });
    const slow = createRunner('claude', stage.configFor(stage.program('slow', 'cat > /dev/null; sleep 30')));
    expect(await slow.runOnce({ prompt: 'hi', timeoutMs: 50 })).toMatchObject({ exitCode: 124 });
    const signal = AbortSignal.timeout(50);
    expect(await slow.runOnce({ prompt: 'hi', signal })).toMatchObject({ exitCode: 124 });
    expect(await slow.runOnce({ prompt: 'hi', signal })).toMatchObject({ exitCode: 124 });
    expect(await slow.runOnce({ prompt: 'hi', signal: AbortSignal.abort() })).toMatchObject({
      exitCode: 130,
    });
  });

  it('starts the CLI with the variables, the directory and the arguments of the turn (O3)', async ({
    stage,
  }) => {
    const program = stage.program(
      'echoing',
      `cat > /dev/null; printf '%s ' "$PWD" "$ADDED" "$@" > ${stage.path('seen')}`,
    );
    const runner = createRunner('claude', stage.configFor(program));
    await runner.runOnce({
      prompt: 'hi',
      cwd: stage.directory,
      env: { ADDED: 'added' },
      model: 'a-model',
      providerOptions: { claude: { 'add-dir': ['/a', '-b'], bare: true, ide: false }, codex: { oss: true } },
      rawArgs: ['--raw', 'x'],
    });
    const seen = readFileSync(stage.path('seen'), 'utf8');
    expect(seen).toMatch(new RegExp(`^${stage.directory} added -p `));
    expect(seen).toContain('--model a-model ');
    expect(seen).toMatch(/--add-dir=\/a --add-dir=-b --bare --raw x $/);
  });

  it.for<[RunnerOptions, string]>([
    [{ prompt: 'hi', mode: 'interactive' }, 'mode "interactive"'],
    [{}, 'prompt is missing'],
    [{ prompt: '' }, 'prompt is empty'],
  ])('refuses %j before anything starts', async ([options, words], { stage }) => {
    const runner = createRunner(
      'claude',
      stage.configFor(stage.program('never', `touch ${stage.path('ran')}`)),
    );
    await expect(runner.runOnce(options)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(words),
    });
    expect(existsSync(stage.path('ran'))).toBe(false);
  });

  it('ignores defaults that the backend can’t honour, by name (R7.3)', async ({ stage }) => {
    const env = stage.replay(stdoutOf(readRecording('codex', 'answer')));
    const config = { ...stage.config('replay.sh', env), allowedTools: ['Read'], maxTurns: 3 };
    const { structured } = await createRunner('codex', config).runOnce({ prompt: 'hi' });
    expect(structured?.slice(0, 2)).toEqual([
      {
        type: 'notice',
        level: 'warning',
        message: expect.stringMatching(/^maxTurns .* not supported by codex/),
      },
      {
        type: 'notice',
        level: 'warning',
        message: expect.stringMatching(/^allowedTools .* not supported by codex/),
      },
    ]);
  });

  it('knows what a session cost before, in each runner', async ({ stage }) => {
    const lines = stdoutOf(readRecording('claude', 'answer'));
    const runner = createRunner('claude', stage.config('replay.sh', stage.replay(lines)));
    const first = await runner.runOnce({ prompt: 'hi' });
    const again = await runner.runOnce({ prompt: 'hi', sessionId: endOf(first).sessionId });
    // The recording says the same total twice: the second turn has added nothing to it.
    expect(endOf(first).usage?.costUsd).toBeGreaterThan(0);
    expect(endOf(again).usage?.costUsd ?? 0).toBe(0);
  });
});

describe('runInteractive', () => {
  it('refuses what has no terminal UI, and a mode that is not its own, by name (O1)', async ({ stage }) => {
    const sdk = createRunner('codex-sdk', stage.configFor('codex'));
    await expect(sdk.runInteractive({})).rejects.toMatchObject({ code: 'unsupported' });
    const claude = createRunner('claude', stage.configFor('claude'));
    await expect(claude.runInteractive({ mode: 'print' })).rejects.toThrow('"print"');
  });
});

describe('runStreaming', () => {
  const assistant = (...content: object[]) => ({ type: 'assistant', session_id: 's', message: { content } });
  const result = (more: object = {}) => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'all',
    session_id: 's',
    ...more,
  });
  const text = (words: string) => ({ type: 'text', text: words });
  const tool = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'echo ORCHESTRA_COMPLETE' } };
  const toolResult = (content: string) => ({
    type: 'user',
    session_id: 's',
    message: { content: [{ type: 'tool_result', tool_use_id: 't1', content }] },
  });

  async function stream(
    stage: Stage,
    lines: readonly object[],
    more: object = {},
    callbacks?: StreamingCallbacks,
  ) {
    const stdout = lines.map((line) => JSON.stringify(line)).join('\n');
    const runner = createRunner('claude', stage.config('replay.sh', stage.replay(stdout)));
    return runner.runStreaming({ prompt: 'Say ORCHESTRA_COMPLETE\nORCHESTRA_COMPLETE', ...more }, callbacks);
  }

  it.for<[string, readonly object[], object, boolean]>([
    ['a line of its own', [assistant(text('Done.\nORCHESTRA_COMPLETE')), result()], {}, true],
    ['a sentence', [assistant(text('I print ORCHESTRA_COMPLETE when done')), result()], {}, false],
    [
      'thinking',
      [assistant({ type: 'thinking', thinking: '\nORCHESTRA_COMPLETE\n' }, text('ok')), result()],
      {},
      false,
    ],
    [
      'a tool',
      [assistant(tool), toolResult('x\nORCHESTRA_COMPLETE\n'), assistant(text('ok')), result()],
      {},
      false,
    ],
    [
      'a message behind a tool',
      [assistant(text('I look.'), tool), toolResult('x'), assistant(text('ORCHESTRA_COMPLETE')), result()],
      {},
      true,
    ],
    ['another nonce', [assistant(text('ORCHESTRA_COMPLETE:two')), result()], { markerNonce: 'one' }, false],
    ['the nonce', [assistant(text('ORCHESTRA_COMPLETE:one')), result()], { markerNonce: 'one' }, true],
    [
      'no nonce where one is wanted',
      [assistant(text('ORCHESTRA_COMPLETE')), result()],
      { markerNonce: 'one' },
      false,
    ],
  ])('looks for the marker in what the agent says: %s (O7)', async ([, lines, more, found], { stage }) => {
    expect(await stream(stage, lines, more)).toMatchObject({ exitCode: 0, markerDetected: found });
  });

  it('keeps the failure of a turn that has said the marker (O7)', async ({ stage }) => {
    const lines = [
      assistant(text('ORCHESTRA_COMPLETE')),
      result({ is_error: true, result: 'API Error: 500' }),
    ];
    expect(await stream(stage, lines)).toMatchObject({
      exitCode: 1,
      markerDetected: true,
      structured: [{ type: 'session' }, { type: 'error', message: expect.stringContaining('500') }],
    });
  });

  it('ends a line with each message of a CLI that tells whole ones (O7)', async ({ stage }) => {
    const message = (words: string, id: string) => ({
      type: 'item.completed',
      item: { id, type: 'agent_message', text: words },
    });
    const lines = [
      { type: 'thread.started', thread_id: 'x' },
      message('I am done.', '1'),
      message('ORCHESTRA_COMPLETE', '2'),
      message('Good bye.', '3'),
      { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
    ];
    const env = stage.replay(lines.map((line) => JSON.stringify(line)).join('\n'));
    const runner = createRunner('codex', stage.config('replay.sh', env));
    expect(await runner.runStreaming({ prompt: 'hi' })).toMatchObject({ markerDetected: true });
  });

  it('tells every event, and awaits callbacks one after the other (O1)', async ({ stage }) => {
    const seen: string[] = [];
    const callbacks = {
      onEvent: async (event: ChatEvent) => {
        seen.push(`${event.type} begins`);
        await new Promise((resolve) => setTimeout(resolve, 2));
        seen.push(`${event.type} ends`);
      },
      onText: (words: string) => void seen.push(`text ${words}`),
    };
    await stream(stage, [assistant(text('one')), result({ result: 'one' })], {}, callbacks);
    const told = seen.filter((entry) => /text|complete/.test(entry));
    expect(told).toEqual(['text begins', 'text ends', 'text one', 'complete begins', 'complete ends']);
  });

  it.for([
    [
      'throws',
      () => {
        throw new Error('mine');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('mine');
      },
    ],
  ] as const)('goes on if a callback %s, and warns once (R1.2)', async ([, onText], { stage }) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    let calls = 0;
    const callbacks = {
      onText: () => {
        calls++;
        return onText();
      },
    };
    const lines = [assistant(text('one')), assistant(text('two')), result()];
    expect(await stream(stage, lines, {}, callbacks)).toMatchObject({ exitCode: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(calls).toBe(2);
    expect(warnings).toMatchObject([
      { code: 'TURNOUT_ON_STREAM', message: expect.stringContaining('onText failed') },
    ]);
  });

  it('does not wait for a callback that never settles, once the turn is interrupted', async ({ stage }) => {
    const stop = new AbortController();
    const callbacks = {
      onText: () => {
        stop.abort();
        return new Promise<void>(() => {});
      },
    };
    const lines = [assistant(text('one')), assistant(text('two')), result()];
    const { exitCode } = await stream(stage, lines, { signal: stop.signal }, callbacks);
    expect([0, 130]).toContain(exitCode);
  });
});
