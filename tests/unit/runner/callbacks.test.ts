import { describe, expect, it } from 'vitest';
import { createRunner, type StreamingCallbacks } from '../../../src/index.js';

describe('runStreaming() refuses callbacks by name (18.9)', () => {
  it.for<[unknown, string]>([
    [{ ontext() {} }, 'There is no option "callbacks.ontext". Did you mean callbacks.onText?'],
    [{ onText: 5 }, "callbacks.onText can't be 5: expected a function."],
    [null, "callbacks can't be null"],
  ])('%o', async ([callbacks, words]) => {
    const runner = createRunner('claude', { cliPath: '/no/such/claude' });
    await expect(
      runner.runStreaming({ prompt: 'hi' }, callbacks as StreamingCallbacks),
    ).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(words),
    });
  });
});
