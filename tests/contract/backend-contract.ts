import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { type AnyBackendName, createBackend } from '../../src/backends/registry.js';
import type {
  BackendAdapterConfig,
  EventBackend,
  ExecuteOptions,
  RunOptions,
  RunRequest,
  TraceEntry,
} from '../../src/backends/types.js';
import { type ChatEvent, type ErrorCode, errorEvent, isTerminal } from '../../src/core/chat-event.js';
import { patience } from '../machine-speed.js';
import { describeOnStream } from './on-stream-contract.js';
import type { CliReader, Received, ReceivedInput } from './prompt-channels.js';
import { type Recording, readRecording, readRecordings, sessionIdIn, stdoutOf } from './recordings.js';
import { it, programPath, type Stage } from './stage.js';

/** The expected outcome of one recording. */
export type Outcome =
  | { readonly answer: string; readonly said?: string; readonly sessionId?: 'none' }
  | { readonly error: string; readonly code: ErrorCode; readonly sessionId?: 'none' };

export interface BackendContract {
  readonly name: AnyBackendName;
  /** The vendor's name as R8.2 writes it. */
  readonly label: string;
  readonly install: string;
  /** How the CLI reads its prompt and its system prompt. */
  readonly reads: CliReader;
  /** One outcome for each recording; a recording that resumes an unknown session names it. */
  readonly outcomes: Readonly<Record<string, Outcome & { readonly resuming?: string }>>;
  /** True if the CLI has a format for streaming beside its plain one. */
  readonly streamsOnRequest: boolean;
  /**
   * True if an output that breaks off before the CLI's own end marker is a failure (false where versions lose
   * it).
   */
  readonly endIsRequired: boolean;
  /** The prompts that can't arrive as they were typed, with the smallest change that keeps them prompts. */
  readonly arrivesAs?: Readonly<Record<string, string>>;
  /** The options that this backend can't honour. */
  readonly unsupported: readonly (readonly [option: string, request: Partial<RunRequest>])[];
}

/** What a person is told to do: behind the words of the CLI, or in place of them. */
const advices: Readonly<Record<string, string>> = {
  auth: '\nSign in to ',
  session_not_found: 'The session to resume was not found.\n`turnout sessions` lists',
};

