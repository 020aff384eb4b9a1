import type { ChatEvent, PermissionDecision } from '../../core/chat-event.js';
import type { EarlierSession } from './earlier-sessions.js';
import type { Command } from './state/commands.js';

/** What a chat talks to: an agent of its own, or a channel of a running gateway. What happens in it is told as events. */
export interface Conversation {
  readonly status: ConversationStatus;
  /** The names that `/backend` takes. */
  readonly backends: readonly string[];
  readonly commands: readonly Command[];
  /** Begins to tell. Resolves when it is ready; rejects with a TurnoutError. A message before that waits for it. */
  open(tell: Tell): Promise<void>;
  /** Begins a turn, whose events are told. Never rejects: a turn that can't begin is told as one that failed. */
  say(prompt: string): Promise<void>;
  /** Says something into the running turn; false if that can't be, or no turn runs any more. Never rejects. */
  steer(text: string): Promise<boolean>;
  interrupt(): Promise<void>;
  /** Rejects if nobody waits for the answer any more. */
  answer(id: string, decision: PermissionDecision, message?: string): Promise<void>;
  /** Does what a command asks for, and says what was done. Rejects with a TurnoutError. */
  command(command: ConversationCommand, argument: string): Promise<string>;
  /** Takes a command that it does by itself (`handedOn`), and says as notes what it has done. Rejects with a TurnoutError. */
  handOn(text: string): Promise<void>;
  /** The sessions that `resume` takes, the last used one first. */
  sessions(): Promise<readonly EarlierSession[]>;
  /** Ends it. Resolves to the command that goes on with it, if there is something to go on with. */
  close(): Promise<string | undefined>;
}

export type Tell = (event: ConversationEvent) => void | Promise<void>;

export const conversationCommands = ['backend', 'model', 'permissions', 'thinking', 'new', 'resume'] as const;
export type ConversationCommand = (typeof conversationCommands)[number];

export type ConversationEvent =
  /** A turn begins. */
  | { readonly type: 'turn' }
  /** Somebody else has said something, or it was said before; what is said here is on the screen already. */
  | { readonly type: 'said'; readonly text: string; readonly by?: string }
  /** An answer that was given before. */
  | { readonly type: 'answered'; readonly text: string }
  | { readonly type: 'agent'; readonly event: ChatEvent }
  | { readonly type: 'status'; readonly status: ConversationStatus }
  /** Something that belongs to no turn. */
  | { readonly type: 'note'; readonly text: string; readonly warning?: true };

export interface ConversationStatus {
  readonly backend: string;
  readonly model?: string | undefined;
  /** How deep it thinks, if that was chosen. */
  readonly thinking?: string | undefined;
  readonly permissionMode?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly cwd: string;
  /** The directory as a person would write it. */
  readonly place?: string | undefined;
  /** Whether a running turn takes messages in; undefined: not known. */
  readonly steers?: boolean | undefined;
  /** The gateway's channel, if it is one. */
  readonly channel?: string | undefined;
}
