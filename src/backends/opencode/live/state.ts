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
  /** The server has told of our message. */
  readonly promptSeen: boolean;
  /** The session was busy with our prompt: only after this can `idle` mean that our turn is over. */
  readonly started: boolean;
  readonly ended: boolean;
  /**
   * The messages that the turn was steered with, and the id of the server's reply to each: undefined while there is none,
   * empty if it failed.
   */
  readonly steers: ReadonlyMap<string, string | undefined>;
  /** The session is idle, but not every steer is answered. */
  readonly idle: boolean;
  /** The message of the user that the replies answer now. */
  readonly answering: string;
  /** Text has come since the last tool. */
  readonly spoke: boolean;
  /** The assistant's messages of this turn; `false` until they are complete. */
  readonly replies: ReadonlyMap<string, boolean>;
  /** Replies that are summaries made by a compaction: no answer to the prompt. */
  readonly summaries: ReadonlySet<string>;
  readonly streams: ReadonlyMap<string, StreamedPart>;
  readonly tools: ReadonlyMap<string, ToolCall>;
  /** The ids of parts of which all has been told, and of calls that have begun. */
  readonly done: ReadonlySet<string>;
  /** The ids of permission requests without an answer. */
  readonly permissionRequests: ReadonlySet<string>;
  /** Permission requests that came before the input of their tool, by the id of the call. */
  readonly heldRequests: ReadonlyMap<string, JsonObject>;
  readonly usage?: Usage;
  readonly finish: string;
  readonly failure?: Ending | undefined;
}

/** A text that is being written. */
export interface StreamedPart {
  readonly type: 'text' | 'thinking';
  /** How many characters have been told. */
  readonly sent: number;
  /** Events were lost: the rest is told when the part is complete. */
  readonly hasGap: boolean;
}

export interface ToolCall {
  /** The id in our events: the model's, unless the model has used it twice. */
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly input?: unknown;
}

export type OpenCodeTurnStep = readonly [state: OpenCodeTurnState, events: readonly LiveEvent[]];

export function newOpenCodeTurnState(sessionId: string, promptId: string): OpenCodeTurnState {
  return {
    sessionId,
    promptId,
    promptSeen: false,
    started: false,
    ended: false,
    steers: new Map(),
    idle: false,
    answering: promptId,
    spoke: false,
    replies: new Map(),
    summaries: new Set(),
    streams: new Map(),
    tools: new Map(),
    done: new Set(),
    permissionRequests: new Set(),
    heldRequests: new Map(),
    finish: '',
  };
}

/** A message is about to be sent into the turn. */
export function steerTurn(state: OpenCodeTurnState, id: string): OpenCodeTurnState {
  return { ...state, steers: new Map(state.steers).set(id, undefined) };
}

/** The server has answered the message: with the id of its reply, or empty because it failed. */
export function steerAnswered(state: OpenCodeTurnState, id: string, reply: string): OpenCodeTurnStep {
  const next = { ...state, steers: new Map(state.steers).set(id, reply) };
  return next.idle && allSteersAnswered(next) ? endTurn(next) : [next, []];
}

/** True if no steer is open. The server's answer may come before the events that belong to it. */
export function allSteersAnswered({ steers, replies }: OpenCodeTurnState): boolean {
  return [...steers.values()].every((reply) => reply === '' || (reply !== undefined && replies.get(reply)));
}

/** Events were lost: the rest of a text that is being written is told when the text is complete. */
export function markGap(state: OpenCodeTurnState): OpenCodeTurnState {
  const streams = new Map([...state.streams].map(([id, stream]) => [id, { ...stream, hasGap: true }]));
  return { ...state, streams };
}

/** Ends the turn as given, or else as its events have told. Permission requests without an answer count as denied. */
export function endTurn(state: OpenCodeTurnState, ending?: TurnEnding['ending']): OpenCodeTurnStep {
  if (state.ended) return [state, []];
  const unanswered = [...state.permissionRequests].map(
    (id) => ({ type: 'permission_resolved', id, decision: 'deny' }) as const,
  );
  return [
    { ...state, ended: true, permissionRequests: new Set() },
    [...unanswered, { type: 'ending', ending: ending ?? state.failure ?? answered(state.finish) }],
  ];
}
