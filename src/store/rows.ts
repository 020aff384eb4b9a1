import type { ErrorCode, PermissionDecision, Usage } from '../core/chat-event.js';

// The rows on disk, as they are read.

export const finalStates = ['answered', 'refused', 'cancelled', 'failed'] as const;
export type FinalState = (typeof finalStates)[number];
export type EventState = 'queued' | 'running' | FinalState;

export function hasEnded({ state }: { readonly state: EventState }): boolean {
  return finalStates.some((final) => final === state);
}

/** A prompt goes to the agent; a command is for the gateway itself. */
export type EventKind = 'prompt' | 'command';

/** `user` and `assistant` speak; `system` is the gateway: notices, answers to commands, scheduled prompts. */
export type Role = 'user' | 'assistant' | 'system';

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The agent that a message asks for. What is left out stays as it is in the channel. */
export interface AgentChoice {
  readonly backend?: string | undefined;
  /** Null takes the model back that was chosen in the chat. */
  readonly model?: string | null | undefined;
  /** A depth by its name. */
  readonly thinking?: string | undefined;
}

export interface StoredEvent {
  readonly id: string;
  /** The number grows in the order of arrival. */
  readonly seq: number;
  readonly channel: string;
  readonly source: string;
  readonly kind: EventKind;
  readonly messageId?: string | undefined;
  readonly text: string;
  readonly author?: string | undefined;
  /** What the channel adds for the agent about the message (who wrote it, what it answers): people don't see it. */
  readonly context?: string | undefined;
  /** What its sender tells the agent beside the text, for the turn's system prompt. */
  readonly instructions?: string | undefined;
  /** The agent that is to answer: its turn changes the channel to it. */
  readonly agent?: AgentChoice | undefined;
  /** How the message meets others, in place of the channel's own mode. One with `queue` has a turn of its own. */
  readonly queueMode?: string | undefined;
  readonly state: EventState;
  readonly createdAt: number;
  readonly endedAt?: number | undefined;
  /** Turns that were begun for the event, less the free ones: those that ended with the gateway, not by their own fault. */
  readonly attempts: number;
  /** Turns that were broken off by a crash of the gateway, as far as they were counted. */
  readonly crashes: number;
  /** The time until which a retry waits. */
  readonly notBefore?: number | undefined;
  /** The turn that works on the event, or has ended it. */
  readonly turnId?: string | undefined;
  readonly responseText?: string | undefined;
  /** The reason why the event failed, was refused or cancelled; while it waits, why the last attempt failed. */
  readonly error?: Failure | undefined;
  /**
   * True if `prune` has removed the event: its texts and turns are gone. For a while just enough is left to know its
   * message again.
   */
  readonly removed?: true | undefined;
}

/** The setup that a turn was run with. */
export interface TurnSetup {
  readonly backend: string;
  readonly model?: string | undefined;
  readonly cwd: string;
  readonly live: boolean;
  /** The session that it resumed. */
  readonly resumed?: string | undefined;
  /** True if a person is asked before anything begins that does more than read. */
  readonly asks?: true;
  readonly prompt: PromptRecord;
}

/** The files that made the system prompt, and the size of the seed in front of the message. */
export interface PromptRecord {
  readonly files: readonly PromptFile[];
  readonly characters: number;
  /** sha256 of the assembled system prompt. */
  readonly hash: string;
  /** The number of earlier messages that the agent was given, because it had not seen them. */
  readonly seededMessages: number;
  /** True if a hook has put other words in the message's place. */
  readonly isChanged?: true;
}

export interface PromptFile {
  /** The path relative to CONFIG_DIR. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly truncated: boolean;
}

export interface ToolRecord {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly isError?: boolean | undefined;
  /** True if it was denied: it has done nothing. */
  readonly denied?: boolean | undefined;
}

/** The trees of a work tree around a turn, by their names in the snapshots of that directory. */
export interface TreeChange {
  /** The real path of the directory. */
  readonly cwd: string;
  readonly before: string;
  readonly after: string;
  /** The number of new files that are not in `after`: ignore rules hide them that were written meanwhile, and they are many. */
  readonly hidden?: number | undefined;
}

/** A turn of the present conversation, as far as it may have changed files. */
export interface ChangingTurn {
  readonly turnId: string;
  /** The directory that the agent was started in. */
  readonly cwd: string;
  /** True if a tool was announced. */
  readonly usedTools: boolean;
  readonly changes?: TreeChange | undefined;
}

export interface StoredTurn {
  readonly id: string;
  /** The number grows with every turn of the store. */
  readonly seq: number;
  readonly channel: string;
  /** The events that it answers, in order. */
  readonly eventIds: readonly string[];
  readonly state: 'running' | 'postponed' | FinalState;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  /** Absent until the turn has begun to run. */
  readonly setup?: TurnSetup | undefined;
  /** The model that the CLI named, else the one that was asked for. */
  readonly model?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly tools: readonly ToolRecord[];
  readonly usage?: Usage | undefined;
  /** The agent's reason; of a running turn, who is stopping it. */
  readonly stopReason?: string | undefined;
  readonly error?: Failure | undefined;
}

