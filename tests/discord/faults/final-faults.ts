import { until } from '../loopback/until.js';
import { setUpFaults } from './fault-stage.js';

export const explained =
  'explained, not tried again; what came meanwhile is answered after the restart, once';

/** What Discord closes the socket with for good. */
export const finalFaults: Readonly<Record<string, { readonly code: number; readonly hint: string }>> = {
  'the token is not valid any more (4004)': { code: 4004, hint: 'Reset Token' },
  'the message content intent is switched off (4014)': { code: 4014, hint: 'Message Content Intent' },
};

/** Each with a gateway of its own. */
export async function runFinalFaults(): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  for (const [name, { code, hint }] of Object.entries(finalFaults)) {
    const stage = await setUpFaults();
    const { discord } = stage;
    const client = await stage.start();
    await until(() => discord.gateway.connected);
    const talk = await stage.channel('talk');
    discord.gateway.close(code);
    const problems = async () => (await client.gateway.health()).problems.join();
    await until(async () => (await problems()).includes(String(code)), 'the explanation');
    const isExplained = (await problems()).includes(hint);
    talk.ask();
    const works = (await client.ask('web', 'q1 plain')).state === 'answered';
    const tries = discord.gateway.identifies;
    await client.stop();
    const isQuiet = tries === discord.gateway.identifies && discord.answers(talk.channel).length === 2;
    await stage.start();
    await talk.answered();
    await stage.untilQuiet();
    const outcome = talk.outcome();
    outcomes[name] =
      isExplained && works && isQuiet && outcome === 'once'
        ? explained
        : JSON.stringify({ isExplained, works, isQuiet, outcome });
  }
  return outcomes;
}
