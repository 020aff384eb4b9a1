import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog, noLog } from '../../../../src/config/log.js';
import { FinalFailure } from '../../../../src/gateway/channels/final-failure.js';
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

/** So many messages in each channel, of which the store gives the oldest. */
function setUpLines(counts: Readonly<Record<string, number>>, { failMarks = 0 } = {}) {
  const lines = new Map(
    Object.entries(counts).map(([name, count]) => [name, Array.from({ length: count }, (_, i) => i + 1)]),
  );
  const names = [...lines.keys()];
  const done: string[] = [];
  const tries: string[] = [];
  const givenUp: string[] = [];
  const logged: string[] = [];
  let release: () => void = () => undefined;
  const hang = new Promise<void>((resolve) => {
    release = resolve;
  });
  let [underWay, most, marksToFail] = [0, 0, failMarks];
  const takeOut = (id: number, list: string[]) => {
    const name = names[Math.floor(id / 1000)] ?? '';
    list.push(`${name} ${lines.get(name)?.shift()}`);
  };
  const outbox = new Outbox({
    store: {
      undelivered: async ({ limit }) =>
        names
          .flatMap((channel, index): Delivery[] => {
            const [first] = lines.get(channel) ?? [];
            if (first === undefined) return [];
            const id = index * 1000 + first;
            const message = { id, channel, role: 'assistant', text: 'hello', createdAt: 0 } as const;
            return [{ id, source: 'discord', attempts: 0, message }];
          })
          .slice(0, limit),
      delivered: async (ids) => {
        if (marksToFail-- > 0) throw new Error('the database is locked');
        for (const id of ids) takeOut(id, done);
      },
      notDelivered: async (id) => takeOut(id, givenUp),
    },
    kinds: kinds(async ({ message, id }) => {
      tries.push(`${message.channel} ${id % 1000}`);
      most = Math.max(most, ++underWay);
      await (message.channel === 'hangs' ? hang : new Promise(setImmediate));
      underWay--;
      if (message.channel === 'final') throw new FinalFailure('gone', { hint: 'write elsewhere' });
    }),
    log: createLog('info', (line) => logged.push(line)),
    now: Date.now,
    watch: () => undefined,
    stopMs: 200,
  });
  onTestFinished(() => outbox.stop());
  return { outbox, lines, done, tries, givenUp, logged, release, most: () => most };
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
  it('a delivery that hangs holds up no other channel, and only its own (17.6)', async () => {
    const stage = setUpLines({ hangs: 2, calm: 3 });
    stage.outbox.wake();
    await eventually(() => stage.done.length === 3);
    expect(stage.done).toEqual(['calm 1', 'calm 2', 'calm 3']);
    stage.release();
    await eventually(() => stage.done.length === 5);
    expect(stage.done.slice(3)).toEqual(['hangs 1', 'hangs 2']);
  });

  it('stops although a delivery hangs, which stays on disk (17.6)', async () => {
    const stage = setUpLines({ hangs: 1, calm: 1 });
    stage.outbox.wake();
    await eventually(() => stage.done.length === 1);
    await stage.outbox.stop();
    stage.release();
    await new Promise(setImmediate);
    expect(stage.lines.get('hangs')).toEqual([1]);
  });

  it('brings at the stop what can be brought', async () => {
    const stage = setUpLines({ a: 3, b: 2 });
    stage.outbox.wake();
    await stage.outbox.stop();
    expect([...stage.done].sort()).toEqual(['a 1', 'a 2', 'a 3', 'b 1', 'b 2']);
  });

  it('gives a final failure up at once and goes on behind it (17.6)', async () => {
    const stage = setUpLines({ final: 2, calm: 1 });
    stage.outbox.wake();
    await stage.outbox.stop();
    expect(stage.done).toEqual(['calm 1']);
    expect(stage.givenUp).toEqual(['final 1', 'final 2']);
    expect(stage.logged.filter((line) => line.includes('"hint":"write elsewhere"'))).toHaveLength(2);
  });

  it('has no more than 50 deliveries under way, and each channel one', async () => {
    const stage = setUpLines(Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`c${i}`, 2])));
    stage.outbox.wake();
    await eventually(() => stage.done.length === 240);
    expect(stage.most()).toBe(50);
    for (let i = 0; i < 120; i++) {
      expect(stage.done.filter((line) => line.startsWith(`c${i} `))).toEqual([`c${i} 1`, `c${i} 2`]);
    }
  });

  it('delivers nothing again at once when it could not be recorded', async () => {
    const stage = setUpLines({ calm: 1 }, { failMarks: 1 });
    stage.outbox.wake();
    await eventually(() => stage.tries.length === 1);
    for (let i = 0; i < 5; i++) {
      stage.outbox.wake();
      await new Promise(setImmediate);
    }
    expect(stage.tries).toHaveLength(1);
    await eventually(() => stage.done.length === 1);
    expect(stage.tries).toHaveLength(2);
  });

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