/** The contract of every backend, with real processes: R1, R8, and the rules that hold everywhere. */
export function describeBackendContract(contract: BackendContract): void {
  const { name, label, reads } = contract;
  const create = (config: BackendAdapterConfig): EventBackend => createBackend(name, config);
  const answer = () => stdoutOf(readRecording(name, 'answer'));
  /** The output stops in the middle of a turn. */
  const begun = () => `${readRecording(name, 'answer').stdout[0]}\n`;

  describe.concurrent(`the ${name} backend (R2.1, R3.1, R4.1, R5.1)`, () => {
    describe('name() and validate()', () => {
      it('knows its name (R1.3)', ({ stage }) => {
        expect(create(stage.config('replay.sh')).name()).toBe(name);
      });

      it('takes an executable by its path, by its path from the working directory, and by its name on PATH (R1.4)', async ({
        stage,
      }) => {
        const bin = join(stage.workingDir, 'bin');
        mkdirSync(bin);
        writeFileSync(join(bin, 'agent'), '#!/bin/sh\n', { mode: 0o755 });
        const onPath = { PATH: `/nowhere:${bin}` };
        expect(await create(stage.configFor(join(bin, 'agent'))).validate()).toBe(true);
        expect(await create(stage.configFor('bin/agent')).validate()).toBe(true);
        expect(await create(stage.configFor('agent', onPath)).validate()).toBe(true);
      });

      it('refuses what is missing, not executable, or a directory (R1.4)', async ({ stage }) => {
        const plain = stage.write('plain', '#!/bin/sh\n');
        for (const cliPath of [stage.path('missing'), 'no-such-program', plain, stage.directory, '']) {
          expect(await create(stage.configFor(cliPath)).validate(), cliPath).toBe(false);
        }
      });
    });

    describe('execute() (R1.1, R1.2, R8.1), with what the real CLI printed', () => {
      const recordings = readRecordings(name);

      it('has an expectation for every recording', () => {
        expect(recordings.map(({ scenario }) => scenario).sort()).toEqual(
          Object.keys(contract.outcomes).sort(),
        );
      });

      for (const recording of recordings) {
        it(`${recording.scenario}`, async ({ stage }) => {
          const outcome = contract.outcomes[recording.scenario];
          if (outcome === undefined) throw new Error('no outcome');
          const id = sessionIdIn(recording);
          const resuming = outcome.resuming ?? (recording.scenario.startsWith('resume') ? id : undefined);
          const backend = create(replayConfig(stage, recording));
          const events = await collect(backend.run(requestFor(recording, resuming)));
          const pieces: string[] = [];
          const onStream = recording.format === 'stream' ? (text: string) => pieces.push(text) : undefined;
          const result = await backend.execute('hi', 'be brief', resuming, onStream);

          const sessionId = outcome.sessionId === 'none' || id === undefined ? {} : { sessionId: id };
          if ('answer' in outcome) {
            expect(result).toEqual({ responseText: outcome.answer, isError: false, ...sessionId });
            if (onStream !== undefined) expect(pieces.join('')).toBe(outcome.said ?? outcome.answer);
            expect(said(events)).toBe(outcome.said ?? outcome.answer);
          } else {
            expect(result).toEqual({ responseText: outcome.error, isError: true, ...sessionId });
            const advice = advices[outcome.code];
            expect(events.at(-1)).toMatchObject({
              type: 'error',
              code: outcome.code,
              message: advice === undefined ? outcome.error.trimEnd() : expect.stringContaining(advice),
              ...(advice !== undefined || /\s$/.test(outcome.error) ? { detail: outcome.error } : {}),
            });
          }
          expect(events.filter(isTerminal)).toEqual(events.slice(-1));
        });
      }
    });

    describe('streaming (R8.4)', () => {
      it('hands over text while the CLI still works', async ({ stage }) => {
        const { stdout } = readRecording(name, 'tool');
        const cut = stdout.findIndex((line) => line.includes('Looking. ')) + 1;
        const go = stage.path('go');
        const backend = create(
          stage.config('pause.sh', {
            PAUSE_FIRST: stage.write('first', `${stdout.slice(0, cut).join('\n')}\n`),
            PAUSE_REST: stage.write('rest', `${stdout.slice(cut).join('\n')}\n`),
            PAUSE_UNTIL: go,
            PAUSE_PID: stage.path('pid'),
          }),
        );
        const pieces: string[] = [];
        // The program goes on only when the first piece has arrived.
        const result = await backend.execute('hi', '', undefined, (text) => {
          pieces.push(text);
          writeFileSync(go, '');
        });
        expect(result).toMatchObject({ responseText: 'The tool said it.', isError: false });
        expect(pieces[0]).toBe('Looking. ');
        expect(pieces.join('')).toBe('Looking. The tool said it.');
      });
    });

    describeOnStream(name);

    describe('failures', () => {
      const failed = { isError: true, responseText: 'Failed to parse CLI output' };

      it('garbage is exactly "Failed to parse CLI output" (R8.4)', async ({ stage }) => {
        for (const garbage of [
          '',
          '\n\n',
          'Hello!\nI am no JSON.\n',
          '{"type":"resu',
          '\u0000\u0001\ufffd',
          '[1, 2',
        ]) {
          const config = stage.config('replay.sh', stage.replay(garbage));
          expect(await create(config).execute('hi', ''), JSON.stringify(garbage)).toEqual(failed);
          expect(await create(config).execute('hi', '', undefined, () => {})).toEqual(failed);
        }
      });

      it('bytes that are no UTF-8 are garbage too', async ({ stage }) => {
        const env = stage.replay('');
        writeFileSync(stage.path('stdout'), Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a]));
        expect(await create(stage.config('replay.sh', env)).execute('hi', '')).toEqual(failed);
      });

      it('an output that breaks off', async ({ stage }) => {
        const lines = readRecording(name, 'answer').stdout.slice(0, -1);
        const result = await create(stage.config('replay.sh', stage.replay(`${lines.join('\n')}\n`))).execute(
          'hi',
          '',
          undefined,
          () => {},
        );
        expect(result).toMatchObject(
          contract.endIsRequired
            ? { isError: true, responseText: `${label} CLI ended before its turn was complete` }
            : { isError: false, responseText: 'Hello from the scripted model.' },
        );
      });

      it('a signal is named in place of the exit code (R8.2)', async ({ stage }) => {
        const config = stage.config('fail.sh', { FAIL_STDERR: '', FAIL_EXIT: '0', FAIL_SIGNAL: 'KILL' });
        const [event, ...more] = await collect(create(config).run({ prompt: 'hi' }));
        expect(more).toEqual([]);
        expect(event).toEqual({
          type: 'error',
          code: 'crashed',
          message: `${label} CLI error (signal SIGKILL): unknown error`,
          exitCode: 137,
          retryable: true,
        });
      });

      it('an exit code without a reason is a crash, also behind the first lines and with a stack trace', async ({
        stage,
      }) => {
        const trace = "agent.js:3\nthrow new TypeError('x is not a function')\n    at main (agent.js:3:7)\n";
        const begun = `${readRecording(name, 'answer').stdout[0]}\n`;
        for (const [stdout, stderr] of [
          ['', ''],
          ['', trace],
          [begun, ''],
        ] as const) {
          const config = stage.config('replay.sh', stage.replay(stdout, { exit: 1, stderr }));
          expect((await collect(create(config).run({ prompt: 'hi' }))).at(-1)).toEqual({
            type: 'error',
            code: 'crashed',
            // The message is without stderr's last line break, which R8.2's text keeps.
            message: `${label} CLI error (exit 1): ${stderr.trimEnd() || 'unknown error'}`,
            ...(stderr === '' ? {} : { detail: `${label} CLI error (exit 1): ${stderr}` }),
            exitCode: 1,
            retryable: true,
          });
        }
      });

      it('a good answer with a bad exit code is a failure', async ({ stage }) => {
        const config = stage.config('replay.sh', stage.replay(answer(), { exit: 3, stderr: 'boom' }));
        expect(await create(config).execute('hi', '', undefined, () => {})).toMatchObject({
          isError: true,
          responseText: `${label} CLI error (exit 3): boom`,
        });
      });

      it('a missing, non-executable or foreign binary is named with its path and the way to install it (O10)', async ({
        stage,
      }) => {
        const plain = stage.write('plain', 'not a program');
        for (const cliPath of [stage.path('missing'), 'no-such-program', plain, stage.directory]) {
          const [event, ...more] = await collect(create(stage.configFor(cliPath)).run({ prompt: 'hi' }));
          expect(more).toEqual([]);
          expect(event).toMatchObject({ type: 'error', code: 'not_installed', retryable: false });
          const message = event?.type === 'error' ? event.message : '';
          expect(message).toContain(cliPath);
          expect(message).toContain(contract.install);
          // The setting is AGENT_BACKEND's own: it does not help if a CLI is looked up by its name.
          const [right, wrong] = cliPath.includes('/')
            ? ['BACKEND_CLI_PATH', 'PATH.']
            : ['the PATH.', 'CLI_PATH'];
          expect(message).toContain(right);
          expect(message).not.toContain(wrong);
        }
      });

      it('a program whose interpreter is missing, and a working directory that is missing', async ({
        stage,
      }) => {
        const script = stage.path('script');
        writeFileSync(script, '#!/no/such/interpreter\n', { mode: 0o755 });
        const [broken] = await collect(create(stage.configFor(script)).run({ prompt: 'hi' }));
        expect(broken).toMatchObject({ type: 'error', code: 'not_installed' });
        expect(broken).toMatchObject({ message: expect.stringContaining('/no/such/interpreter') });

        const nowhere = { ...stage.configFor(programPath('replay.sh')), workingDir: stage.path('gone') };
        const [lost] = await collect(create(nowhere).run({ prompt: 'hi' }));
        expect(lost).toMatchObject({ type: 'error', code: 'bad_request' });
        expect(lost).toMatchObject({ message: expect.stringContaining(stage.path('gone')) });
      });

      it('every line and the end are told to whoever traces the run (S9)', async ({ stage }) => {
        const recording = readRecording(name, 'tool');
        const trace: TraceEntry[] = [];
        const backend = create(replayConfig(stage, recording));
        const events = await collect(
          backend.run({ prompt: '- hi' }, { trace: (entry) => trace.push(entry) }),
        );
        const lines = trace.flatMap((entry) => (entry.type === 'line' ? [entry] : []));
        const said = lines.filter(({ direction }) => direction === 'in');
        expect(said.map(({ line }) => line)).toEqual(recording.stdout);
        // A prompt that begins with a dash goes over stdin, where the CLI reads it.
        const told = lines.flatMap(({ direction, line }) => (direction === 'out' ? [line] : []));
        if (name === 'claude') expect(told).toEqual(['- hi']);
        expect(lines.flatMap((entry) => entry.events)).toEqual(events.slice(0, -1));
        expect(trace.at(-1)).toMatchObject({ type: 'exit', code: 0, signal: null });
      });

      it('5 MB of unknown lines and a line of 16 MB do no harm', async ({ stage }) => {
        const env = {
          ...stage.replay(answer()),
          FLOOD_LINES: '5000',
          FLOOD_LONG_LINE: String(16 * 1024 * 1024),
        };
        const result = await create(stage.config('flood.sh', env)).execute('hi', '', undefined, () => {});
        expect(result).toMatchObject({ isError: false, responseText: 'Hello from the scripted model.' });
      });

      it('a CLI that leaves without reading 5 MB of prompt tells why by itself', async ({ stage }) => {
        const config = stage.config('fail.sh', { FAIL_STDERR: 'not today', FAIL_EXIT: '7', FAIL_SIGNAL: '' });
        expect(await create(config).execute('x'.repeat(5_000_000), '')).toMatchObject({
          isError: true,
          responseText: `${label} CLI error (exit 7): not today`,
        });
      });
    });

    describe('another session than the one to resume (R10)', () => {
      const resuming = { prompt: 'delete everything', sessionId: '00000000-0000-4000-8000-00000000dead' };

      it('fails with session_not_found as soon as the CLI names it, and the CLI is ended', async ({
        stage,
      }) => {
        const recording = readRecording(name, 'answer');
        const first = recording.stdout.findIndex((line) => line.includes(sessionIdIn(recording) ?? '-')) + 1;
        const backend = create(
          stage.config('pause.sh', {
            PAUSE_FIRST: stage.write('first', `${recording.stdout.slice(0, first).join('\n')}\n`),
            PAUSE_REST: stage.write('rest', `${recording.stdout.slice(first).join('\n')}\n`),
            // It never appears: the program would wait for ever.
            PAUSE_UNTIL: stage.path('never'),
            PAUSE_PID: stage.path('pid'),
          }),
        );
        const events = await collect(backend.run(resuming));
        expect(events).toMatchObject([{ type: 'error', code: 'session_not_found', retryable: false }]);
        const { responseText, isError, sessionId } = await backend.execute(
          resuming.prompt,
          '',
          resuming.sessionId,
          () => {},
        );
        expect({ isError, sessionId }).toEqual({ isError: true, sessionId: undefined });
        expect(responseText).toContain(
          `${label} CLI error: session "${resuming.sessionId}" was not found (${label} began "${sessionIdIn(recording)}"`,
        );
        await stage.expectNothingLeft();
      });

      it('fails in every format, and names the tools that had begun by then', async ({ stage }) => {
        for (const scenario of ['tool', 'tool-plain']) {
          const recording = readRecordings(name).find((one) => one.scenario === scenario);
          if (recording === undefined) continue;
          const backend = create(replayConfig(stage, recording));
          const stream = recording.format === 'stream';
          const events = await collect(backend.run({ ...resuming, stream }));
          const types = events.map(({ type }) => type);
          expect(types, scenario).not.toContain('session');
          if (stream) expect(types).toContain('tool_start');
          expect(events.at(-1)).toMatchObject({ type: 'error', code: 'session_not_found' });
          expect(await backend.execute('hi', '', resuming.sessionId)).toMatchObject({ isError: true });
        }
      });
    });

    it.runIf(name === 'claude' || name === 'gemini')(
      'a session that is resumed by a title, or as the latest, has the id that the CLI answers with (R10)',
      async ({ stage }) => {
        const recording = readRecording(name, 'answer');
        const backend = create(replayConfig(stage, recording));
        for (const words of ['my long title', 'latest']) {
          expect(await backend.execute('hi', '', words, () => {})).toMatchObject({
            isError: false,
            sessionId: sessionIdIn(recording),
          });
        }
      },
    );

    describe('refused before anything is started', () => {
      async function refusal(stage: Stage, request: RunRequest): Promise<ChatEvent | undefined> {
        let spawned = 0;
        const backend = create(receiveConfig(stage, answer()));
        const events = await collect(backend.run(request, { onSpawn: () => spawned++ }));
        expect(events).toHaveLength(1);
        expect(spawned).toBe(0);
        expect(existsSync(stage.path('received'))).toBe(false);
        return events[0];
      }

      it('an empty prompt', async ({ stage }) => {
        expect(await refusal(stage, { prompt: '' })).toMatchObject({ type: 'error', code: 'bad_request' });
        expect(await create(stage.config('replay.sh')).execute('', 'system')).toMatchObject({
          isError: true,
        });
      });

      it('a session id that would be read as an option, or that is none (27.9)', async ({ stage }) => {
        for (const sessionId of ['-x', '--help', '', 'a\0b', '../../etc/passwd', 'a b\nc']) {
          expect(await refusal(stage, { prompt: 'hi', sessionId })).toMatchObject({ code: 'bad_request' });
        }
      });

      for (const [option, request] of contract.unsupported) {
        it(`${option} ${JSON.stringify(request)} (O4)`, async ({ stage }) => {
          const event = await refusal(stage, { prompt: 'hi', ...request });
          expect(event).toMatchObject({ type: 'error', code: 'unsupported', retryable: false });
          const message = event?.type === 'error' ? event.message : '';
          expect(message).toContain(option);
          expect(message).toContain(name);
        });
      }
    });

    describe('ended from outside', () => {
      it('a time-out ends it and all that it started (R8.3)', async ({ stage }) => {
        const pids = stage.path('pids');
        for (const queryTimeoutMs of [700, 4000, 20_000]) {
          // A complete turn would be an answer (below).
          const config = stage.config('stubborn.mjs', { ...stage.replay(begun()), STUBBORN_PIDS: pids });
          const result = await create({ ...config, queryTimeoutMs }).execute(
            'hi',
            'be brief',
            undefined,
            () => {},
          );
          expect(result).toEqual({ isError: true, responseText: 'Query timed out' });
          // On a busy machine the program had not begun: there was nothing to end, and it gets more time.
          if (existsSync(pids)) break;
        }
        expect(JSON.parse(readFileSync(pids, 'utf8'))).toHaveLength(3);
        await stage.expectNothingLeft();
      });

      it('the time is the CLI’s: a reader that takes longer gets the answer that came in time', async ({
        stage,
      }) => {
        let last: ChatEvent | undefined;
        for (const queryTimeoutMs of [1500, 6000]) {
          const config = { ...stage.config('replay.sh', stage.replay(answer())), queryTimeoutMs };
          let waited = false;
          for await (const event of create(config).run({ prompt: 'hi' })) {
            if (!waited) await new Promise((resolve) => setTimeout(resolve, queryTimeoutMs + 300));
            waited = true;
            last = event;
          }
          // On a busy machine the program is not over in time: it gets more of it.
          if (last?.type === 'complete') break;
        }
        expect(last).toMatchObject({ type: 'complete', text: 'Hello from the scripted model.' });
      });

      describe('a CLI that has said its last word and does not exit', () => {
        const hanging = 'trap "exit 3" TERM\ncat "$REPLAY_STDOUT"\nwhile :; do sleep 0.05; done';
        const ended = { type: 'notice', level: 'warning', message: expect.stringContaining('did not exit') };

        for (const [when, limits] of [
          ['after a grace', { exitGraceMs: 300 }],
          ['at the latest when the time of the turn is up', { queryTimeoutMs: 5000 }],
        ] as const) {
          it(`is ended ${when}, and its answer counts`, async ({ stage }) => {
            const config = stage.configFor(stage.program('agent', hanging), stage.replay(answer()));
            const events = await collect(create({ ...config, ...limits }).run({ prompt: 'hi' }));
            expect(events.at(-2)).toEqual(ended);
            expect(events.at(-1)).toMatchObject({
              type: 'complete',
              text: 'Hello from the scripted model.',
              sessionId: sessionIdIn(readRecording(name, 'answer')),
            });
            await stage.expectNothingLeft();
          });
        }

        it('has its grace from the last line on, and is not ended while it exits by itself', async ({
          stage,
        }) => {
          const slow = 'cat "$REPLAY_STDOUT"\nfor i in 1 2 3 4; do sleep 0.4; echo noise; done';
          const config = stage.configFor(stage.program('agent', slow), stage.replay(answer()));
          const events = await collect(create({ ...config, exitGraceMs: 1500 }).run({ prompt: 'hi' }));
          expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'Hello from the scripted model.' });
          expect(events).not.toContainEqual(ended);
        });
      });

      it('a consumer that leaves the loop ends it and all that it started', async ({ stage }) => {
        const pids = stage.path('pids');
        const config = stage.config('stubborn.mjs', { ...stage.replay(answer()), STUBBORN_PIDS: pids });
        for await (const event of create(config).run({ prompt: 'hi', systemPrompt: 'be brief' })) {
          expect(event.type).toBe('session');
          break;
        }
        expect(JSON.parse(readFileSync(pids, 'utf8'))).toHaveLength(3);
        await stage.expectNothingLeft();
      });

      it('a consumer that leaves while it waits for the next event ends it too', async ({ stage }) => {
        const silent = stage.program('agent', 'sleep 600');
        const run = create(stage.configFor(silent, {})).run({ prompt: 'hi', systemPrompt: 'be brief' });
        const events = run[Symbol.asyncIterator]();
        const pending = events.next();
        await vi.waitFor(() => expect(stage.processes()).not.toEqual([]), patience);
        await events.return?.();
        await pending;
        await stage.expectNothingLeft();
      });

      it('a consumer that throws ends it, and what it threw is not swallowed', async ({ stage }) => {
        const env = { RECEIVE_HOLD: '1', ...receiveEnv(stage, answer()) };
        const run = create(stage.config('receive.mjs', env)).run({ prompt: 'hi', systemPrompt: 'be brief' });
        const thrown = (async () => {
          for await (const _ of run) throw new Error('the consumer broke');
        })();
        await expect(thrown).rejects.toThrow('the consumer broke');
        await stage.expectNothingLeft();
      });

      it('a tool that it left running is gone before the turn is complete', async ({ stage }) => {
        const agent = stage.program('agent', 'sleep 600 > /dev/null 2>&1 &\ncat "$REPLAY_STDOUT"');
        const run = create(stage.configFor(agent, stage.replay(answer()))).run({ prompt: 'hi' });
        for await (const event of run) {
          if (event.type === 'complete') expect(stage.processes()).toEqual([]);
          expect(event.type).not.toBe('error');
        }
      });

      it('an abort ends it with the error code "interrupted"', async ({ stage }) => {
        const controller = new AbortController();
        const env = { RECEIVE_HOLD: '1', ...receiveEnv(stage, answer()) };
        const events: ChatEvent[] = [];
        const run = create(stage.config('receive.mjs', env)).run(
          { prompt: 'hi' },
          { signal: controller.signal },
        );
        for await (const event of run) {
          events.push(event);
          if (event.type === 'session') controller.abort();
        }
        expect(events.at(-1)).toMatchObject({ type: 'error', code: 'interrupted', retryable: false });
        expect(events.filter(isTerminal)).toHaveLength(1);
      });

      it('a signal whose time is up ends it as a time-out does: AbortSignal.timeout (R8.3)', async ({
        stage,
      }) => {
        const env = { RECEIVE_HOLD: '1', ...receiveEnv(stage, begun()) };
        const backend = create(stage.config('receive.mjs', env));
        const timedOut = { isError: true, responseText: 'Query timed out' };
        for (const signal of [
          AbortSignal.abort(new DOMException('late', 'TimeoutError')),
          AbortSignal.timeout(300),
        ]) {
          const events = await collect(backend.run({ prompt: 'hi' }, { signal }));
          expect(events.at(-1)).toEqual(errorEvent('timeout', 'Query timed out'));
          expect(events.filter(isTerminal)).toHaveLength(1);
          expect(await backend.execute('hi', '', undefined, undefined, { signal })).toEqual(timedOut);
        }
      });

      it('execute() ends with its signal, whether somebody listens or not (R1.1)', async ({ stage }) => {
        const env = { RECEIVE_HOLD: '1', ...receiveEnv(stage, begun()) };
        const backend = create(stage.config('receive.mjs', env));
        for (const onStream of [undefined, () => {}, () => new Promise<void>(() => {})]) {
          rmSync(stage.path('received'), { force: true });
          const stop = new AbortController();
          const ended = backend.execute('hi', '', undefined, onStream, { signal: stop.signal });
          await vi.waitFor(() => expect(existsSync(stage.path('received'))).toBe(true), patience);
          stop.abort();
          expect(await ended).toMatchObject({ isError: true, responseText: 'Interrupted' });
          await stage.expectNothingLeft();
        }
        const wrong = { signal: 'now' } as unknown as ExecuteOptions;
        await expect(backend.execute('hi', '', undefined, undefined, wrong)).rejects.toThrow(
          'signal can\'t be "now"',
        );
      });

      it('an abort before the start starts nothing', async ({ stage }) => {
        const config = receiveConfig(stage, answer());
        const options: RunOptions = { signal: AbortSignal.abort() };
        expect(await collect(create(config).run({ prompt: 'hi' }, options))).toMatchObject([
          { code: 'interrupted' },
        ]);
        expect(existsSync(stage.path('received'))).toBe(false);
      });
    });

    describe('what the CLI is given', () => {
      const prompts: Readonly<Record<string, string>> = {
        'a plain one': 'explain this repository',
        'an option': '--resume x',
        'a dash': '-',
        'two dashes': '--',
        'a short option': '-p',
        'a slash command': '/clear all of it',
        'an unknown slash command': '/no-such-command x',
        'a path': '/usr/bin/env',
        'the word resume': 'resume',
        'the word help': 'help',
        'the word mcp': 'mcp',
        'a number': '1e3',
        NUL: 'a\0b',
        'lines and blanks': '  first\r\n\tsecond\n\n',
        quotes: `it's "quoted" \\ $(echo no) \`no\` %s {x}`,
        'emoji and U+2028': '😀 👩‍👩‍👧 \u2028 é\u0301',
        '200 KB': 'long '.repeat(40_000),
      };

      for (const [what, prompt] of Object.entries(prompts)) {
        it(`the prompt as it was typed: ${what}`, async ({ stage }) => {
          const backend = create(stage.config('receive.sh', receiveEnv(stage, answer())));
          for (const onStream of [undefined, () => {}]) {
            expect(await backend.execute(prompt, '', undefined, onStream)).toMatchObject({ isError: false });
            expect(reads.prompt(receivedInput(stage))).toBe(contract.arrivesAs?.[prompt] ?? prompt);
          }
        });
      }

      it('the prompt as it was typed, in a resumed session too', async ({ stage }) => {
        const id = sessionIdIn(readRecording(name, 'answer'));
        const backend = create(stage.config('receive.sh', receiveEnv(stage, answer())));
        for (const prompt of ['resume', '--last', '-', 'hi']) {
          expect(await backend.execute(prompt, '', id)).toMatchObject({ isError: false });
          const input = receivedInput(stage);
          expect(input.argv).toContain(id);
          expect(reads.prompt(input)).toBe(prompt);
        }
      });

      it('no session to resume, if its id is empty (R1.1)', async ({ stage }) => {
        const backend = create(stage.config('receive.sh', receiveEnv(stage, answer())));
        await backend.execute('hi', '');
        const { argv } = receivedInput(stage);
        expect(await backend.execute('hi', '', '')).toMatchObject({ isError: false });
        expect(receivedInput(stage).argv.map(withoutScratch)).toEqual(argv.map(withoutScratch));
      });

      it('the order to stream, when somebody listens (R8.4)', async ({ stage }) => {
        const backend = create(stage.config('receive.sh', receiveEnv(stage, answer())));
        await backend.execute('hi', '');
        const plain = receivedInput(stage).argv;
        await backend.execute('hi', '', undefined, () => {});
        const streamed = receivedInput(stage).argv;
        expect(streamed.some((word) => !plain.includes(word) && !word.startsWith('/'))).toBe(
          contract.streamsOnRequest,
        );
      });

      it('the system prompt, appended', async ({ stage }) => {
        const systemPrompt = `You are "Ada".\n- it's ${'x'.repeat(1000)}\n`;
        const backend = create(receiveConfig(stage, answer()));
        await backend.execute('hi', systemPrompt);
        expect(reads.systemPrompt(received(stage))).toBe(systemPrompt);
      });

      it('the working directory, the inherited environment, and the additions of the request', async ({
        stage,
      }) => {
        const config = receiveConfig(stage, answer(), { FROM_OUTSIDE: 'yes' });
        await collect(create(config).run({ prompt: 'hi', env: { FROM_REQUEST: 'yes' } }));
        const { env, cwd } = received(stage);
        expect(cwd).toBe(stage.workingDir);
        expect(env).toMatchObject({ FROM_OUTSIDE: 'yes', FROM_REQUEST: 'yes', HOME: stage.home });
      });

      it("not the gateway's own secrets", async ({ stage }) => {
        const secrets = { DISCORD_BOT_TOKEN: 'a', HTTP_TOKEN: 'b', DATABASE_URL: 'c' };
        await create(receiveConfig(stage, answer(), { ...secrets, OTHER_TOKEN: 'stays' })).execute('hi', '');
        const { env } = received(stage);
        expect(Object.keys(env)).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/DISCORD|HTTP_|DATABASE/)]),
        );
        expect(env['OTHER_TOKEN']).toBe('stays');
      });

      it('temporary files for its owner only, which are gone after success, failure and a time-out', async ({
        stage,
      }) => {
        const endings: readonly (readonly [env: Record<string, string>, timeoutMs: number])[] = [
          [{}, 20_000],
          [{ REPLAY_EXIT: '3' }, 20_000],
          [{ RECEIVE_HOLD: '1' }, 700],
        ];
        for (const [env, queryTimeoutMs] of endings) {
          const config = { ...receiveConfig(stage, answer(), env), queryTimeoutMs };
          await create(config).execute('hi', 'a secret system prompt', undefined, () => {});
          if (existsSync(stage.path('received'))) {
            for (const file of received(stage).files.filter(({ path }) => path.startsWith(stage.home))) {
              expect(file.mode).toBe(0o600);
              expect(existsSync(file.path)).toBe(false);
            }
          }
          await stage.expectNothingLeft();
        }
      });
    });
  });
}

