import type { PermissionDecision, StepEvent, Usage } from '../../../core/chat-event.js';
import type { LiveEvent, TurnEnding } from '../../live/types.js';
import type { JsonObject } from '../../output/json.js';
import type { OpenTool, PermissionRequest } from './permissions.js';

/** One turn of one thread, as far as it has come. */
export interface CodexTurnState {
  /** From the answer to `turn/start`: only messages with this id belong to the turn. */
  readonly turnId?: string;
  /** The server has begun the turn. Before that it can't be interrupted. */
  readonly started: boolean;
  /** Messages that came before the turn's id was known. */
  readonly heldMessages: readonly CodexMessage[];
  /** The last complete message of the agent is the answer; those before it are remarks on the way. */
  readonly answer?: string;
  /** Answers that were complete when the turn was steered. */
  readonly earlierAnswers: readonly string[];
  /** A message of the agent is complete, and nothing followed it yet. */
  readonly messageComplete: boolean;
  /** The ids of the user's messages that Codex has put into the turn: the prompt's, and those it was steered with. */
  readonly userMessageIds: readonly string[];
  /** The last message is the user's: the model was not asked since. */
  readonly unanswered: boolean;
  /** Codex makes room for the prompt before anything else. */
  readonly compactsFirst: boolean;
  /** The text of messages that are not complete, as far as it has been streamed, by the message's id. */
  readonly streamedTexts: ReadonlyMap<string, StreamedText>;
  /** The ids of thoughts that came piece by piece. */
  readonly streamedThoughts: ReadonlySet<string>;
  /** The half of a message that comes again from its beginning after a retry. */
  readonly abandonedText: string;
  readonly tools: ReadonlyMap<string, OpenTool>;
  /** The number of plans that were told. */
  readonly plans: number;
  readonly permissionRequests: ReadonlyMap<string, PermissionRequest>;
  /** The thread's usage before this turn. */
  readonly totalBefore?: Usage;
  /** The usage that came before any answer: that of an earlier turn, or, if nothing follows it, of a turn without an answer. */
  readonly untoldUsage?: Usage | undefined;
  /** When the usage limit that is nearly used up resets, in seconds since 1970. */
  readonly resetsAt?: number;
  readonly ended: boolean;
}

export interface StreamedText {
  /** Only the beginning of a long text. */
  readonly text: string;
  readonly length: number;
}

/** One JSON-RPC message of the server, with its line. */
export interface CodexMessage {
  readonly value: JsonObject;
  readonly raw: string;
}

export type CodexTurnStep = readonly [state: CodexTurnState, events: readonly LiveEvent[]];

export const newCodexTurnState: CodexTurnState = {
  started: false,
  plans: 0,
  heldMessages: [],
  earlierAnswers: [],
  messageComplete: false,
  userMessageIds: [],
  unanswered: false,
  compactsFirst: false,
  streamedTexts: new Map(),
  streamedThoughts: new Set(),
  abandonedText: '',
  tools: new Map(),
  permissionRequests: new Map(),
  ended: false,
};

/** A permission was given or refused, or nobody needs it any more. */
export function resolvePermission(
  state: CodexTurnState,
  id: string,
  decision: PermissionDecision,
): CodexTurnStep {
  if (!state.permissionRequests.has(id)) return [state, []];
  return [
    { ...state, permissionRequests: without(state.permissionRequests, id) },
    [{ type: 'permission_resolved', id, decision }],
  ];
}

/** Ends the turn. Permission requests without an answer count as denied. */
export function endTurn(state: CodexTurnState, ending: TurnEnding['ending']): CodexTurnStep {
  if (state.ended) return [state, []];
  const denied = [...state.permissionRequests.keys()].map(
    (id): StepEvent => ({ type: 'permission_resolved', id, decision: 'deny' }),
  );
  return [{ ...state, permissionRequests: new Map(), ended: true }, [...denied, { type: 'ending', ending }]];
}

/** Our turn goes on in another turn of Codex's: the state for that one. */
export function continueInNewTurn(state: CodexTurnState): CodexTurnState {
  const { totalBefore, resetsAt } = state;
  return {
    ...newCodexTurnState,
    earlierAnswers: allAnswers(state),
    ...(totalBefore === undefined ? {} : { totalBefore }),
    ...(resetsAt === undefined ? {} : { resetsAt }),
  };
}

export function allAnswers({ answer, earlierAnswers }: CodexTurnState): readonly string[] {
  return answer ? [...earlierAnswers, answer] : earlierAnswers;
}

export function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  if (!map.has(key)) return map;
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
