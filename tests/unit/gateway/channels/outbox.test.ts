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
function setUp(attempts: Readonly<Record<string, number>>, { notBefore = 0, source = 'discord' } = {}) {
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
    const isFirst = tries.filter((name) => name === message.channel).length === 1;
    if (message.channel === 'gone' || (message.channel === 'shaky' && isFirst)) throw new Error('not now');
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
    kinds: kinds(deliver),
    log: noLog,
    now: Date.now,
    watch: () => undefined,
    sweepMs: 200,
  });
  onTestFinished(() => outbox.stop());
  return { outbox, tries, waiting };
}

/** Channels whose names begin with `read` are read; the others are brought what is said in them. */
function kinds(deliver: PushedChannel['deliver']): readonly ChannelKind[] {
  const life = { start: async () => undefined, stop: async () => undefined };
  return [
    { ...life, name: 'discord', owns: (channel) => !channel.startsWith('read'), type: 'pushed', deliver },
    { ...life, name: 'http', owns: () => true, type: 'pulled' },
  ];
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

  it.each(['http', 'cron', 'discord'])(
    'what is said in a channel that is read counts as delivered, in answer to %s too (16.1)',
    async (source) => {
      const { outbox, tries, waiting } = setUp({ 'read here': 0, 'read there': 3 }, { source });
      outbox.wake();
      await eventually(() => waiting.length === 0);
      expect(tries).toEqual([]);
    },
  );

  it.each(['heartbeat', 'cron', 'http'])(
    'an answer to %s is brought to the channel’s readers, whatever it came from (16.1)',
    async (source) => {
      const { outbox, tries, waiting } = setUp({ calm: 0 }, { source });
      outbox.wake();
      await eventually(() => waiting.length === 0);
      expect(tries).toEqual(['calm']);
    },
  );
});
