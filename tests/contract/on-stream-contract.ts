import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { type AnyBackendName, createBackend } from '../../src/backends/registry.js';
import type { StreamCallback } from '../../src/backends/types.js';
import { patience } from '../machine-speed.js';
import { readRecording, sessionIdIn, stdoutOf } from './recordings.js';
import { it, type Stage } from './stage.js';

/** The contract of `onStream`, with real processes: its promise is awaited, its failure is the caller's own. */
export function describeOnStream(name: AnyBackendName): void {
  const whole = {
    responseText: 'The tool said it.',
    isError: false,
    sessionId: sessionIdIn(readRecording(name, 'tool')),
  };
  const said = 'Looking. The tool said it.';

  const execute = (stage: Stage, onStream: StreamCallback) => {
    const env = stage.replay(stdoutOf(readRecording(name, 'tool')));
    return createBackend(name, stage.config('replay.sh', env)).execute('hi', '', undefined, onStream);
  };

  describe('onStream (R1.2)', () => {
    it('is called again only when the promise of its last call has settled, and execute waits for it', async ({
      stage,
    }) => {
      const pieces: string[] = [];
      let running = 0;
      let most = 0;
      const result = await execute(stage, async (text) => {
        running += 1;
        most = Math.max(most, running);
        // The first call takes longest: pieces that did not wait for it would overtake it.
        await wait(pieces.length === 0 ? 200 : 20);
        pieces.push(text);
        running -= 1;
      });
      expect(result).toEqual(whole);
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join('')).toBe(said);
      expect({ most, running }).toEqual({ most: 1, running: 0 });
    });

    it('slows a CLI that it is slower than, and gets all of it', async ({ stage }) => {
      const { stdout } = readRecording(name, 'tool');
      const cut = stdout.findIndex((line) => line.includes('Looking. ')) + 1;
      const written = stage.path('written');
      const flood = `yes ${'x'.repeat(1000)} | head -n 14000`;
      const agent = stage.program('agent', `cat "$FIRST"; ${flood}; : > "${written}"; cat "$REST"`);
      const env = {
        FIRST: stage.write('first', `${stdout.slice(0, cut).join('\n')}\n`),
        REST: stage.write('rest', `${stdout.slice(cut).join('\n')}\n`),
      };
      const pieces: string[] = [];
      let ranAhead: boolean | undefined;
      const backend = createBackend(name, stage.configFor(agent, env));
      const result = await backend.execute('hi', '', undefined, async (text) => {
        pieces.push(text);
        if (pieces.length > 1) return;
        await wait(1000);
        ranAhead = existsSync(written);
      });
      expect(result).toEqual(whole);
      // OpenCode writes into a file, which takes all, and from which we read as fast as the callback takes it.
      if (name !== 'opencode') expect(ranAhead).toBe(false);
      expect(pieces.join('')).toBe(said);
    });

    for (const [how, fail] of [
      [
        'throws',
        (error: Error) => {
          throw error;
        },
      ],
      ['rejects', (error: Error) => Promise.reject(error)],
    ] as const) {
      it(`that ${how} ends nothing: it gets every piece, the result is whole, and a warning tells of the first failure`, async ({
        stage,
      }) => {
        const failures: Error[] = [];
        const pieces: string[] = [];
        const warnings = warningsAbout(failures);
        const result = await execute(stage, (text) => {
          pieces.push(text);
          const error = new Error(`no room for piece ${pieces.length}`);
          failures.push(error);
          return fail(error);
        });
        expect(result).toEqual(whole);
        expect(pieces.join('')).toBe(said);
        await vi.waitFor(() => expect(warnings).toHaveLength(1), patience);
        expect(warnings[0]).toMatchObject({
          name: 'TurnoutWarning',
          code: 'TURNOUT_ON_STREAM',
          message: expect.stringContaining('no room for piece 1'),
        });
        expect(warnings[0]?.cause).toBe(failures[0]);
      });
    }

    it('that never settles is given up when the time of the turn is up: a CLI that works on is ended', async ({
      stage,
    }) => {
      const { stdout } = readRecording(name, 'tool');
      const cut = stdout.findIndex((line) => line.includes('Looking. ')) + 1;
      const env = {
        PAUSE_FIRST: stage.write('first', `${stdout.slice(0, cut).join('\n')}\n`),
        PAUSE_REST: stage.write('rest', ''),
        PAUSE_UNTIL: stage.path('never'),
        PAUSE_PID: stage.path('pid'),
      };
      const warnings = warningsAbout();
      let calls = 0;
      const config = { ...stage.config('pause.sh', env), queryTimeoutMs: 3000 };
      const result = await createBackend(name, config).execute('hi', '', undefined, () => {
        calls += 1;
        return new Promise(() => {});
      });
      expect(result).toEqual({ isError: true, responseText: 'Query timed out' });
      expect(calls).toBe(1);
      await stage.expectNothingLeft();
      await vi.waitFor(() => expect(warnings.length).toBeGreaterThan(0), patience);
    });

    it('that never settles does not cost the answer of a CLI that was in time', async ({ stage }) => {
      const env = stage.replay(stdoutOf(readRecording(name, 'tool')));
      let result: unknown;
      let calls = 0;
      // On a busy machine the program is not over in time: it gets more of it.
      for (const queryTimeoutMs of [1500, 6000, 15_000]) {
        calls = 0;
        const config = { ...stage.config('replay.sh', env), queryTimeoutMs };
        result = await createBackend(name, config).execute('hi', '', undefined, () => {
          calls += 1;
          return new Promise(() => {});
        });
        if (isDeepStrictEqual(result, whole)) break;
      }
      expect(result).toEqual(whole);
      expect(calls).toBe(1);
    });
  });
}

/** Collects the warnings of this process about `onStream`; with `causes`, only those about one of them. */
function warningsAbout(causes?: readonly unknown[]): Error[] {
  const seen: Error[] = [];
  const listen = (warning: Error) => {
    const isOurs = 'code' in warning && warning.code === 'TURNOUT_ON_STREAM';
    if (isOurs && (causes === undefined || causes.includes(warning.cause))) seen.push(warning);
  };
  process.on('warning', listen);
  onTestFinished(() => {
    process.off('warning', listen);
  });
  return seen;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
