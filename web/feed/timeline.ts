import { isQuestionText } from '../../src/core/question-text.js';
import type { MessageView } from '../../src/gateway/channels/http/wire.js';
import type { Turn } from './turn.js';

/** A row of the conversation. Keys stay the same when a running turn becomes an answer, and when a past one is read. */
export type Row =
  | { readonly type: 'prompt'; readonly key: string; readonly message: MessageView }
  | { readonly type: 'notice'; readonly key: string; readonly message: MessageView }
  /** The prompt's turn has ended without an answer, and what was said in it was not read yet. */
  | { readonly type: 'past'; readonly key: string; readonly message: MessageView; readonly last: boolean }
  | AnswerRow;

/** The attempts that were seen at work, and the answer if there is one. */
export interface AnswerRow {
  readonly type: 'answer';
  readonly key: string;
  readonly turns: readonly Turn[];
  readonly message?: MessageView;
  /** The messages that came into the turn: they are shown where they came in. */
  readonly within: readonly MessageView[];
  /** True if a notice says how it ended. */
  readonly told: boolean;
  /** True if more than one message was answered, and it was not read yet where they came in. */
  readonly joined: boolean;
}

export interface TimelineInput {
  readonly messages: readonly MessageView[];
  readonly turns: readonly Turn[];
  /** The events that wait: their prompts are shown in the queue. */
  readonly waiting: ReadonlySet<string>;
}

/**
 * The rows in the order in which they are read. Messages come in the order of their ids, but what belongs to one prompt stands
 * together: a prompt that waited while another was answered comes in front of its own answer, or of the turn that works on it;
 * a notice of how a turn ended comes behind that turn; a message that was dropped comes behind what it waited for.
 */
export function arrange({ messages, turns, waiting }: TimelineInput): readonly Row[] {
  const answers = firstAnswers(messages);
  const placed = placeTurns(turns, answers, messages);
  const moved = promptsToMove(messages, answers, placed);
  const notices = noticesToMove(messages, answers, placed);
  const placedNotices = new Set([...notices.values()].flat());
  const joined = joinedAnswers(messages, answers);
  const rows: Row[] = [];
  let dropped: Row[] = [];
  const prompt = (message: MessageView) => {
    if (placed.within.has(message)) return;
    rows.push(promptRow(message));
    const ended = placed.behind.get(message);
    const told = notices.get(message) ?? [];
    if (ended !== undefined) rows.push(turnRow(ended, placed, told.length > 0));
    else if (told.length > 0 && wasBegun(message))
      rows.push({ type: 'past', key: `answer ${message.eventId}`, message, last: false });
    rows.push(...told.map(noticeRow));
  };
  for (const message of messages) {
    const { eventId, role } = message;
    if (role === 'assistant') {
      const opening = eventId !== null && answers.get(eventId) === message;
      if (opening) for (const one of moved.get(eventId) ?? []) prompt(one);
      const key = opening ? `answer ${eventId}` : `message ${message.id}`;
      const attempts = placed.answered.get(message) ?? [];
      const within = withinOf(attempts, placed);
      rows.push({
        ...{ type: 'answer', key, turns: attempts, message, within, told: false },
        joined: attempts.length === 0 && joined.has(message),
      });
    } else if (role === 'system') {
      if (isQuestion(message)) continue;
      if (!placedNotices.has(message)) rows.push(noticeRow(message));
      const ended = placed.behind.get(message);
      if (ended !== undefined) rows.push(turnRow(ended, placed, false));
    } else if (eventId === null || !(waiting.has(eventId) || moved.get(eventId)?.includes(message))) {
      if (isDropped(message))
        dropped.push(promptRow(message), ...(notices.get(message) ?? []).map(noticeRow));
      else prompt(message);
      continue;
    }
    if (role === 'user' || eventId === null) continue;
    rows.push(...dropped);
    dropped = [];
  }
  for (const attempts of placed.last) {
    const ids = new Set(attempts.flatMap(({ eventIds }) => eventIds));
    for (const id of ids) for (const one of moved.get(id) ?? []) prompt(one);
    rows.push(turnRow(attempts, placed, false));
  }
  rows.push(...dropped);
  return markLast(rows);
}

/** What the last turn had said before it was stopped is read at once. */
function markLast(rows: Row[]): readonly Row[] {
  const at = rows.findLastIndex(({ type }) => type === 'past' || type === 'answer');
  const row = rows[at];
  if (row?.type === 'past') rows[at] = { ...row, last: true };
  return rows;
}

/** True if the message was cancelled while it waited. */
export function isDropped({ role, state, begun }: MessageView): boolean {
  return role === 'user' && state === 'cancelled' && begun === false;
}

function wasBegun({ state, begun }: MessageView): boolean {
  return begun === true && (state === 'cancelled' || state === 'failed');
}

