import { until } from '../loopback/until.js';
import { setUpFaults } from './fault-stage.js';

export const zombie = 'it is silent, and heartbeats are not answered';

/** A socket that is open and takes everything, and from which nothing comes any more: only the heartbeat tells. */
export async function runZombie(): Promise<Record<string, string>> {
  const stage = await setUpFaults({ heartbeatInterval: 500 });
  const { discord } = stage;
  await stage.start();
  await until(() => discord.gateway.connected);
  const talk = await stage.channel('talk');
  discord.gateway.acknowledgesHeartbeats = false;
  discord.gateway.hold();
  talk.ask();
  const resumes = discord.gateway.resumes;
  await until(() => discord.gateway.resumes > resumes, 'a new connection', 10_000);
  discord.gateway.acknowledgesHeartbeats = true;
  discord.gateway.release();
  talk.ask();
  await talk.answered();
  await stage.untilQuiet();
  return { [zombie]: talk.outcome() };
}
