import { useEffect, useRef } from 'preact/hooks';
import { summarizeToolInput } from '../../src/core/tool-input.js';
import { announcement, notify, questionsHere, toldHere } from '../attention.js';
import type { Conversation } from '../feed/conversation.js';
import type { Connection } from '../feed/follow.js';
import { firstWords } from '../in-words.js';

/** Tells of new answers and questions: a screen reader at once, a desktop notification if the page is hidden. */
export function useAttention(
  channel: string,
  { messages, status, loaded }: Conversation,
  connection: Connection,
): void {
  const lastId = useRef<string | undefined>(undefined);
  const asked = useRef(new Set<string>());
  useEffect(() => {
    const last = messages.at(-1);
    if (!loaded || last === undefined) return;
    const isNew = lastId.current !== undefined && lastId.current !== last.id;
    lastId.current = last.id;
    if (!isNew || last.role === 'user') return;
    const who = last.role === 'assistant' ? `Answer from ${last.backend ?? 'the agent'}` : 'Turnout';
    announcement.set(`${who}: ${firstWords(last.text, 300)}`);
    if (last.role === 'assistant') void notify('answer', channel, who, firstWords(last.text, 160));
  }, [messages, loaded]);
  // Without a stream the list of conversations tells of this one as of any other.
  useEffect(() => toldHere.set(connection === 'live' ? channel : undefined), [channel, connection]);
  useEffect(() => () => toldHere.set(undefined), []);
  useEffect(() => questionsHere.set(status?.permissions.length ?? 0), [status]);
  useEffect(() => () => questionsHere.set(0), []);
  useEffect(() => {
    for (const { id, tool, input } of status?.permissions ?? []) {
      if (asked.current.has(id)) continue;
      asked.current.add(id);
      const what = `${tool} ${summarizeToolInput(tool, input, status?.cwd)}`;
      announcement.set(`Permission is asked for: ${what}`);
      void notify('question', channel, 'An agent needs your answer', what);
    }
  }, [status]);
}
