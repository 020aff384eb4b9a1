import { describe, expect, it } from 'vitest';
import { createBackend, type RunRequest, type StreamCallback, TurnoutError } from '../../../../src/index.js';
import { collect } from '../../../contract/backend-contract.js';

const backend = createBackend('claude', { cliPath: '/no/such/claude' });

describe('a wrong call of a backend (18.9)', () => {
  it.each<[string, readonly unknown[], string]>([
    ['nothing', [], 'request is missing: expected an object, such as {prompt: "…"}.'],
    ['a bare prompt', ['hi'], 'request can\'t be "hi"'],
    ['no prompt', [{}], 'prompt is missing: expected a text.'],
    ['a prompt of another type', [{ prompt: 5 }], "prompt can't be 5: expected a text."],
    [
      'a signal in the first argument',
      [{ prompt: 'hi', signal: AbortSignal.abort() }],
      'signal belongs in the second argument: run({prompt}, {signal}).',
    ],
    ['a misspelt field', [{ prompt: 'hi', sesionId: 'x' }], 'no option "sesionId". Did you mean sessionId?'],
    ['an unknown field', [{ prompt: 'hi', colour: 'red' }], 'There is no option "colour". Options: prompt,'],
    ['a session id of another type', [{ prompt: 'hi', sessionId: 5 }], "sessionId can't be 5"],
    ['a limit of another type', [{ prompt: 'hi', timeoutMs: 'x' }], 'timeoutMs can\'t be "x"'],
    ['a wrong mode', [{ prompt: 'hi', permissionMode: 'banana' }], 'permissionMode can\'t be "banana"'],
    ['a wrong variable', [{ prompt: 'hi', env: { A: 5 } }], "env.A can't be 5"],
    [
      'a signal that is none',
      [{ prompt: 'hi' }, { signal: 5 }],
      "signal can't be 5: expected an AbortSignal.",
    ],
    ['a misspelt option', [{ prompt: 'hi' }, { singal: 5 }], 'no option "singal". Did you mean signal?'],
    ['null for options', [{ prompt: 'hi' }, null], "options can't be null"],
  ])('run() throws at once: %s', (_, given, words) => {
    const run = () => backend.run(...(given as [RunRequest]));
    expect(run).toThrow(TurnoutError);
    expect(run).toThrow(words);
  });

  it('execute() rejects, and takes null for a text that was left out', async () => {
    const { execute } = {
      execute: backend.execute.bind(backend) as (...given: unknown[]) => Promise<unknown>,
    };
    await expect(execute(5, '')).rejects.toThrow("prompt can't be 5: expected a text.");
    await expect(execute('hi', '', undefined, 5)).rejects.toThrow(
      "onStream can't be 5: expected a function.",
    );
    await expect(execute('hi', '', 7)).rejects.toThrow("sessionId can't be 7");
    expect(await execute('hi', null, null)).toMatchObject({ isError: true });
    expect(await backend.execute('hi', '', '', (() => {}) as StreamCallback)).toMatchObject({
      isError: true,
    });
  });

  it('is no turn that can’t run: that is told as its error', async () => {
    for (const request of [{ prompt: '' }, { prompt: 'hi', sessionId: '-x' }]) {
      const events = await collect(backend.run(request));
      expect(events).toMatchObject([{ type: 'error', code: 'bad_request' }]);
    }
  });
});
