import { setTimeout as sleep } from 'node:timers/promises';
import type { LoopbackDiscord } from '../loopback/loopback-discord.js';
import { until } from '../loopback/until.js';
import type { FaultStage, Talk } from './fault-stage.js';

/** What happens to the socket while a question is answered and the next one comes. */
export const socketFaults: Readonly<Record<string, (discord: LoopbackDiscord) => void>> = {
  'it is cut, and resumed': ({ gateway }) => gateway.drop(),
  'it is cut, and Discord forgets the session': ({ gateway }) => gateway.drop({ forget: true }),
  'Discord asks for a new connection (op 7)': ({ gateway }) => gateway.askToReconnect(),
  'the session is invalid, and can be resumed (op 9)': ({ gateway }) => gateway.invalidate(true),
  'the session is invalid (op 9)': ({ gateway }) => gateway.invalidate(false),
  'it is closed with 4000': ({ gateway }) => gateway.close(4000),
  'everything is told twice for a while': ({ gateway }) => gateway.duplicateNext(10),
  'Discord is gone for a while, and does not know the session then': ({ gateway, faults }) => {
    const routes = [
      'POST /channels/:channel/messages',
      'GET /channels/:channel/messages',
      'GET /gateway/bot',
    ];
    const orders = routes.map((route) =>
      faults.order(route, { type: 'error', status: 503 }, { times: 1000 }),
    );
    gateway.goAway({ forget: true });
    void sleep(500).then(() => {
      for (const order of orders) order.release();
      gateway.comeBack();
    });
  },
};

/** One after the other: all channels have the same socket. */
export async function runSocketFaults(
  stage: FaultStage,
  names: readonly string[] = Object.keys(socketFaults),
): Promise<Record<string, string>> {
  const { discord } = stage;
  const talks = new Map<string, Talk>();
  for (const [index, name] of names.entries()) {
    const talk = await stage.channel(`socket-${index}`);
    talks.set(name, talk);
    talk.ask();
    socketFaults[name]?.(discord);
    talk.ask();
    await talk.answered();
    await until(() => discord.gateway.connected, 'the connection', 20_000);
    talk.ask();
    await talk.answered();
  }
  await stage.untilQuiet();
  return Object.fromEntries([...talks].map(([name, talk]) => [name, talk.outcome()]));
}