/** How much of a model's context an agent's session takes, in tokens. */
export interface ContextUsed {
  readonly tokens: number;
  /** The number of tokens that fit in, where the CLI tells it. */
  readonly window?: number | undefined;
}

/** A place in a channel: behind a message, and in or behind a turn. 0 where there is none. */
export interface ChannelPlace {
  readonly message: number;
  /** When the message was written. */
  readonly messageAt: number;
  readonly turn: number;
  /** When the turn began. */
  readonly turnAt: number;
}

/** A turn without its tools: there may be thousands of them. */
export type TurnOutline = Omit<StoredTurn, 'tools'>;

export interface StoredMessage {
  readonly id: number;
  readonly channel: string;
  readonly eventId?: string | undefined;
  readonly role: Role;
  readonly text: string;
  readonly backend?: string | undefined;
  readonly createdAt: number;
  /** True for the answer of a schedule's turn that had nothing to say: nobody was brought it. */
  readonly silent?: true | undefined;
  /** For the text of an event, where a conversation is read: who wrote it, if that was told. */
  readonly author?: string | undefined;
  /** For the text of an event, where a conversation is read: what has become of it so far. */
  readonly event?: { readonly state: EventState; readonly begun: boolean } | undefined;
}

export type MessageOutline = Pick<StoredMessage, 'id' | 'role' | 'eventId' | 'createdAt'>;

/** A message as a part of the conversation with an agent. */
export interface ConversationMessage extends StoredMessage {
  readonly part: 'prompt' | 'answer' | 'notice';
  /** True if its event ended without an answer. */
  readonly failed: boolean;
}

export interface Delivery {
  readonly id: number;
  readonly message: StoredMessage;
  readonly source: string;
  readonly attempts: number;
}

export interface StoredPermission {
  readonly id: string;
  readonly channel: string;
  readonly eventId: string;
  readonly turnId: string;
  readonly tool: string;
  readonly input: unknown;
  /** True in a list that has no room for the input: it is undefined there. */
  readonly inputLeftOut?: true;
  readonly options: readonly PermissionDecision[];
  /** As in `PermissionRequestEvent`. */
  readonly always?: string | undefined;
  readonly state: 'pending' | 'decided' | 'void';
  readonly decision?: PermissionDecision | undefined;
  readonly message?: string | undefined;
  readonly createdAt: number;
  readonly decidedAt?: number | undefined;
}

export interface StoredSession {
  readonly channel: string;
  readonly backend: string;
  readonly sessionId: string;
  /** The directory that it was made in: resumed elsewhere, three of the four CLIs fail or hang. */
  readonly cwd: string;
  /** The seq of the last event that it knows, with its answer. `finish` sets it; a new session knows 0. */
  readonly seen: number;
}

/** The settings that were made in the chat; all others come from files and the environment. */
export interface ChannelState {
  readonly backend?: string | undefined;
  readonly model?: string | undefined;
  readonly thinking?: string | undefined;
  readonly queueMode?: string | undefined;
  /** The seq of the event behind which the present conversation begins. */
  readonly conversationStart: number;
  /** The title that a person has given. */
  readonly title?: string | undefined;
  /** True if a person has put the channel away, and nothing was said in it since. */
  readonly archived: boolean;
}

export interface ChannelOverview {
  readonly channel: string;
  /** The title that it was given. */
  readonly title?: string | undefined;
  readonly waiting: number;
  readonly running: boolean;
  readonly messages: number;
  readonly lastMessageAt?: number | undefined;
}

/** A channel as a list of conversations shows it. Texts are beginnings, of at most 600 characters. */
export interface ChannelDigest extends ChannelOverview {
  /** The title that a person has given. */
  readonly title?: string | undefined;
  readonly archived: boolean;
  /** The first prompt of the present conversation. */
  readonly firstPrompt?: string | undefined;
  readonly lastText?: string | undefined;
  /** True if the last message is a silent one. */
  readonly lastSilent?: true | undefined;
  readonly pendingPermissions: number;
}

/** The turns of one backend, or of one channel, that ended within a time. */
export interface TurnStatistics {
  readonly key: string;
  /** Postponed attempts count for tokens, cost and errors, but not as turns of their own. */
  readonly turns: number;
  readonly answered: number;
  readonly failed: number;
  readonly cancelled: number;
  /** How long each turn took, in no order. */
  readonly ms: readonly number[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly costUsd: number;
  readonly errors: Readonly<Partial<Record<ErrorCode, number>>>;
}

export interface StoreCounts {
  readonly events: Readonly<Record<EventState, number>>;
  readonly undelivered: number;
  readonly pendingPermissions: number;
  readonly oldestWaitingAt?: number | undefined;
}
