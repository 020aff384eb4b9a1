import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { claudeAdvice } from '../../src/backends/claude/advice.js';
import { codexAdvice } from '../../src/backends/codex/advice.js';
import { geminiAdvice } from '../../src/backends/gemini/advice.js';
import { openCodeAdvice } from '../../src/backends/opencode/advice.js';
import type { Advice } from '../../src/backends/output/advice.js';
import { createBackend, type VendorName } from '../../src/backends/registry.js';
import type { ChatEvent, ErrorEvent, Usage } from '../../src/core/chat-event.js';
import { TurnoutError } from '../../src/core/errors.js';
import type { Script } from '../../src/lab/model/script.js';
import { type Lab, setUpLab } from './set-up-lab.js';

type Way = 'one-shot' | 'live';
const ways: readonly Way[] = ['one-shot', 'live'];

const badKey = { status: 401, message: 'Incorrect API key provided: sk-429' };
const oneTool = { steps: [{ shell: 'echo hi' }] };

interface Facts {
  readonly advice: Advice;
  /** The variable without which the CLI has no key at all. */
  readonly key?: string;
  /** The ways in which the tokens before a failure are told. */
  readonly tellsUsage: readonly Way[];
}

const facts: Readonly<Record<VendorName, Facts>> = {
  // Ended by Turnout in a one-shot run, it says nothing more.
  claude: { advice: claudeAdvice, key: 'ANTHROPIC_API_KEY', tellsUsage: ['live'] },
  codex: { advice: codexAdvice, key: 'OPENAI_API_KEY', tellsUsage: ['live'] },
  gemini: { advice: geminiAdvice, key: 'GEMINI_API_KEY', tellsUsage: ['one-shot'] },
  opencode: { advice: openCodeAdvice, tellsUsage: ways },
};

describe.each(Object.entries(facts) as [VendorName, Facts][])(
  'errors of the API, told by %s',
  (backend, known) => {
    const lab = setUpLab(backend);
    beforeAll(() => withOwnRetries(backend, lab));
    const run = (way: Way, script: Script, options: RunOptions = {}) =>
      runTurn(backend, lab, way, script, options);

    it.each(ways)('a rejected key ends in seconds, with words on how to sign in: %s', async (way) => {
      const { events, error } = await run(way, [badKey]);
      expect(error).toMatchObject({ code: 'auth', retryable: false });
      expect(error?.message).toContain(`\n${known.advice.signIn}`);
      expect(error?.detail).not.toContain(known.advice.signIn);
      // Claude retries ten times, over three minutes; OpenCode five times, because of the digits in the key.
      expect(lab.model.turns.length).toBeLessThanOrEqual(3);
      const retries = retriesIn(events);
      expect(retries).toHaveLength(backend === 'gemini' ? 0 : 3);
      for (const retry of retries) expect(retry).toMatchObject({ code: 'auth' });
    });

    it('a rejected key ends execute() as fast, without anybody who listens (R1.1)', async () => {
      lab.model.use([badKey]);
      lab.model.forget();
      const result = await createBackend(backend, lab.config).execute('go', '');
      expect(result).toMatchObject({
        isError: true,
        responseText: expect.stringMatching(/401|Incorrect API key/),
      });
      expect(lab.model.turns.length).toBeLessThanOrEqual(3);
    });

    it.each(ways)('tokens that were spent before a failure are told once, and not again: %s', async (way) => {
      const failed = await run(way, [oneTool, badKey]);
      expect(failed.error).toMatchObject({ code: 'auth' });
      expect(failed.usage).toEqual(known.tellsUsage.includes(way) ? tokens(1) : undefined);
      const next = await run(way, ['fine'], { resume: failed.sessionId });
      expect(next.events.at(-1)).toMatchObject({ type: 'complete', text: 'fine' });
      // Codex counts for the whole thread: one that failed in another process is not known.
      if (backend === 'codex' && way === 'one-shot') expect(next.usage).toBeUndefined();
      else expect(next.usage).toEqual(backend === 'gemini' && way === 'live' ? withoutThoughts : tokens(1));
    });

    if (known.key !== undefined) {
      const key = known.key;
      it.each(ways)('no key at all: %s', async (way) => {
        const { error } = await run(way, ['never asked'], { without: key });
        expect(error).toMatchObject({ code: 'auth' });
        expect(error?.message).toContain(known.advice.signIn);
        expect(lab.model.turns).toEqual([]);
      });
    }

    if (backend === 'claude') {
      it.each(ways)('a retry that comes after the turn’s end is not waited for: %s', async (way) => {
        const slow = { status: 429, message: 'slow down', headers: { 'retry-after': '30' } };
        const { events, error } = await run(way, [slow], { timeoutMs: 25_000 });
        expect(error).toMatchObject({ code: 'rate_limit', retryable: true, retryAfterMs: 30_000 });
        expect(retriesIn(events)).toMatchObject([{ attempt: 1, status: 429, delayMs: 30_000 }]);
      });
    }

    if (backend === 'codex') {
      it('tokens of a failed one-shot turn are told with the next turn of the thread', async () => {
        const codex = createBackend('codex', lab.config);
        const usageOf = async (script: Script, sessionId?: string) => {
          lab.model.use(script);
          const events: ChatEvent[] = [];
          for await (const event of codex.run({ prompt: 'Try.', sessionId })) events.push(event);
          return { usage: usageIn(events), sessionId: sessionIn(events) };
        };
        const { usage, sessionId } = await usageOf(['fine']);
        expect(usage).toEqual(tokens(1));
        expect((await usageOf([oneTool, badKey], sessionId)).usage).toBeUndefined();
        expect((await usageOf(['fine'], sessionId)).usage).toEqual(tokens(2));
        expect((await usageOf(['fine'], sessionId)).usage).toEqual(tokens(1));
      });

      it.each(ways)('a usage limit is told with its end: %s', async (way) => {
        const body = { error: { type: 'usage_limit_reached', message: 'used up', resets_in_seconds: 5400 } };
        const resets = { ...body.error, resets_at: Math.floor(Date.now() / 1000) + 5400 };
        const { error } = await run(way, [{ status: 429, body: JSON.stringify({ error: resets }) }]);
        expect(error).toMatchObject({ code: 'rate_limit', retryable: true });
        // Codex tells the minute.
        expect(error?.retryAfterMs).toBeGreaterThan(5400_000 - 90_000);
        expect(error?.retryAfterMs).toBeLessThanOrEqual(5400_000);
      });
    }

    if (backend === 'gemini') {
      it.each(ways)('a quota of a minute is told with the wait: %s', async (way) => {
        const quota = quotaFailure('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', '2s');
        const { events } = await run(way, [quota, 'fine']);
        expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'fine' });
        expect(retriesIn(events)).toMatchObject([{ attempt: 1, code: 'rate_limit' }]);
        expect(retriesIn(events)[0]?.delayMs).toBeGreaterThanOrEqual(2000);
      });

      it.each(ways)('a quota of a day is no use waiting for: %s', async (way) => {
        const { error } = await run(way, [quotaFailure('GenerateRequestsPerDayPerProject-FreeTier', '34s')]);
        expect(error).toMatchObject({ code: 'rate_limit', retryable: false });
        expect(error?.message).toContain('The quota of the day is used up');
      });
    }

    if (backend === 'opencode') {
      it.each(ways)('a bad request that it takes for a passing one ends in seconds: %s', async (way) => {
        const { events, error } = await run(way, [{ status: 400, message: 'Invalid value: 4500' }]);
        expect(error).toMatchObject({ code: 'bad_request', retryable: false });
        expect(retriesIn(events).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      });

      it.each(ways)(
        'a limit is told with each retry and, at last, with the time to wait: %s',
        async (way) => {
          const limit = { status: 429, message: 'rate limit', headers: { 'retry-after': '1' } };
          const { events, error } = await run(way, [limit]);
          expect(error).toMatchObject({ code: 'rate_limit', retryable: true, retryAfterMs: 1000 });
          expect(retriesIn(events).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
        },
      );
    }
  },
);

