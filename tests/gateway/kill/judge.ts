import type { SentMessage } from './load.js';
import type { EventView, MessageView } from './persistent-client.js';

/** The facts that are visible from outside when all is over. */
export interface Sight {
  readonly sent: readonly SentMessage[];
  readonly events: ReadonlyMap<string, EventView>;
  readonly conversations: ReadonlyMap<string, readonly MessageView[]>;
  /** The agents' real actions, one on each line. */
  readonly agentLog: readonly string[];
  /** The messages that this one answers. */
  answers(message: MessageView, sent: readonly SentMessage[]): readonly string[];
}

export interface Verdict {
  readonly messages: number;
  /** The number of messages with exactly one answer, whatever came before it. */
  readonly answeredOnce: number;
  /** The number of these that were broken off with a notice of the tool, and answered after `/retry`. */
  readonly toldAndRetried: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly outOfOrder: readonly string[];
  /** The cases of two agents of a channel at the same time. */
  readonly overlaps: readonly string[];
  /** The tools that ran once more although nobody had asked for it. */
  readonly replayedTools: readonly string[];
  /** All other deviations. */
  readonly oddities: readonly string[];
}

export function judge(sight: Sight): Verdict {
  const { sent } = sight;
  const answers = answersById(sight);
  const count = (message: SentMessage) => answers.get(message.id)?.length ?? 0;
  const ids = (messages: readonly SentMessage[]) => messages.map(({ id }) => id);
  return {
    messages: sent.length,
    answeredOnce: sent.filter((message) => count(message) === 1).length,
    toldAndRetried: sent.filter((message) => count(message) === 1 && message.retries.length > 0).length,
    lost: ids(sent.filter((message) => count(message) === 0)),
    doubled: ids(sent.filter((message) => count(message) > 1)),
    outOfOrder: [...answersOutOfOrder(sight), ...workOutOfOrder(sight)],
    overlaps: sight.agentLog.filter((line) => line.startsWith('overlap')),
    replayedTools: replayedTools(sight),
    oddities: sent.flatMap((message) => oddities(sight, message)),
  };
}

function answersById({ conversations, answers, sent }: Sight): ReadonlyMap<string, readonly MessageView[]> {
  const found = new Map<string, MessageView[]>();
  for (const message of [...conversations.values()].flat()) {
    if (message.role !== 'assistant') continue;
    for (const id of answers(message, sent)) found.set(id, [...(found.get(id) ?? []), message]);
  }
  return found;
}

/** Finds answers to an earlier message that stand behind those to a later one in the conversation. */
function answersOutOfOrder({ conversations, answers, sent }: Sight): readonly string[] {
  return [...conversations.values()].flatMap((messages) =>
    descents(
      messages.filter(({ role }) => role === 'assistant').flatMap((message) => answers(message, sent)),
    ),
  );
}

/** Finds messages that the agents were first asked about in another order than they were sent in. */
function workOutOfOrder({ agentLog, conversations }: Sight): readonly string[] {
  const first = new Set(agentLog.filter((line) => line.startsWith('begun ')).map((line) => line.slice(6)));
  return [...conversations.keys()].flatMap((channel) =>
    descents([...first].filter((id) => id.startsWith(`${channel}-`))),
  );
}

/** Finds ids out of order; each ends in its number in the channel. */
function descents(ids: readonly string[]): readonly string[] {
  return ids.flatMap((id, index) => {
    const before = ids[index - 1];
    return before !== undefined && before > id ? [`${id} behind ${before}`] : [];
  });
}

function replayedTools({ agentLog, sent }: Sight): readonly string[] {
  return sent.flatMap(({ id, retries }) => {
    const runs = agentLog.filter((line) => line === `tool ${id}`).length;
    return runs > 1 + retries.length ? [`${id}: ${runs} times with ${retries.length} retries`] : [];
  });
}

function oddities(sight: Sight, message: SentMessage): readonly string[] {
  const found: string[] = [];
  const chain = [message.eventId, ...message.retries];
  for (const [index, eventId] of chain.entries()) {
    const event = sight.events.get(eventId);
    const expected = index === chain.length - 1 ? 'answered' : 'failed';
    if (event?.state !== expected) found.push(`${message.id}: event ${index} is ${event?.state}`);
    if (expected === 'failed') found.push(...noticeOddities(sight, message, eventId));
  }
  const conversation = sight.conversations.get(message.channel) ?? [];
  const asked = conversation.filter(({ role, eventId }) => role === 'user' && eventId === message.eventId);
  if (asked.length !== 1) found.push(`${message.id}: is ${asked.length} times in the conversation`);
  return found;
}

/** Checks that the sender is told once, with the tool that had begun and what can be done. */
function noticeOddities(sight: Sight, message: SentMessage, eventId: string): readonly string[] {
  const conversation = sight.conversations.get(message.channel) ?? [];
  const notices = conversation.filter(
    (said) => said.eventId === eventId && said.role === 'system' && said.text.includes('/retry'),
  );
  const [notice] = notices;
  if (notices.length !== 1 || notice === undefined)
    return [`${message.id}: was told ${notices.length} times`];
  // The input of a deep tool holds nothing to name it by, and of a note its file is named.
  const isNamed = notice.text.includes(message.id) || notice.text.includes('- Write demo-note.txt');
  return isNamed || message.work === 'deep' ? [] : [`${message.id}: was told "${notice.text}"`];
}
