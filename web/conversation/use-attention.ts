import { useEffect, useRef } from 'preact/hooks';
import { summarizeToolInput } from '../../src/core/tool-input.js';
import type { MessageView } from '../../src/gateway/channels/http/wire.js';
import { announcement, notify, questionsHere, toldHere } from '../attention.js';
import { unreachable } from '../channels.js';
import type { Conversation } from '../feed/conversation.js';
import type { Connection } from '../feed/follow.js';
import { firstWords, plainWords } from '../in-words.js';

/** Tells of new answers and questions: a screen reader at once, a desktop notification if the page is hidden. */
export function useAttention(
  channel: string,
  { messages, status, loaded }: Conversation,
  connection: Connection,
): void {
  const lastId = useRef<number | undefined>(undefined);
  const asked = useRef(new Set<string>());
  useEffect(() => {
    if (!loaded) return;
    const news = lastId.current === undefined ? [] : newsBehind(messages, lastId.current);
    lastId.current = Number(messages.at(-1)?.id ?? 0);
    if (news.length === 0) return;
    const inWords = news.map((message) => `${nameOf(message)}: ${firstWords(plainWords(message.text), 300)}`);
    announcement.set(inWords.join('\n'));
    const answer = news.findLast(({ role }) => role === 'assistant');
    if (answer !== undefined) {
      const title = `${nameOf(answer)}: ${status?.title ?? channel}`;
      void notify('answer', channel, title, firstWords(plainWords(answer.text), 160));
    }
  }, [messages, loaded]);
  // Without a stream the list of conversations tells of this one as of any other.
  useEffect(() => toldHere.set(connection === 'live' ? channel : undefined), [channel, connection]);
  useEffect(() => {
    if (connection === 'lost' || connection === 'live') unreachable.set(connection === 'lost');
  }, [connection]);
  useEffect(() => () => toldHere.set(undefined), []);
  useEffect(() => questionsHere.set(status?.permissions.length ?? 0), [status]);
  useEffect(() => () => questionsHere.set(0), []);
  useEffect(() => {
    for (const { id, tool, input } of status?.permissions ?? []) {
      if (asked.current.has(id)) continue;
      asked.current.add(id);
      const what = `${tool} ${summarizeToolInput(tool, input, status?.cwd)}`;
      announcement.set(`Permission is asked for: ${what}`);
      void notify('question', channel, `An agent needs your answer: ${status?.title ?? channel}`, what);
    }
  }, [status]);
}

/**
 * What others have said behind a message, the last three: several may come in one frame, and another prompt behind an answer, and
 * a screen reader is not told a whole history.
 */
export function newsBehind(messages: readonly MessageView[], id: number): readonly MessageView[] {
  return messages
    .filter((message) => message.role !== 'user' && !message.silent && Number(message.id) > id)
    .slice(-3);
}

function nameOf({ role, backend }: MessageView): string {
  return role === 'assistant' ? `Answer from ${backend ?? 'the agent'}` : 'Turnout';
}
