import type { PermissionDecision, Usage } from '../../../core/chat-event.js';
import type { ConversationCommand, ConversationEvent, ConversationStatus } from '../conversation.js';
import type { EarlierSession } from '../earlier-sessions.js';
import { type Editor, newEditor } from '../input/editor.js';
import type { Key } from '../input/keys.js';
import type { Search } from '../input/search-history.js';
import type { MarkdownStream } from '../markdown/markdown-stream.js';
import type { Line } from '../text/styled-line.js';
import type { Choice } from './choices.js';
import { type Command, ownCommands } from './commands.js';
import type { AskedRequest } from './describe-request.js';
import type { TotalsOfChat } from './totals.js';

/** All that a chat shows depends on this, and on the time. */
export interface ChatState {
  readonly columns: number;
  readonly rows: number;
  /** False in a terminal that can't move its cursor: lines come in whole, and only finished ones are shown. */
  readonly movesCursor: boolean;
  readonly status: ConversationStatus;
  readonly backends: readonly string[];
  readonly commands: readonly Command[];
  readonly editor: Editor;
  readonly search: Search | undefined;
  readonly turn: Turn | undefined;
  /** Messages for the time after the turn. */
  readonly queue: readonly string[];
  /** Messages of which it is not known yet whether the turn takes them. */
  readonly steering: readonly string[];
  /** The first one is being asked. */
  readonly questions: readonly Question[];
  /** Who gets the keys while a question is open: Esc and an empty field lead to the question. */
  readonly focus: 'question' | 'field';
  /** The tools of the questions that were asked in this turn, by the ids of the questions. */
  readonly asked: ReadonlyMap<string, string>;
  /** The tools that were denied here: not every CLI says so when they end. */
  readonly denied: ReadonlySet<string>;
  readonly picker: Picker | undefined;
  /** What is being done for a command. */
  readonly doing: string | undefined;
  readonly hint: { readonly text: string; readonly until: number } | undefined;
  readonly showsThinking: boolean;
  readonly lastPrompt: string | undefined;
  readonly totals: TotalsOfChat;
  /** What tools have said and was not shown as a whole, the newest last. */
  readonly outputs: readonly ToolOutput[];
  readonly lastStopAt: number;
  readonly leaving: boolean;
  /** What was printed last, so that different things stand apart. */
  readonly block: Block;
  readonly endsBlank: boolean;
}

export type Block = 'nothing' | 'said' | 'text' | 'thinking' | 'tool' | 'note' | 'question' | 'usage';

export interface Turn {
  readonly since: number;
  readonly text: MarkdownStream;
  /** True if the agent has said something in this turn. */
  readonly hasSpoken: boolean;
  /** The line of thinking that has no end yet; undefined if it does not think. */
  readonly thinking: string | undefined;
  readonly tools: readonly RunningTool[];
  readonly usage: Usage | undefined;
  readonly stopping: boolean;
  /** What was said into it and may not have been heard. */
  readonly unheard: readonly SteeredMessage[];
}

export interface SteeredMessage {
  readonly text: string;
  /** True once all tools have ended after it: what the agent does next, it does with the message. */
  readonly isNext: boolean;
}

export interface RunningTool {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly since: number;
}

export interface ToolOutput extends Pick<RunningTool, 'name' | 'summary'> {
  /** As the tool has said it. */
  readonly text: string;
}

export interface Question {
  readonly request: AskedRequest;
  /** No letter is a choice before that: what was typed before it came must not be one. */
  readonly armedAt: number;
  /** The letter that waits for Enter or a pause, as it was typed. */
  readonly chosen?: { readonly choice: Choice; readonly typed: string; readonly since: number } | undefined;
  /** Lines that were too many to be shown at once. */
  readonly more: readonly Line[];
}

export interface Picker {
  readonly sessions: readonly EarlierSession[];
  readonly at: number;
}

export type ChatInput =
  | { readonly type: 'key'; readonly key: Key }
  /** A whole line, in a terminal that can't move its cursor. */
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'resize'; readonly columns: number; readonly rows: number }
  | { readonly type: 'conversation'; readonly event: ConversationEvent }
  | { readonly type: 'steered'; readonly text: string; readonly taken: boolean }
  /** The end of a `wait`. */
  | { readonly type: 'waited'; readonly since: number }
  | { readonly type: 'done'; readonly text: string }
  | { readonly type: 'failed'; readonly text: string }
  | { readonly type: 'sessions'; readonly sessions: readonly EarlierSession[] };

export type Effect =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'steer'; readonly text: string }
  | { readonly type: 'interrupt' }
  | { readonly type: 'answer'; readonly id: string; readonly decision: PermissionDecision }
  | { readonly type: 'command'; readonly command: ConversationCommand; readonly argument: string }
  /** A command that the conversation does by itself, as it was written. */
  | { readonly type: 'hand_on'; readonly text: string }
  | { readonly type: 'sessions' }
  | { readonly type: 'remember'; readonly text: string }
  | { readonly type: 'wait'; readonly ms: number; readonly since: number }
  | { readonly type: 'clear' }
  | { readonly type: 'suspend' }
  | { readonly type: 'leave' };

export interface Step {
  readonly state: ChatState;
  /** Finished rows, for the scrollback. */
  readonly print: readonly Line[];
  readonly effects: readonly Effect[];
}

export interface Beginning
  extends Pick<ChatState, 'columns' | 'rows' | 'movesCursor' | 'status' | 'backends'> {
  readonly commands?: readonly Command[];
  readonly history?: readonly string[];
}

export function beginChat({ history, commands = ownCommands, ...given }: Beginning): ChatState {
  return {
    ...given,
    commands,
    editor: newEditor(history),
    search: undefined,
    turn: undefined,
    queue: [],
    steering: [],
    questions: [],
    focus: 'field',
    asked: new Map(),
    denied: new Set(),
    picker: undefined,
    doing: undefined,
    hint: undefined,
    showsThinking: true,
    lastPrompt: undefined,
    totals: new Map(),
    outputs: [],
    lastStopAt: Number.NEGATIVE_INFINITY,
    leaving: false,
    block: 'nothing',
    endsBlank: true,
  };
}

/** The columns that are written to: the last one stays free, since terminals differ in what happens behind it. */
export function textWidth({ columns }: Pick<ChatState, 'columns'>): number {
  return Math.max(10, columns - 1);
}
