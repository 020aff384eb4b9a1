import { notice, type PermissionDecision } from '../../../core/chat-event.js';
import type { LiveEvent } from '../../live/types.js';
import { type ClaudeState, claudeDecoder } from '../decoder.js';
import type { Parts } from './parts.js';

/** What is known of a live process's session. Turns that nobody asked for are kept apart from ours. */
export interface ClaudeLiveState {
  readonly turn: OurTurn | undefined;
  /** The session's cost so far, where it is known. */
  readonly cost: number | undefined;
  /** Does this version tell where a message's turn begins? (2.1.325 does, older ones don't.) */
  readonly tellsBeginnings: boolean;
  /** What the agent said in a turn of its own, which a finished background task or a timer started. */
  readonly unprompted: string;
  /** When a reached rate limit is over. */
  readonly limitEnds: string | undefined;
}

export interface OurTurn {
  /** The id that our message carries. */
  readonly message: string;
  /** Claude works on our message. A version that tells no beginnings is taken to do so at once. */
  readonly begun: boolean;
  readonly decoded: ClaudeState;
  /** Permission requests without an answer. */
  readonly asked: readonly string[];
  /** Messages that were said into the turn and that Claude has not taken up yet. */
  readonly told: readonly string[];
  /** What has come so far, when Claude ended a turn of its own before it took them up. */
  readonly parts: Parts | undefined;
}

export type LiveStep = readonly [state: ClaudeLiveState, events: readonly LiveEvent[]];

/** `cost`: what the session has cost before, 0 for a new one. */
export function liveState(cost: number | undefined): ClaudeLiveState {
  return { turn: undefined, cost, tellsBeginnings: false, unprompted: '', limitEnds: undefined };
}

const { initial } = claudeDecoder(undefined);

/** A turn of ours, of which nothing has come yet. */
export function newTurn({ tellsBeginnings }: ClaudeLiveState, message: string): OurTurn {
  return { message, begun: !tellsBeginnings, decoded: initial, asked: [], told: [], parts: undefined };
}

/** The same turn, as if nothing of it had come yet. */
export function anew({ tellsBeginnings }: ClaudeLiveState, turn: OurTurn): OurTurn {
  return { ...turn, begun: !tellsBeginnings, decoded: initial, asked: [] };
}

export function tellUnprompted(said: string): readonly LiveEvent[] {
  if (said === '') return [];
  return [notice('info', `Between the turns the agent went on by itself and said: ${said}`)];
}

export function resolved(id: string, decision: PermissionDecision): LiveEvent {
  return { type: 'permission_resolved', id, decision };
}

/** The shared decoder gives an empty piece where a block brings nothing new. */
export function says(event: LiveEvent): boolean {
  return !((event.type === 'text' || event.type === 'thinking') && event.text === '');
}