interface RunOptions {
  readonly resume?: string | undefined;
  readonly without?: string;
  readonly timeoutMs?: number;
}

async function runTurn(backend: VendorName, lab: Lab, way: Way, script: Script, options: RunOptions) {
  lab.model.use(script);
  lab.model.forget();
  const env: Record<string, string> = { ...lab.home.env };
  // The CLI retries as often as it does for everybody.
  for (const name of ['CLAUDE_CODE_MAX_RETRIES', options.without ?? '']) delete env[name];
  const config = { ...lab.config, env, queryTimeoutMs: options.timeoutMs ?? 60_000 };
  const events: ChatEvent[] = [];
  let error:
    | ErrorEvent
    | { code: string; message: string; detail?: string; retryAfterMs?: number }
    | undefined;
  try {
    const session = await lab.sessions.open({
      backend,
      config,
      live: way === 'live',
      sessionId: options.resume,
    });
    for await (const event of session.send('Try.')) events.push(event);
    await session.close();
  } catch (failure) {
    // A CLI without a key may not even open a session.
    if (!(failure instanceof TurnoutError)) throw failure;
    error = { code: failure.code, message: failure.explanation };
  }
  const last = events.at(-1);
  if (last?.type === 'error') error = last;
  return { events, error, sessionId: sessionIn(events), usage: usageIn(events) };
}

function sessionIn(events: readonly ChatEvent[]): string | undefined {
  return events.find((event) => event.type === 'session')?.sessionId;
}

function usageIn(events: readonly ChatEvent[]) {
  const usage = events.findLast((event) => event.type === 'usage');
  return usage === undefined ? undefined : countsOf(usage);
}

function withOwnRetries(backend: VendorName, lab: Lab): void {
  if (backend !== 'codex') return;
  const path = join(lab.home.directory, '.codex/config.toml');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^\w+_max_retries.*\n/gm, ''));
}

function retriesIn(events: readonly ChatEvent[]) {
  return events.flatMap((event) =>
    event.type === 'notice' && event.retry !== undefined ? [event.retry] : [],
  );
}

/** Over ACP Gemini does not count its thoughts. */
const withoutThoughts = { inputTokens: 60, outputTokens: 5 };

/** The tokens of so many answers of the scripted model. */
function tokens(calls: number) {
  return { inputTokens: 60 * calls, outputTokens: 7 * calls };
}

function countsOf({ inputTokens, outputTokens }: Usage) {
  return { inputTokens, outputTokens };
}

function quotaFailure(quotaId: string, retryDelay: string) {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ];
  const error = { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED', details };
  return { status: 429, body: JSON.stringify({ error }) };
}
