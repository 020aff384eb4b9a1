import type { Usage } from '../../../core/chat-event.js';
import type { LiveEvent, TurnEnding } from '../../live/types.js';
import type { Ending } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { answered } from '../decoder.js';

/** One turn of a session, as far as the server's events have told of it. */
export interface OpenCodeTurnState {
  readonly sessionId: string;
  /** The id of our own message. Ids grow with time: what is greater belongs to this turn, the rest to an older one. */
  readonly promptId: string;
  readonly prompted: boolean;
  /** The session was busy with our prompt: only after this can `idle` mean that our turn is over. */
  readonly started: boolean;
  readonly over: boolean;
  /** Messages that were said into the turn, and the reply that the server answered each of them with, when it has. */
  readonly told: ReadonlyMap<string, string | undefined>;
  /** The session is idle, but for what was said into it. */
  readonly rests: boolean;
  /** The message that the replies answer now. */
  readonly answering: string;
  /** Something was said since the last tool. */
  readonly spoke: boolean;
  /** The assistant's messages of this turn; `false` until they are complete. */
  readonly replies: ReadonlyMap<string, boolean>;
  /** Replies that are summaries made by a compaction: no answer to the prompt. */
  readonly summaries: ReadonlySet<string>;
  readonly streams: ReadonlyMap<string, Stream>;
  readonly tools: ReadonlyMap<string, ToolCall>;
  /** Parts of which all has been told. */
  readonly done: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
  /** Requests that came before the input of their tool. */
  readonly held: ReadonlyMap<string, JsonObject>;
  readonly usage?: Usage;
  readonly finish: string;
  readonly failure?: Ending | undefined;
}

/** A text that is being written. */
export interface Stream {
  readonly type: 'text' | 'thinking';
  readonly sent: number;
  /** Events were lost: the rest comes when the part is whole. */
  readonly gap: boolean;
}

export interface ToolCall {
  /** What its events are called by: the model's id, unless the model has used it twice. */
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly input?: unknown;
}

export type LiveStep = readonly [state: OpenCodeTurnState, events: readonly LiveEvent[]];

export function beginTurn(sessionId: string, promptId: string): OpenCodeTurnState {
  return {
    sessionId,
    promptId,
    prompted: false,
    started: false,
    over: false,
    told: new Map(),
    rests: false,
    answering: promptId,
    spoke: false,
    replies: new Map(),
    summaries: new Set(),
    streams: new Map(),
    tools: new Map(),
    done: new Set(),
    asked: new Set(),
    held: new Map(),
    finish: '',
  };
}

/** A message is about to be said into the turn. */
export function tellTurn(state: OpenCodeTurnState, id: string): OpenCodeTurnState {
  return { ...state, told: new Map(state.told).set(id, undefined) };
}

/** The server has answered it: with a reply, or with none because it failed. */
export function wasTold(state: OpenCodeTurnState, id: string, reply: string): LiveStep {
  const next = { ...state, told: new Map(state.told).set(id, reply) };
  return next.rests && allTold(next) ? concludeTurn(next) : [next, []];
}

/** Nothing is open that was said into the turn. The answers may come before the events that belong to them. */
export function allTold({ told, replies }: OpenCodeTurnState): boolean {
  return [...told.values()].every((reply) => reply === '' || (reply !== undefined && replies.get(reply)));
}

/** Events were lost: what is being written is told when it is whole. */
export function afterGap(state: OpenCodeTurnState): OpenCodeTurnState {
  const streams = new Map([...state.streams].map(([id, stream]) => [id, { ...stream, gap: true }]));
  return { ...state, streams };
}

/** Ends the turn with what is known, or as somebody else knows it. */
export function concludeTurn(state: OpenCodeTurnState, ending?: TurnEnding['ending']): LiveStep {
  if (state.over) return [state, []];
  const unanswered = [...state.asked].map(
    (id) => ({ type: 'permission_resolved', id, decision: 'deny' }) as const,
  );
  return [
    { ...state, over: true, asked: new Set() },
    [...unanswered, { type: 'ending', ending: ending ?? state.failure ?? answered(state.finish) }],
  ];
}
