import type { LoopbackDiscord } from '../loopback/loopback-discord.js';
import type { Fault } from '../loopback/rest/faults.js';
import { until } from '../loopback/until.js';
import type { FaultStage } from './fault-stage.js';

interface InteractionFault {
  readonly fault?: Fault;
  readonly disturb?: (discord: LoopbackDiscord) => void;
  /** What people see in place of one answer. */
  readonly expected?: string;
}

const acknowledge = 'POST /interactions/:interaction/:token/callback';
export const toldByDiscord = 'not done, as Discord has told';

/** What meets the acknowledgement of the slash command /status. */
export const interactionFaults: Readonly<Record<string, InteractionFault>> = {
  'it is told twice': { disturb: ({ gateway }) => gateway.duplicateNext() },
  'the answer to it takes 2.5 s': { fault: { type: 'slow', milliseconds: 2500 } },
  'the answer to it takes 3.5 s': { fault: { type: 'slow', milliseconds: 3500 } },
  '500 after it is taken': { fault: { type: 'error', commit: true } },
  'the connection is cut after it is taken': { fault: { type: 'drop', commit: true } },
  'it comes later than 3 s (10062)': {
    fault: { type: 'refuse', status: 404, code: 10062, message: 'Unknown interaction' },
    expected: toldByDiscord,
  },
};

/** All at the same time, in a channel each. */
export async function runInteractionFaults(
  { discord, anna, untilQuiet }: FaultStage,
  names: readonly string[] = Object.keys(interactionFaults),
): Promise<Record<string, string>> {
  await until(() => discord.interactions.commandsOf(undefined).length > 0, 'the slash commands');
  const runs = [];
  for (const name of names) {
    const { fault, disturb } = interactionFaults[name] as InteractionFault;
    const channel = discord.addChannel(`command ${name}`);
    disturb?.(discord);
    const interaction = discord.people.command(anna, channel, 'status');
    const order = fault && discord.faults.order(acknowledge, fault, { of: interaction.id });
    if (order) await until(() => order.met > 0, 'the acknowledgement');
    runs.push({ name, channel, interaction, isRefused: fault?.type === 'refuse' });
  }
  for (const { name, interaction, isRefused } of runs)
    if (!isRefused) await until(() => interaction.state === 'answered', `the answer: ${name}`, 15_000);
  await untilQuiet();
  return Object.fromEntries(
    runs.map(({ name, channel, interaction }) => {
      const { length } = discord.visible(channel).filter(({ content }) => content.includes('waiting: 0'));
      if (length === 0 && interaction.state === 'open') return [name, toldByDiscord];
      return [name, length === 1 ? 'once' : `${length} times`];
    }),
  );
}
