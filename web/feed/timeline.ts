import type { MessageView } from '../../src/gateway/channels/http/wire.js';
import type { Turn } from './turn.js';

/** A row of the conversation. Keys stay the same when a running turn becomes an answer. */
export type Row =
  | { readonly type: 'prompt'; readonly key: string; readonly message: MessageView }
  | { readonly type: 'notice'; readonly key: string; readonly message: MessageView }
  /** The attempts that were seen at work, and the answer if there is one. */
  | {
      readonly type: 'answer';
      readonly key: string;
      readonly turns: readonly Turn[];
      readonly message?: MessageView;
    };

export interface TimelineInput {
  readonly messages: readonly MessageView[];
  readonly turns: readonly Turn[];
  /** The events that wait: their prompts are shown in the queue. */
  readonly waiting: ReadonlySet<string>;
}

/**
 * The rows in the order in which they are read. Messages come in the order of their ids, but a prompt that waited while
 * another was answered comes right in front of its own answer, or of the turn that works on it.
 */
export function arrange({ messages, turns, waiting }: TimelineInput): readonly Row[] {
  const answers = firstAnswers(messages);
  const placed = placeTurns(turns, answers, messages);
  const moved = promptsToMove(messages, answers, placed);
  const rows: Row[] = [];
  for (const message of messages) {
    const { eventId } = message;
    if (message.role === 'assistant') {
      const opening = eventId !== null && answers.get(eventId) === message;
      if (opening) rows.push(...(moved.get(eventId) ?? []).map(promptRow));
      const key = opening ? `answer ${eventId}` : `message ${message.id}`;
      rows.push({ type: 'answer', key, turns: placed.answered.get(message) ?? [], message });
      continue;
    }
    if (isQuestion(message)) continue;
    const isPrompt = message.role === 'user';
    if (isPrompt && eventId !== null) {
      if (waiting.has(eventId)) continue;
      if (moved.get(eventId)?.includes(message)) continue;
    }
    rows.push(isPrompt ? promptRow(message) : { type: 'notice', key: `message ${message.id}`, message });
    const ended = placed.behind.get(message);
    if (ended !== undefined) rows.push(turnRow(ended));
  }
  for (const attempts of placed.last) {
    const ids = new Set(attempts.flatMap(({ eventIds }) => eventIds));
    for (const id of ids) rows.push(...(moved.get(id) ?? []).map(promptRow));
    rows.push(turnRow(attempts));
  }
  return rows;
}

interface PlacedTurns {
  /** The attempts that led to an answer. */
  readonly answered: ReadonlyMap<MessageView, readonly Turn[]>;
  /** Attempts that ended without an answer, behind their last prompt. */
  readonly behind: ReadonlyMap<MessageView, readonly Turn[]>;
  /** What runs is at the end. */
  readonly last: readonly (readonly Turn[])[];
}

function placeTurns(
  turns: readonly Turn[],
  answers: ReadonlyMap<string, MessageView>,
  messages: readonly MessageView[],
): PlacedTurns {
  const answered = new Map<MessageView, readonly Turn[]>();
  const behind = new Map<MessageView, readonly Turn[]>();
  const last: (readonly Turn[])[] = [];
  for (const attempts of attemptsAtTheSame(turns)) {
    const ids = new Set(attempts.flatMap(({ eventIds }) => eventIds));
    const answer = [...ids].map((id) => answers.get(id)).find((message) => message !== undefined);
    if (answer !== undefined) answered.set(answer, attempts);
    else if (attempts.some(({ state }) => state === 'running')) last.push(attempts);
    else if (attempts.some(({ steps }) => steps.length > 0)) {
      const about = messages.filter(({ eventId }) => eventId !== null && ids.has(eventId));
      // A notice about a prompt (“it failed”) comes behind the steps that led to it.
      const prompt = about.findLast(({ role }) => role === 'user') ?? about[0];
      if (prompt !== undefined) behind.set(prompt, attempts);
    }
  }
  return { answered, behind, last };
}

function attemptsAtTheSame(turns: readonly Turn[]): Iterable<readonly Turn[]> {
  const groups = new Map<string, Turn[]>();
  for (const turn of turns) add(groups, turn.eventIds[0] ?? turn.turnId, turn);
  return groups.values();
}

function promptsToMove(
  messages: readonly MessageView[],
  answers: ReadonlyMap<string, MessageView>,
  placed: PlacedTurns,
): ReadonlyMap<string, readonly MessageView[]> {
  const atWork = new Set(placed.last.flat().flatMap(({ eventIds }) => eventIds));
  const moved = new Map<string, MessageView[]>();
  // From the end on: `next` is the first answer behind the message.
  let next: MessageView | undefined;
  for (const message of messages.toReversed()) {
    if (message.role === 'assistant') next = message;
    if (message.role !== 'user' || message.eventId === null || next === undefined) continue;
    const answer = answers.get(message.eventId);
    const overtaken = answer === undefined ? atWork.has(message.eventId) : next !== answer;
    if (overtaken) add(moved, message.eventId, message);
  }
  for (const [id, prompts] of moved) moved.set(id, prompts.toReversed());
  return moved;
}

function firstAnswers(messages: readonly MessageView[]): ReadonlyMap<string, MessageView> {
  const answers = new Map<string, MessageView>();
  for (const message of messages) {
    if (message.role === 'assistant' && message.eventId !== null && !answers.has(message.eventId)) {
      answers.set(message.eventId, message);
    }
  }
  return answers;
}

/** The gateway also puts a question into words, for faces without buttons. Here a card shows it, and its turn the answer. */
function isQuestion({ role, text }: MessageView): boolean {
  return (
    role === 'system' && /^Permission needed for [^\n]*\n[^\n]*\nAnswer [^\n]* to request \S+\.$/.test(text)
  );
}

function promptRow(message: MessageView): Row {
  return { type: 'prompt', key: `message ${message.id}`, message };
}

function turnRow(turns: readonly Turn[]): Row {
  const [first] = turns;
  return { type: 'answer', key: `answer ${first?.eventIds[0] ?? first?.turnId}`, turns };
}

function add<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
