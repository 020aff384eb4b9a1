import { describe, expect, it } from 'vitest';
import { createBackend, type VendorName } from '../../src/backends/registry.js';
import type { ChatEvent, Usage } from '../../src/core/chat-event.js';
import type { Script } from '../../src/lab/model/script.js';
import { setUpLab } from './set-up-lab.js';

type Way = 'live' | 'one-shot';
type Context = Pick<Usage, 'contextTokens' | 'contextWindow'>;

const read = { inputTokens: 500, cachedInputTokens: 300, cacheWriteInputTokens: 100 };
/** The second call of a turn, which is what the context is: 500 read and 40 written. */
const last = { ...read, outputTokens: 40, reasoningTokens: 10 };
const twoCalls: Script = [{ steps: [{ shell: 'true' }] }, { steps: [{ text: 'Done.' }], usage: last }];

const window = expect.any(Number) as number;
const nothing: Context = {};
const told: Readonly<Record<VendorName, Readonly<Record<Way, Context>>>> = {
  claude: {
    live: { contextTokens: 540, contextWindow: window },
    'one-shot': { contextTokens: 540, contextWindow: window },
  },
  codex: { live: { contextTokens: 540, contextWindow: window }, 'one-shot': nothing },
  gemini: { live: nothing, 'one-shot': nothing },
  opencode: { live: { contextTokens: 540 }, 'one-shot': { contextTokens: 540 } },
};

describe.each(Object.keys(told) as VendorName[])('the context that %s says is used (16.4)', (backend) => {
  const lab = setUpLab(backend);
  const run = async (way: Way, script: Script): Promise<readonly ChatEvent[]> => {
    lab.model.use(script);
    if (way === 'one-shot') return collect(createBackend(backend, lab.config).run({ prompt: 'go' }));
    const session = await lab.sessions.open({ backend, config: lab.config });
    const events = await collect(session.send('go'));
    await session.close();
    return events;
  };

  it.each(['live', 'one-shot'] as const)('is that of the last call, %s', async (way) => {
    expect(contextOf(await run(way, twoCalls))).toEqual(told[backend][way]);
  });

  if (backend !== 'codex' && backend !== 'claude') return;
  it('is small again after a compaction, whose turn counts its own calls only', async () => {
    const full = { inputTokens: 990_000, cachedInputTokens: 0, cacheWriteInputTokens: 0 };
    let calls = 0;
    lab.model.use(() => ({ steps: [{ text: 'x' }], usage: calls++ === 0 ? full : last }));
    const session = await lab.sessions.open({ backend, config: lab.config });
    expect(contextOf(await collect(session.send('first')))).toMatchObject({ contextTokens: 990_007 });
    const events = await collect(session.send('second'));
    await session.close();
    expect(events.some((event) => event.type === 'notice' && /compact|summed up/.test(event.message))).toBe(
      true,
    );
    expect(contextOf(events)).toMatchObject({ contextTokens: 540 });
    const { inputTokens = 0 } = events.findLast((event) => event.type === 'usage') ?? {};
    expect(inputTokens).toBeLessThanOrEqual(500 * (calls - 1));
  });
});

function contextOf(events: readonly ChatEvent[]): Context {
  const end = events.at(-1);
  if (end?.type !== 'complete' || end.usage === undefined) throw new Error(JSON.stringify(end));
  const { contextTokens, contextWindow } = end.usage;
  return {
    ...(contextTokens !== undefined && { contextTokens }),
    ...(contextWindow !== undefined && { contextWindow }),
  };
}

async function collect(turn: AsyncIterable<ChatEvent>): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}