interface PlacedTurns {
  /** The attempts that led to an answer. */
  readonly answered: ReadonlyMap<MessageView, readonly Turn[]>;
  /** Attempts that ended without an answer, behind their last prompt. */
  readonly behind: ReadonlyMap<MessageView, readonly Turn[]>;
  /** What runs is at the end. */
  readonly last: readonly (readonly Turn[])[];
  /** The messages that came into a turn. */
  readonly within: ReadonlyMap<MessageView, Turn>;
}

function placeTurns(
  turns: readonly Turn[],
  answers: ReadonlyMap<string, MessageView>,
  messages: readonly MessageView[],
): PlacedTurns {
  const answered = new Map<MessageView, readonly Turn[]>();
  const behind = new Map<MessageView, readonly Turn[]>();
  const last: (readonly Turn[])[] = [];
  const within = messagesWithin(turns, messages);
  for (const attempts of attemptsAtTheSame(turns)) {
    const ids = new Set(attempts.flatMap(({ eventIds }) => eventIds));
    const answer = [...ids].map((id) => answers.get(id)).find((message) => message !== undefined);
    if (answer !== undefined) answered.set(answer, attempts);
    else if (attempts.some(({ state }) => state === 'running')) last.push(attempts);
    else if (attempts.some(({ steps }) => steps.length > 0)) {
      const about = messages.filter(
        (message) => message.eventId !== null && ids.has(message.eventId) && !within.has(message),
      );
      // A notice about a prompt (“it failed”) comes behind the steps that led to it.
      const prompt = about.findLast(({ role }) => role === 'user') ?? about[0];
      if (prompt !== undefined) behind.set(prompt, attempts);
    }
  }
  return { answered, behind, last, within };
}

function messagesWithin(
  turns: readonly Turn[],
  messages: readonly MessageView[],
): ReadonlyMap<MessageView, Turn> {
  const within = new Map<MessageView, Turn>();
  for (const turn of turns) {
    for (const step of turn.steps) {
      if (step.type !== 'steering') continue;
      const found = messages.find(({ role, eventId }) => role === 'user' && eventId === step.eventId);
      if (found !== undefined) within.set(found, turn);
    }
  }
  return within;
}

function withinOf(turns: readonly Turn[], { within }: PlacedTurns): readonly MessageView[] {
  if (within.size === 0) return [];
  return [...within].filter(([, turn]) => turns.includes(turn)).map(([message]) => message);
}

/** The notices of how a turn ended without an answer, by the prompt that they stand behind. */
function noticesToMove(
  messages: readonly MessageView[],
  answers: ReadonlyMap<string, MessageView>,
  { last, behind, within }: PlacedTurns,
): ReadonlyMap<MessageView, readonly MessageView[]> {
  const atWork = new Set(last.flat().flatMap(({ eventIds }) => eventIds));
  const prompts = new Map<string, MessageView>();
  for (const message of messages) {
    if (message.role === 'user' && message.eventId !== null && !within.has(message))
      prompts.set(message.eventId, message);
  }
  // Behind the turn, which stands behind the last of its prompts.
  for (const [prompt, turns] of behind) {
    for (const { eventIds } of turns) for (const id of eventIds) prompts.set(id, prompt);
  }
  const notices = new Map<MessageView, MessageView[]>();
  for (const message of messages) {
    const { eventId, role } = message;
    if (role !== 'system' || eventId === null || isQuestion(message)) continue;
    const prompt = prompts.get(eventId);
    if (prompt === undefined || prompt.role !== 'user' || answers.has(eventId) || atWork.has(eventId))
      continue;
    add(notices, prompt, message);
  }
  return notices;
}

/** The answers to more than one message: some of them may have come into the turn. */
function joinedAnswers(
  messages: readonly MessageView[],
  answers: ReadonlyMap<string, MessageView>,
): ReadonlySet<MessageView> {
  const joined = new Set<MessageView>();
  let next: MessageView | undefined;
  for (const message of messages.toReversed()) {
    const { role, eventId, state, begun } = message;
    if (role === 'assistant') next = message;
    const isJoined = role === 'user' && state === 'answered' && begun === true && eventId !== null;
    if (isJoined && !answers.has(eventId) && next !== undefined) joined.add(next);
  }
  return joined;
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
  return role === 'system' && isQuestionText(text);
}

function promptRow(message: MessageView): Row {
  return { type: 'prompt', key: `message ${message.id}`, message };
}

function noticeRow(message: MessageView): Row {
  return { type: 'notice', key: `message ${message.id}`, message };
}

function turnRow(turns: readonly Turn[], placed: PlacedTurns, told: boolean): Row {
  const [first] = turns;
  const key = `answer ${first?.eventIds[0] ?? first?.turnId}`;
  return { type: 'answer', key, turns, within: withinOf(turns, placed), told, joined: false };
}

function add<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
