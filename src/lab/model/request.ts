import type { JsonObject } from './json.js';

export type ApiName = 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini';

/** One HTTP request as the CLI really sent it, with its content in one form for all four APIs. */
export interface ModelRequest extends RequestContent {
  /** The position in the order of arrival, from 0. */
  readonly index: number;
  /** `undefined` for a request that belongs to no API (`HEAD /`, an unknown path). */
  readonly api: ApiName | undefined;
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: string;
  /** The parsed body; a body that is not JSON reads as `{}`. */
  readonly body: JsonObject;
  /**
   * The kind of a request that is no turn of the conversation (`title`, `count_tokens`, `router`, …);
   * `undefined` for a turn.
   */
  readonly side: string | undefined;
  /** The outcome so far. */
  outcome: RequestOutcome;
}

/** `abandoned`: the client went away before the reply was over. */
export type RequestOutcome = 'pending' | 'answered' | 'failed' | 'dropped' | 'cut' | 'hanging' | 'abandoned';

/** The content that an API's reader finds in a body. */
export interface RequestContent {
  readonly model: string;
  readonly stream: boolean;
  /** All system and developer instructions, joined with blank lines. */
  readonly system: string;
  readonly messages: readonly Message[];
  /** The last prompt of the person: the newest user text that is not context put there by the CLI. */
  readonly prompt: string;
  /** The results at the end of the history, for the calls in the last reply. Empty at the start of a turn. */
  readonly toolResults: readonly ToolResultPart[];
  readonly tools: readonly OfferedTool[];
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly Part[];
}

export type Part = TextPart | ThinkingPart | ToolCallPart | ToolResultPart | OtherPart;

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ThinkingPart {
  readonly type: 'thinking';
  readonly text: string;
}

export interface ToolCallPart {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResultPart {
  readonly type: 'tool_result';
  readonly id: string;
  readonly output: string;
  readonly isError: boolean;
}

/** An image, a document, or a part that this reader does not know. */
export interface OtherPart {
  readonly type: 'other';
  readonly kind: string;
}

export interface OfferedTool {
  readonly name: string;
  /** Codex groups its tools; a call must name the group. */
  readonly namespace: string | undefined;
  /** True if the tool takes free text instead of a JSON object (OpenAI's `custom` tools). */
  readonly freeform: boolean;
  readonly description: string;
  /** The names of the parameters. */
  readonly parameters: readonly string[];
}

/** Completes a reader's findings with the fields that follow from them. */
export function requestContent(
  found: Pick<RequestContent, 'model' | 'stream' | 'messages' | 'tools'>,
): RequestContent {
  return {
    ...found,
    system: found.messages
      .filter((message) => message.role === 'system')
      .flatMap(textsOf)
      .join('\n\n'),
    prompt: promptOf(found.messages),
    toolResults: trailingToolResults(found.messages),
  };
}

/** Claude, Codex and Gemini put context into user messages, in tags or under a heading of their own. */
const contextStart =
  /^\s*(<(system-reminder|session_context|environment_context|user_instructions|multi_agent_|hook_context|turn_aborted)|# AGENTS\.md instructions)/;
const referencedFiles = /^\s*--- Content from referenced files ---/;

function promptOf(messages: readonly Message[]): string {
  for (const message of messages.toReversed()) {
    if (message.role !== 'user') continue;
    const texts = textsOf(message);
    const files = texts.findIndex((text) => referencedFiles.test(text));
    const typed = (files < 0 ? texts : texts.slice(0, files)).filter((text) => !contextStart.test(text));
    const last = typed.at(-1);
    if (last !== undefined) return last;
  }
  return '';
}

function trailingToolResults(messages: readonly Message[]): readonly ToolResultPart[] {
  const results: ToolResultPart[] = [];
  for (const message of messages.toReversed()) {
    if (message.role === 'system') continue;
    const found = message.parts.filter((part) => part.type === 'tool_result');
    if (found.length === 0) break;
    results.unshift(...found);
  }
  return results;
}

function textsOf(message: Message): readonly string[] {
  return message.parts.filter((part) => part.type === 'text').map((part) => part.text);
}
