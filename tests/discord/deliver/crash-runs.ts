import { type DeliverParts, deliver } from '../../../src/gateway/channels/discord/deliver/deliver.js';
import type { Delivery } from '../../../src/store/rows.js';
import type { Fault } from '../loopback/rest/faults.js';
import type { Channel } from '../loopback/state/world.js';
import { restApi } from './rest-api.js';
import type { DeliverStage } from './stage.js';

/** A look into the history is tried so often before its caller hears of it; what sends a message, once. */
const looksAtOnce = 3;
const send = 'POST /channels/:channel/messages';
const history = 'GET /channels/:channel/messages';

export const faults: Readonly<
  Record<string, { readonly route?: string; readonly fault: Fault; readonly times: number } | undefined>
> = {
  none: undefined,
  'rate limit (429)': { fault: { type: 'rate-limit', retryAfter: 0.02 }, times: 1 },
  '500 before': { fault: { type: 'error' }, times: 1 },
  '500 after commit': { fault: { type: 'error', commit: true }, times: 1 },
  'dropped before': { fault: { type: 'drop' }, times: 1 },
  'dropped after commit': { fault: { type: 'drop', commit: true }, times: 1 },
  'hangs before': { fault: { type: 'hang' }, times: 1 },
  'hangs after commit': { fault: { type: 'hang', commit: true }, times: 1 },
  '413 with a file': { fault: { type: 'refuse', status: 413, code: 40005, message: 'too large' }, times: 1 },
  'history 500': { route: history, fault: { type: 'error' }, times: looksAtOnce },
};

/** The steps of a delivery of two pieces, in order: a crash is before one of them, or behind the last. */
export const steps = [
  'read what is cut',
  'write the pieces',
  'read the pieces',
  'look up what is answered',
  'note the first try of 1',
  'send 1',
  'note that 1 is sent',
  'read the pieces again',
  'note the first try of 2',
  'send 2',
  'note that 2 is sent',
  'read the pieces at the end',
  'record in the outbox',
] as const;

export interface CrashRun {
  readonly channel: Channel;
  readonly fault: string;
  readonly crashes: readonly number[];
  /** What the outbox still has, oldest first. */
  readonly waiting: Delivery[];
}

class Crash extends Error {}

/** A channel of its own with an answer of two pieces, and one behind it. */
export async function prepare(
  stage: DeliverStage,
  fault: string,
  crashes: readonly number[],
): Promise<CrashRun> {
  const channel = stage.discord.addChannel(`${fault} ${crashes.join()}`);
  const attach = fault === '413 with a file' ? '\n[attach: turnout.txt]' : '';
  const texts = [`first ${'a '.repeat(980)}\n\nsecond ${'b '.repeat(400)}${attach}`, 'the next answer'];
  const waiting: Delivery[] = [];
  for (const text of texts) {
    const id = await stage.say(text, channel);
    const message = { id, channel: `discord:${channel.id}`, role: 'assistant', text, createdAt: 1 } as const;
    waiting.push({ id, message, source: 'discord', attempts: 0 });
  }
  const ordered = faults[fault];
  if (ordered)
    stage.discord.faults.order(ordered.route ?? send, ordered.fault, {
      times: ordered.times,
      // The second piece is the one with the file.
      skip: attach === '' ? 0 : 1,
      of: channel.id,
    });
  return { channel, fault, crashes, waiting };
}

/** One life of the gateway: it ends at the step, or when all is delivered. */
export async function live(
  stage: DeliverStage,
  run: CrashRun,
  crashAt = Number.POSITIVE_INFINITY,
): Promise<void> {
  const hangs = run.fault.startsWith('hangs');
  const api = hangs ? restApi(stage.discord, { timeout: 1000 }) : stage.parts.api;
  let step = 0;
  const mortal = <T extends object>(part: T): T =>
    new Proxy(part, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          if (step++ >= crashAt) throw new Crash();
          return Reflect.apply(value, target, given) as unknown;
        };
      },
    });
  const parts: DeliverParts = { ...stage.parts, api: mortal(api), store: mortal(stage.store) };
  const outbox = mortal(stage.store);
  try {
    for (;;) {
      const [delivery] = run.waiting;
      if (delivery === undefined) return;
      await untilDelivered(parts, delivery);
      await outbox.delivered([delivery.id], stage.discord.clock.now());
      run.waiting.shift();
    }
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
}

/** As the outbox tries again, without its waiting. */
async function untilDelivered(parts: DeliverParts, delivery: Delivery): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await deliver(parts, delivery);
    } catch (error) {
      if (error instanceof Crash || attempt > 20) throw error;
    }
  }
}

/** In words: `once` if every piece is to be seen once and in order. */
export function outcome({ discord }: DeliverStage, { channel }: CrashRun): string {
  const seen = discord.answers(channel).map((text) => text.split(' ')[0]);
  const wanted = ['first', 'second', 'the'];
  const lost = wanted.filter((piece) => !seen.includes(piece));
  const twice = wanted.filter((piece) => seen.filter((one) => one === piece).length > 1);
  if (lost.length > 0 || twice.length > 0) return `lost ${lost.length}, twice ${twice.length}`;
  return seen.join() === wanted.join() ? 'once' : 'out of order';
}
