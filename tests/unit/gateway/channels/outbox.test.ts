import { describe, expect, it, onTestFinished } from 'vitest';
import { noLog } from '../../../../src/config/log.js';
import { Outbox } from '../../../../src/gateway/channels/outbox.js';
import type { ChannelKind, PushedChannel } from '../../../../src/gateway/channels/types.js';
import type { Delivery } from '../../../../src/store/rows.js';
import { eventually } from '../../../gateway/stage.js';

interface Waiting {
  readonly delivery: Delivery;
  notBefore: number;
}

/** The messages that wait, one for each channel, as the store would give them. */
function setUp(attempts: Readonly<Record<string, number>>, { notBefore = 0, source = 'pushed' } = {}) {
  const waiting = Object.entries(attempts).map(
    ([channel, tried], index): Waiting => ({
      delivery: {
        id: index + 1,
        source,
        attempts: tried,
        message: { id: index + 1, channel, role: 'assistant', text: 'hello', createdAt: 0 },
      },
      notBefore,
    }),
  );
  const tries: string[] = [];
  const deliver = async ({ message }: Delivery): Promise<void> => {
    tries.push(message.channel);
    if (message.channel === 'gone' || tries.filter((name) => name === message.channel).length === 1)
      throw new Error('not now');
  };
  const outbox = new Outbox({
    store: {
      undelivered: async ({ now }) =>
        waiting.filter((one) => one.notBefore <= now).map((one) => one.delivery),
      delivered: async (ids) => {
        for (const id of ids)
          waiting.splice(
            waiting.findIndex(({ delivery }) => delivery.id === id),
            1,
          );
      },
      notDelivered: async (id, failure) => {
        const one = waiting.find(({ delivery }) => delivery.id === id);
        if (one !== undefined) one.notBefore = failure.notBefore ?? Number.POSITIVE_INFINITY;
      },
    },
    kindOf: ({ source }) => kindOf(source, deliver),
    log: noLog,
    now: Date.now,
    watch: () => undefined,
    sweepMs: 200,
  });
  onTestFinished(() => outbox.stop());
  return { outbox, tries, waiting };
}

function kindOf(source: string, deliver: PushedChannel['deliver']): ChannelKind | undefined {
  const life = {
    ...{ name: source, owns: () => true },
    ...{ start: async () => undefined, stop: async () => undefined },
  };
  if (source === 'pushed') return { ...life, type: 'pushed', deliver };
  return source === 'pulled' ? { ...life, type: 'pulled' } : undefined;
}

describe('the outbox', () => {
  it('a channel that can’t be reached for long does not delay the next try of another', async () => {
    const { outbox, tries } = setUp({ shaky: 0, gone: 20 });
    outbox.wake();
    await eventually(() => tries.filter((name) => name === 'shaky').length === 2);
    expect(tries.filter((name) => name === 'gone')).toHaveLength(1);
  });

  it('what waits for its next try since before the start is tried when its time comes', async () => {
    const { outbox, tries } = setUp({ shaky: 3 }, { notBefore: Date.now() + 500 });
    outbox.wake();
    await eventually(() => tries.length > 0);
  });
  it.each(['pulled', 'a schedule'])(
    'counts what is said on %s as delivered: nobody is brought anything',
    async (source) => {
      const { outbox, tries, waiting } = setUp({ room: 0, gone: 3 }, { source });
      outbox.wake();
      await eventually(() => waiting.length === 0);
      expect(tries).toEqual([]);
    },
  );
});
