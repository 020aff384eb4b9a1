import { type Fault, tooLarge } from '../loopback/rest/faults.js';
import type { FaultStage } from './fault-stage.js';

const send = 'POST /channels/:channel/messages';

interface RestFault {
  readonly fault: Fault;
  readonly times?: number;
  readonly skip?: number;
  readonly work?: 'attach';
}

/** What meets the sending of an answer of two pieces. */
export const restFaults: Readonly<Record<string, RestFault>> = {
  'a rate limit (429)': { fault: { type: 'rate-limit', retryAfter: 0.3 } },
  'a rate limit for all channels (429, global)': {
    fault: { type: 'rate-limit', retryAfter: 0.3, global: true },
  },
  '500 before the message is stored': { fault: { type: 'error' } },
  '500 after it is stored': { fault: { type: 'error', commit: true } },
  '502 three times': { fault: { type: 'error', status: 502 }, times: 3 },
  '500 after the second piece is stored': { fault: { type: 'error', commit: true }, skip: 1 },
  'the connection is cut before it is stored': { fault: { type: 'drop' } },
  'the connection is cut after it is stored': { fault: { type: 'drop', commit: true } },
  'no answer, and it is not stored': { fault: { type: 'hang' } },
  'no answer, and it is stored': { fault: { type: 'hang', commit: true } },
  'its file is too large (413)': { fault: tooLarge, skip: 1, work: 'attach' },
};

/** All at the same time, in a channel each. */
export async function runRestFaults(
  stage: FaultStage,
  names: readonly string[] = Object.keys(restFaults),
): Promise<Record<string, string>> {
  const runs = names.map(async (name) => {
    const { fault, times = 1, skip = 0, work } = restFaults[name] as RestFault;
    const talk = await stage.channel(name.replaceAll(' ', '-'));
    const order = stage.discord.faults.order(send, fault, { times, skip, of: talk.channel.id });
    talk.ask(work);
    talk.ask();
    await talk.answered();
    return { name, talk, isMet: order.met === times };
  });
  const ended = await Promise.all(runs);
  await stage.untilQuiet();
  return Object.fromEntries(
    ended.map(({ name, talk, isMet }) => [name, isMet ? talk.outcome() : 'the fault was not met']),
  );
}
