import type { ChatEvent, PermissionDecision } from '../core/chat-event.js';
import type { CompleteSessionOptions } from '../sessions/types.js';

/** Changes with every change of the messages: a host and a client of two versions don't talk. */
export const hostProtocol = 1;

/** The most that one message may hold. A prompt beyond it is a cold run's. */
export const maxMessageBytes = 32 * 1024 * 1024;

/**
 * One connection is one turn, or one question about the host. A turn:
 *
 * client `turn` → host `accepted` → `opened` (a CLI has a session ready) → client `go` → host `event`… up to the turn's one
 * terminal event. Until `go` nothing was said to a model. The host answers with `cold` in place of `accepted` or `opened` if
 * it can't serve the turn, and with `lost` in place of an event if its CLI died before it said anything.
 */
export type ClientMessage =
  | TurnRequest
  | { readonly type: 'go' }
  | { readonly type: 'interrupt' }
  | {
      readonly type: 'answer';
      readonly id: string;
      readonly decision: PermissionDecision;
      readonly message?: string | undefined;
    }
  | { readonly type: 'status'; readonly protocol: number }
  /** The host ends when its running turns have. */
  | { readonly type: 'stop'; readonly protocol: number };

export interface TurnRequest {
  readonly type: 'turn';
  readonly protocol: number;
  /** The client's program: a host of another build ends itself. */
  readonly build: string;
  /** What a child would inherit of the client beside its environment. */
  readonly surroundings: string;
  readonly options: HostedOptions;
  readonly prompt: string;
}

/** A session's options, as far as they can travel. The environment is always a part of them. */
export type HostedOptions = Omit<
  CompleteSessionOptions,
  'adapter' | 'agentHooks' | 'trace' | 'rawArgs' | 'stream'
>;

export type HostMessage =
  | { readonly type: 'accepted' }
  | { readonly type: 'opened'; readonly sessionId?: string | undefined; readonly reused: boolean }
  | { readonly type: 'cold'; readonly reason: string }
  | { readonly type: 'lost'; readonly reason: string }
  | { readonly type: 'event'; readonly event: ChatEvent }
  /** Comes every few seconds of a turn, whatever the agent does: a host that was stopped says nothing. */
  | { readonly type: 'alive' }
  | HostStatus;

export interface HostStatus {
  readonly type: 'status';
  readonly pid: number;
  readonly build: string;
  /** True if it takes no more turns. */
  readonly ending: boolean;
  readonly turns: number;
  readonly uptimeMs: number;
  /** It ends when nobody has used it for so long. */
  readonly idleMs: number;
  readonly warm: readonly WarmStatus[];
}

/** The processes that are kept for one combination of directory, environment and options. */
export interface WarmStatus {
  readonly backend: string;
  readonly cwd: string;
  readonly model?: string | undefined;
  readonly processes: number;
  readonly turns: number;
  readonly idleMs: number;
}
