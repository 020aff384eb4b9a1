import { describe, expect, it } from 'vitest';
import type { VendorName } from '../../src/backends/registry.js';
import { type ChatEvent, createBackend, type RunRequest, type Thinking } from '../../src/index.js';
import { setUpLab } from './set-up-lab.js';

interface Case {
  readonly thinking: Thinking | undefined;
  readonly model?: string;
  /** The part of the request to the API. */
  readonly sent: object;
}

const cases: Readonly<Partial<Record<VendorName, readonly Case[]>>> = {
  claude: [
    { thinking: 'low', sent: { output_config: { effort: 'low' } } },
    { thinking: 'max', sent: { output_config: { effort: 'max' } } },
    // A model whose thinking has a budget.
    { thinking: 4321, model: 'claude-sonnet-4-5', sent: { thinking: { budget_tokens: 4321 } } },
    { thinking: undefined, sent: { output_config: { effort: 'medium' } } },
  ],
  codex: [
    { thinking: 'off', sent: { reasoning: { effort: 'none' } } },
    { thinking: 'high', sent: { reasoning: { effort: 'high' } } },
    { thinking: 'max', sent: { reasoning: { effort: 'max' } } },
    { thinking: undefined, sent: { reasoning: { effort: 'low' } } },
  ],
  opencode: [
    { thinking: 'low', model: 'lab/thinking-model', sent: { reasoning_effort: 'low' } },
    { thinking: 'high', model: 'lab/thinking-model', sent: { reasoning_effort: 'high' } },
  ],
};

/** A value that each CLI does not take. */
const refused: Readonly<Record<VendorName, Thinking>> = {
  claude: 'off',
  codex: 4321,
  gemini: 'low',
  opencode: 'off',
};

describe.each(['claude', 'codex', 'opencode'] as const)(
  'the depth of thinking with %s (S3, S4)',
  (backend) => {
    const lab = setUpLab(backend);

    it.each(cases[backend] ?? [])(
      '$thinking reaches the API, one-shot and live',
      async ({ thinking, model, sent }) => {
        lab.model.use(['thought through']);
        const config = { ...lab.config, model: model ?? lab.config.model };
        await complete(createBackend(backend, config).run({ prompt: 'think', thinking }));
        expect(lab.model.turns.at(-1)?.body).toMatchObject(sent);

        const session = await lab.sessions.open({ backend, config, thinking });
        for (const prompt of ['think', 'once more']) {
          lab.model.forget();
          await complete(session.send(prompt));
          expect(lab.model.turns.at(-1)?.body).toMatchObject(sent);
        }
        await session.close();
      },
      60_000,
    );

    it('is that of the turn, not that of the session before', async () => {
      lab.model.use(['ok']);
      const config = {
        ...lab.config,
        model: backend === 'opencode' ? 'lab/thinking-model' : lab.config.model,
      };
      const run = (request: Partial<RunRequest>) =>
        complete(createBackend(backend, config).run({ prompt: 'x', ...request }));
      await run({});
      const byDefault = depthIn(lab.model.turns.at(-1)?.body);
      const sessionId = await run({ thinking: 'high' });
      expect(depthIn(lab.model.turns.at(-1)?.body)).toContain('high');
      await run({ sessionId });
      expect(depthIn(lab.model.turns.at(-1)?.body)).toBe(byDefault);

      const deep = await lab.sessions.open({ backend, config, sessionId, thinking: 'high' });
      await complete(deep.send('x'));
      expect(depthIn(lab.model.turns.at(-1)?.body)).toContain('high');
      await deep.close();
      const plain = await lab.sessions.open({ backend, config, sessionId });
      await complete(plain.send('x'));
      expect(depthIn(lab.model.turns.at(-1)?.body)).toBe(byDefault);
      await plain.close();
    }, 60_000);
  },
);

describe.each(['claude', 'codex', 'gemini', 'opencode'] as const)(
  'a depth that %s does not take',
  (backend) => {
    const lab = setUpLab(backend);

    it('is refused by name, and nothing reaches the model (S3, S4)', async () => {
      lab.model.use(['ok']);
      const thinking = refused[backend];
      const message = expect.stringMatching(
        new RegExp(`^${backend} (?:has no thinking .*\\. Use one of: |can't be told how deep to think)`),
      );
      const events: ChatEvent[] = [];
      for await (const event of createBackend(backend, lab.config).run({ prompt: 'x', thinking }))
        events.push(event);
      expect(events).toEqual([expect.objectContaining({ type: 'error', code: 'unsupported', message })]);
      await expect(lab.sessions.open({ backend, config: lab.config, thinking })).rejects.toMatchObject({
        code: 'unsupported',
        message,
      });
      if (backend === 'opencode')
        await expect(
          lab.sessions.open({
            backend,
            config: { ...lab.config, model: 'lab/thinking-model' },
            thinking: 'max',
          }),
        ).rejects.toMatchObject({
          code: 'unsupported',
          message: expect.stringContaining('low, medium, high'),
        });
      expect(lab.model.turns).toEqual([]);
    });
  },
);

async function complete(events: AsyncIterable<ChatEvent>): Promise<string> {
  let last: ChatEvent | undefined;
  for await (const event of events) last = event;
  expect(last).toMatchObject({ type: 'complete' });
  return last?.type === 'complete' ? last.sessionId : '';
}

function depthIn(body: Readonly<Record<string, unknown>> | undefined): string {
  return JSON.stringify([body?.['output_config'], body?.['reasoning'], body?.['reasoning_effort']]);
}
