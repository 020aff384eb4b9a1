import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { finalStates } from '../../src/store/rows.js';
import { type Client, eventually, setUpGateway } from './stage.js';

const channels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const prompts = [
  'hello',
  'say exactly: x',
  'wait 5 seconds',
  'count to 30',
  'look around',
  'run a tool for 5 seconds',
  'crash',
  'fail with 401',
  '/frobnicate',
];
const commands = ['/retry', '/new', '/usage', '/model opus', '/model default', '/stop', '/status', '/queue'];
const modes = ['/queue clear', '/queue collect', '/queue interrupt', '/queue steer', '/queue queue'];

/** The same numbers for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('whatever happens at the same time, restarts included', () => {
  it.each([
    { live: '0', seed: 11 },
    { live: '1', seed: 21 },
  ])(
    'one end for each message, at most one answer, in order (live: $live)',
    async ({ live, seed }) => {
      const random = numbers(seed);
      const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
      const stage = setUpGateway({
        BACKEND_LIVE: live,
        MAX_CONCURRENT_TURNS: '6',
        RETRY_DELAY_MS: '20',
        TURNOUT_DEMO_SPEED: '100',
      });
      const events: string[] = [];
      const act = async (client: Client, dice: number): Promise<void> => {
        const channel = pick(channels);
        if (dice < 0.08) await client.interrupt(channel);
        else
          events.push(await client.post(channel, pick(dice < 0.2 ? modes : dice < 0.5 ? commands : prompts)));
      };
      for (let round = 0; round < 3; round += 1) {
        const client = await stage.start();
        const acts: Promise<void>[] = [];
        for (let n = 0; n < 60; n += 1) {
          acts.push(act(client, random()));
          if (random() < 0.3) await sleep(random() * 150);
        }
        await Promise.all(acts);
        await client.stop();
      }

      const client = await stage.start();
      for (const id of events) expect(finalStates).toContain((await client.ended(id)).state);
      for (const channel of channels) {
        const messages = await client.messages(channel);
        const of = (role: string) =>
          messages.filter((one) => one.role === role).map(({ eventId }) => eventId);
        const asked = of('user');
        const places = of('assistant').map((eventId) => asked.indexOf(eventId));
        expect(places).toEqual([...new Set(places)].sort((one, other) => one - other));
        expect(places).not.toContain(-1);
      }
      expect(stage.log.filter(({ level }) => level === 'error')).toEqual([]);
      await eventually(() => readdirSync(join(stage.home, 'turns')).length === 0);
    },
    120_000,
  );
});
