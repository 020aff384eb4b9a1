import type {
  ChannelStatusView,
  MessagesView,
  MessageView,
  StreamedChatEvent,
  TurnView,
} from '../../src/gateway/channels/http/wire.js';
import { addEvent, describeTurn, type Turn, unknownTurn } from './turn.js';

/** A conversation as the page knows it: a fold over what the stream and the history tell, in any order. */
export interface Conversation {
  /** In the order of their ids, each once. */
  readonly messages: readonly MessageView[];
  /** The turns that were seen at work, in the order in which they were seen. */
  readonly turns: readonly Turn[];
  readonly status?: ChannelStatusView;
  /** The `before` of the page in front of the first message; `none` if that is the first of all. */
  readonly previous?: string;
  /** True when the last page of the history was read. */
  readonly loaded: boolean;
  /** The position of the last ChatEvent: an earlier one is a repeat. */
  readonly position?: readonly number[];
}

export type Frame =
  | { readonly type: 'chat'; readonly event: StreamedChatEvent; readonly id?: string }
  | { readonly type: 'turn'; readonly turn: TurnView }
  | { readonly type: 'said'; readonly message: MessageView }
  | { readonly type: 'state'; readonly status: ChannelStatusView }
  /** A page of the history: the last one, or the one in front of what is there. */
  | { readonly type: 'page'; readonly page: MessagesView }
  /** What was read so far counts no more. */
  | { readonly type: 'reset' };

export const emptyConversation: Conversation = { messages: [], turns: [], loaded: false };

export function fold(state: Conversation, frame: Frame): Conversation {
  switch (frame.type) {
    case 'chat':
      return chat(state, frame.event, frame.id);
    case 'turn':
      return changeTurn(state, frame.turn.turnId, (turn) => describeTurn(turn, frame.turn));
    case 'said':
      return { ...state, messages: merge(state.messages, [frame.message]) };
    case 'state':
      return { ...state, status: frame.status };
    case 'page':
      return addPage(state, frame.page);
    case 'reset':
      return state.status === undefined ? emptyConversation : { ...emptyConversation, status: state.status };
  }
}

export function foldAll(state: Conversation, frames: readonly Frame[]): Conversation {
  return frames.reduce(fold, state);
}

/** The oldest turn is forgotten when so many were seen at work: its steps can be loaded again. */
const maxTurns = 200;

function chat(state: Conversation, event: StreamedChatEvent, id: string | undefined): Conversation {
  const position = id === undefined ? undefined : readPosition(id);
  if (position !== undefined && state.position !== undefined && !isBehind(position, state.position))
    return state;
  const next = changeTurn(state, event.turnId, (turn) => addEvent(turn, event));
  return position === undefined ? next : { ...next, position };
}

function changeTurn(state: Conversation, turnId: string, change: (turn: Turn) => Turn): Conversation {
  const at = state.turns.findLastIndex((turn) => turn.turnId === turnId);
  const turn = state.turns[at];
  if (turn !== undefined) return { ...state, turns: state.turns.with(at, change(turn)) };
  return { ...state, turns: [...state.turns.slice(1 - maxTurns), change(unknownTurn(turnId))] };
}

function addPage(state: Conversation, page: MessagesView): Conversation {
  const messages = merge(state.messages, page.messages);
  const first = page.messages[0];
  // The last page, read again after a gap in the stream, says nothing about what is in front of the first message.
  const isFront = first === undefined || messages[0]?.id === first.id;
  const previous = isFront ? (page.previous ?? 'none') : state.previous;
  return { ...state, messages, loaded: true, ...(previous === undefined ? {} : { previous }) };
}

/** In the order of ids. A message that is there already stays the same object, so that its row is not drawn again. */
export function merge(known: readonly MessageView[], more: readonly MessageView[]): readonly MessageView[] {
  const ids = new Set(known.map(({ id }) => id));
  const added = more.filter(({ id }) => !ids.has(id) && ids.add(id));
  if (added.length === 0) return known;
  const last = known.at(-1);
  const merged = [...known, ...added];
  const inOrder = added.length === 1 && (last === undefined || number(last) < number(added[0]));
  return inOrder ? merged : merged.sort((one, other) => number(one) - number(other));
}

function number(message: MessageView | undefined): number {
  return Number(message?.id ?? 0);
}

/** `41~mi3.7~mi2.3.120` is behind message 41, in turn 7, behind 3 events and 120 characters; the message does not matter here. */
function readPosition(id: string): readonly number[] | undefined {
  const found = /^\d+(?:~\w+)?\.(\d+)(?:~\w+)?\.(?:(\d+)\.(\d+)|ended)$/.exec(id);
  if (found === null) return undefined;
  const [, turn, index, offset] = found;
  return [Number(turn), index === undefined ? Number.POSITIVE_INFINITY : Number(index), Number(offset ?? 0)];
}

function isBehind(position: readonly number[], other: readonly number[]): boolean {
  const at = position.findIndex((part, index) => part !== other[index]);
  return at !== -1 && (position[at] ?? 0) > (other[at] ?? 0);
}
