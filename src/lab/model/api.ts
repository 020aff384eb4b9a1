import type { JsonObject } from './json.js';
import type { ApiName, RequestContent } from './request.js';
import type { ModelStopReason, TokenUsage } from './script.js';

/** One vendor's API: reads its requests and writes its answers. All is pure but the encoder's state. */
export interface ModelApi {
  readonly name: ApiName;
  /** The vendor's paths, below whatever base URL the CLI was given. */
  readonly path: RegExp;
  read(body: JsonObject, path: string): RequestContent;
  encoder(request: RequestContent, ids: AnswerIds, path: string): AnswerEncoder;
  wholeAnswer(request: RequestContent, ids: AnswerIds, answer: WholeAnswer): JsonObject;
  errorBody(status: number, message: string): JsonObject;
}

/** Ids that count from the start of the server, so that recordings are stable. */
export interface AnswerIds {
  readonly answer: string;
  readonly created: number;
}

export type Block = TextBlock | ThinkingBlock | ToolCall;

export interface TextBlock {
  readonly type: 'text';
}

export interface ThinkingBlock {
  readonly type: 'thinking';
}

export interface ToolCall {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly freeform: boolean;
  readonly input: unknown;
}

/**
 * Writes one streamed answer. A block stays open until the next one or the end, so that a stream can be cut
 * in the middle of a block.
 */
export interface AnswerEncoder {
  readonly contentType: string;
  start(usage: TokenUsage): string;
  open(block: Block): string;
  delta(text: string): string;
  fail(status: number, message: string): string;
  end(stopReason: ModelStopReason, usage: TokenUsage): string;
}

/** An answer for a request that did not ask for a stream. */
export interface WholeAnswer {
  readonly blocks: readonly WholeBlock[];
  readonly stopReason: ModelStopReason;
  readonly usage: TokenUsage;
}

export type WholeBlock =
  | (TextBlock & { readonly text: string })
  | (ThinkingBlock & { readonly text: string })
  | ToolCall;

export function sseEvent(data: JsonObject, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
