import { notice, type PermissionDecision } from '../../../core/chat-event.js';
import type { LiveEvent } from '../../live/types.js';
import { type ClaudeState, claudeDecoder, claudeLabel } from '../decoder.js';
import type { Parts } from './parts.js';

/** The decoder's state over all turns of a process. Turns that the agent begins by itself are kept apart from ours. */
export interface ClaudeLiveState {
  /** As in `ClaudeState`. */
  readonly label: string;
  readonly turn: OurTurn | undefined;
  /** The session's cost so far, where it is known. */
  readonly cost: number | undefined;
  /** This version reports with `command_lifecycle` lines where a message's turn begins (2.1.325 does, older ones don't). */
  readonly reportsLifecycle: boolean;
  /** The agent's text in a turn of its own, which a finished background task or a timer started. */
  readonly unpromptedText: string;
  /** When a reached rate limit is over. */
  readonly limitEnds: string | undefined;
}

export interface OurTurn {
  /** The id of the message that Claude works on, or is to work on next: ours, or one that steers the turn. */
  readonly messageId: string;
  /** Claude works on the message. A version that reports no lifecycle is taken to do so at once. */
  readonly begun: boolean;
  readonly decoded: ClaudeState;
  /** Ids of the permission requests without an answer. */
  readonly openQuestions: readonly string[];
  /** Ids of the messages that steer the turn and that Claude has not begun to work on. */
  readonly pendingSteers: readonly string[];
  /** The turn so far, if Claude ended a turn of its own before it began to work on them. */
  readonly parts: Parts | undefined;
}

export type LiveStep = readonly [state: ClaudeLiveState, events: readonly LiveEvent[]];

/** `cost` is what the session has cost before, 0 for a new one. */
export function liveState(cost: number | undefined, label = claudeLabel): ClaudeLiveState {
  return { label, turn: undefined, cost, reportsLifecycle: false, unpromptedText: '', limitEnds: undefined };
}

const { initial } = claudeDecoder(undefined);

/** A turn of ours, of which nothing has come yet. */
export function newTurn({ reportsLifecycle, label }: ClaudeLiveState, messageId: string): OurTurn {
  return {
    messageId,
    begun: !reportsLifecycle,
    decoded: { ...initial, label },
    openQuestions: [],
    pendingSteers: [],
    parts: undefined,
  };
}

/** The same turn, which waits for its message to begin. */
export function waitForBeginning({ reportsLifecycle, label }: ClaudeLiveState, turn: OurTurn): OurTurn {
  return { ...turn, begun: !reportsLifecycle, decoded: { ...initial, label }, openQuestions: [] };
}

export function unpromptedNotices(text: string): readonly LiveEvent[] {
  if (text === '') return [];
  return [notice('info', `Between the turns the agent went on by itself and said: ${text}`)];
}

export function permissionResolved(id: string, decision: PermissionDecision): LiveEvent {
  return { type: 'permission_resolved', id, decision };
}

/** False for the empty piece that the shared decoder gives where a block brings nothing new. */
export function isNews(event: LiveEvent): boolean {
  return !((event.type === 'text' || event.type === 'thinking') && event.text === '');
}
