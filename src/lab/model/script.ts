import type { ModelRequest } from './request.js';

/**
 * What the model does. An array is consumed one reply per turn request, and its last reply is repeated;
 * a function chooses by the request, which is how several conversations share one server.
 * Side requests (titles, token counts, routers) never consume a reply.
 */
export type Script = readonly Reply[] | ((request: ModelRequest) => Reply | Promise<Reply>);

/** A plain string is an answer that says just that. */
export type Reply = string | AnswerReply | StatusReply | DropReply | SilentReply;

/** HTTP 200, streamed or whole as the request asks. */
export interface AnswerReply {
  readonly steps: readonly Step[];
  readonly usage?: Partial<TokenUsage>;
  readonly stopReason?: ModelStopReason;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP error with the vendor's own kind of body. */
export interface StatusReply {
  readonly status: number;
  readonly message?: string;
  /** E.g. `{ 'retry-after': '1' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, instead of the vendor's kind of body. */
  readonly body?: string;
}

/** The connection is reset before any byte of an answer. */
export interface DropReply {
  readonly drop: true;
}

/** The request is read and nothing ever comes back, not even headers. */
export interface SilentReply {
  readonly silent: true;
}

export type Step =
  | TextStep
  | ThinkingStep
  | ShellStep
  | WriteFileStep
  | ToolStep
  | WaitStep
  | FailStep
  | CutStep
  | HangStep;

/** One block of text; an array is sent piece by piece, `delayMs` before each piece. */
export interface TextStep {
  readonly text: string | readonly string[];
  readonly delayMs?: number;
}

export interface ThinkingStep {
  readonly thinking: string | readonly string[];
  readonly delayMs?: number;
}

/** A call of whatever shell tool the CLI offers. */
export interface ShellStep {
  readonly shell: string;
}

/** A call of whatever tool the CLI offers to write a file. Codex patches: its file always ends with a newline. */
export interface WriteFileStep {
  readonly writeFile: { readonly path: string; readonly content: string };
}

/** A call of a tool by its own name, offered or not. */
export interface ToolStep {
  readonly tool: string;
  readonly input: unknown;
}

export interface WaitStep {
  readonly wait: number;
}

/** The vendor's error event inside a stream that began well (e.g. Anthropic's `overloaded_error`). */
export interface FailStep {
  readonly fail: { readonly status: number; readonly message?: string };
}

/** The socket is destroyed after what has been sent so far. */
export interface CutStep {
  readonly cut: true;
}

/** Headers and the steps so far have been sent; nothing follows, the socket stays open. */
export interface HangStep {
  readonly hang: true;
}

export type ModelStopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal';

/**
 * Token counts in one meaning; each API splits them its own way. `inputTokens` is everything the model read,
 * of which some came from a cache and some was written to it; `outputTokens` includes the reasoning.
 */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

export const defaultUsage: TokenUsage = {
  inputTokens: 60,
  cachedInputTokens: 30,
  cacheWriteInputTokens: 20,
  outputTokens: 7,
  reasoningTokens: 2,
};

/** Gives each turn request its reply. */
export function replyChooser(script: Script): (request: ModelRequest) => Reply | Promise<Reply> {
  if (typeof script === 'function') return script;
  let next = 0;
  return () => script[Math.min(next++, script.length - 1)] ?? 'ok';
}

export function isAnswer(reply: Reply): reply is AnswerReply {
  return typeof reply === 'object' && 'steps' in reply;
}
