import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig, openSession, Sessions, TurnoutError } from '../../../src/index.js';
import { checkModel, checkSend } from '../../../src/sessions/check-session-options.js';

describe('a wrong call of a session (18.9)', () => {
  it.each<[readonly unknown[], string]>([
    [[], 'prompt is missing: expected a text.'],
    [[5], "prompt can't be 5: expected a text."],
    [['x', { signal: 5 }], "signal can't be 5: expected an AbortSignal."],
    [['x', { singal: 5 }], 'There is no option "singal". Did you mean signal?'],
    [['x', null], "options can't be null"],
  ])('send(…%j) throws at once', async (given, words) => {
    const session = await openSession({ backend: 'codex', live: false });
    onTestFinished(() => session.close());
    const send = () => session.send(...(given as [string]));
    expect(send).toThrow(TurnoutError);
    expect(send).toThrow(words);
    // Live sessions make the same check.
    const [prompt, options = {}] = given as [string, object?];
    expect(() => checkSend(prompt, options)).toThrow(words);
  });

  it('setModel() rejects what is no name of a model', async () => {
    const session = await openSession({ backend: 'codex', live: false });
    onTestFinished(() => session.close());
    for (const model of [5, '', '-x', undefined]) {
      await expect(session.setModel(model as string)).rejects.toThrow(/^model (can't be|is missing)/);
      expect(() => checkModel(model as string)).toThrow(TurnoutError);
    }
    await session.setModel('gpt-5');
  });

  it.each<[unknown, string]>([
    [{ maxProcesses: -1 }, "limits.maxProcesses can't be -1: expected a whole number from 1 up."],
    [{ maxProcess: 1 }, 'There is no option "limits.maxProcess". Did you mean limits.maxProcesses?'],
    [{ idleMs: Number.NaN }, "limits.idleMs can't be NaN"],
    [{ spares: 0.5 }, "limits.spares can't be 0.5"],
    [null, "limits can't be null"],
  ])('new Sessions(%j) throws', (limits, words) => {
    expect(() => new Sessions(limits as object)).toThrow(words);
  });

  it.each<[unknown, string]>([
    [{ signal: 5 }, "opening.signal can't be 5: expected an AbortSignal."],
    [AbortSignal.abort, "opening can't be a function"],
  ])('openSession({}, %j) rejects', async (opening, words) => {
    await expect(openSession({ live: false }, opening as object)).rejects.toThrow(words);
  });

  it('loadConfig() says what it needs', () => {
    expect(() => (loadConfig as unknown as () => void)()).toThrow(
      'env is missing: expected an object of settings',
    );
  });
});
