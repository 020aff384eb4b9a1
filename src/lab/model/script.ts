import type { ModelRequest } from './request.js';

/**
 * The model's behaviour. An array is consumed one reply per turn request, and its last reply is repeated; a
 * function chooses by the request, so that several conversations share one server. Side requests (titles,
 * token counts, routers) never consume a reply.
 */
export type Script = readonly Reply[] | ((request: ModelRequest) => Reply | Promise<Reply>);

/** A reply to one request. A plain string is an answer with that text. */
export type Reply = string | AnswerReply | StatusReply | DropReply | SilentReply;

/** An answer with HTTP 200, streamed or whole as the request asks. */
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
  /** Extra headers, such as `{ 'retry-after': '1' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is sent as it is, instead of the vendor's kind of body. */
  readonly body?: string;
}

/** Resets the connection before any byte of an answer. */
export interface DropReply {
  readonly drop: true;
}

/** Reads the request and never sends anything back, not even headers. */
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

/** A call of the shell tool that the CLI offers, whichever it is. */
export interface ShellStep {
  readonly shell: string;
}

/**
 * A call of the tool that the CLI offers to write a file, whichever it is. Codex patches: its file always
 * ends with a newline.
 */
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

/** Destroys the socket after the data sent so far. */
export interface CutStep {
  readonly cut: true;
}

/** Sends headers and the steps so far and nothing more; the socket stays open. */
export interface HangStep {
  readonly hang: true;
}

export type ModelStopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal';

/**
 * Token counts in one meaning; each API splits them in its own way. `inputTokens` is everything the model
 * read, of which some came from a cache and some was written to it; `outputTokens` includes the reasoning.
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

/** Returns a function that chooses the reply to each turn request. */
export function replyChooser(script: Script): (request: ModelRequest) => Reply | Promise<Reply> {
  if (typeof script === 'function') return script;
  let next = 0;
  return () => script[Math.min(next++, script.length - 1)] ?? 'ok';
}

export function isAnswer(reply: Reply): reply is AnswerReply {
  return typeof reply === 'object' && 'steps' in reply;
}