function requestFor(recording: Recording, sessionId: string | undefined): RunRequest {
  return { prompt: 'hi', systemPrompt: 'be brief', sessionId, stream: recording.format === 'stream' };
}

function replayConfig(stage: Stage, recording: Recording): BackendAdapterConfig {
  const { stderr, exit } = recording;
  return stage.config('replay.sh', stage.replay(stdoutOf(recording), { stderr, exit: exit.code ?? 0 }));
}

function receiveEnv(stage: Stage, answer: string): Record<string, string> {
  return { ...stage.replay(answer), RECEIVE_INTO: stage.path('received') };
}

function receiveConfig(stage: Stage, answer: string, env: Record<string, string> = {}): BackendAdapterConfig {
  return stage.config('receive.mjs', { ...receiveEnv(stage, answer), ...env });
}

function received(stage: Stage): Received {
  return JSON.parse(readFileSync(stage.path('received'), 'utf8'));
}

/** The name of a run's private directory is another one each time. */
function withoutScratch(word: string): string {
  return word.replace(/\/run-[^/]+/, '/run');
}

/** Reads the input that `receive.sh` wrote down. */
function receivedInput(stage: Stage): ReceivedInput {
  const argv = readFileSync(stage.path('received.argv'), 'utf8').split('\0').slice(0, -1);
  return { argv, stdin: readFileSync(stage.path('received.stdin'), 'utf8') };
}

export async function collect(events: AsyncIterable<ChatEvent>): Promise<readonly ChatEvent[]> {
  const collected: ChatEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

function said(events: readonly ChatEvent[]): string {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
}
