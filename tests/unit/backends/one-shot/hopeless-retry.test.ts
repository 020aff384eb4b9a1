import { describe, expect } from 'vitest';
import { createBackend } from '../../../../src/backends/registry.js';
import type { ChatEvent } from '../../../../src/core/chat-event.js';
import { it, type Stage } from '../../../contract/stage.js';

const retry = {
  ...{ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, retry_delay_ms: 3_600_000 },
  ...{ error_status: 429, error: 'rate_limit' },
};
const limit = {
  type: 'rate_limit_event',
  rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour' },
};
const says = { type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: 'on we go' }] } };

describe('a one-shot turn whose CLI waits for a retry that comes too late', () => {
  it.for([
    ['the last line', [retry]],
    ['followed by other news of the limit', [retry, limit]],
  ] as const)('ends at once with the reason and the time: %s', async ([, lines], { stage }) => {
    const last = await run(stage, lines, 50_000);
    expect(last).toMatchObject({ type: 'error', code: 'rate_limit', retryAfterMs: 3_600_000 });
  });

  it('ends at once too when nobody listens: Claude tells of a bad key only while it streams (R1.1)', async ({
    stage,
  }) => {
    const refused = [1, 2, 3].map((attempt) => ({
      ...{ ...retry, attempt, retry_delay_ms: 500 },
      ...{ error_status: 401, error: 'authentication_failed' },
    }));
    const file = stage.write('lines', refused.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const streams = `case "$*" in *stream-json*) cat '${file}';; esac; exec sleep 120`;
    const backend = createBackend('claude', stage.configFor(stage.program('refused', streams)));
    const result = await backend.execute('hi', '');
    expect(result).toMatchObject({ isError: true, responseText: expect.stringContaining('401') });
  });

  it('goes on if the CLI does: the retry is over', async ({ stage }) => {
    const last = await run(stage, [retry, says], 1500);
    expect(last).toMatchObject({ type: 'error', code: 'timeout' });
  });
});

/** Runs a CLI that prints the lines at once and then says nothing. */
async function run(stage: Stage, lines: readonly object[], queryTimeoutMs: number) {
  const file = stage.write('lines', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const cliPath = stage.program('waits', `cat '${file}'; exec sleep 120`);
  const backend = createBackend('claude', { ...stage.configFor(cliPath), queryTimeoutMs });
  const events: ChatEvent[] = [];
  for await (const event of backend.run({ prompt: 'hi' })) events.push(event);
  return events.at(-1);
}
