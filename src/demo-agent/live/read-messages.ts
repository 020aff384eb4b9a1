import { addAbortSignal, type Readable } from 'node:stream';
import { UsageError } from '../arguments.js';
import type { ClaudeLine } from '../plain-lines.js';

export type Fields = Readonly<Record<string, unknown>>;

/** A message of the client, as far as it is understood. */
export type ClientMessage =
  | UserMessage
  | { readonly type: 'control_request'; readonly id: string; readonly request: Fields }
  | { readonly type: 'control_response'; readonly response: Fields; readonly raw: ClaudeLine };

export interface UserMessage {
  readonly type: 'user';
  readonly id: string | undefined;
  readonly prompt: string;
  /** True if a person typed the prompt: only then it can be a slash command. */
  readonly typed: boolean;
}

const maxLineBytes = 32 * 1024 * 1024;
const newline = 0x0a;

/**
 * Reads one message a line, until stdin ends or the signal is aborted. As with Claude, a line that is no JSON
 * is the end.
 */
export async function* readMessages(stdin: Readable, signal: AbortSignal): AsyncGenerator<ClientMessage> {
  for await (const line of readLines(stdin, signal)) {
    const message = line.trim() === '' ? undefined : understand(parse(line));
    if (message !== undefined) yield message;
  }
}

async function* readLines(stdin: Readable, signal: AbortSignal): AsyncGenerator<string> {
  addAbortSignal(signal, stdin);
  let parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8');
        parts = [];
        bytes = 0;
        start = end + 1;
        yield line;
      }
      parts.push(chunk.subarray(start));
      bytes += chunk.length - start;
      if (bytes > maxLineBytes) throw new UsageError('Error: streaming input line exceeds 32MB.');
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  yield Buffer.concat(parts).toString('utf8');
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new UsageError(
      `Error parsing streaming input line (type=unknown, ${line.length} chars): SyntaxError`,
    );
  }
}

function understand(value: unknown): ClientMessage | undefined {
  const raw = fieldsOf(value);
  switch (raw['type']) {
    case 'user': {
      const prompt = textOf(fieldsOf(raw['message'])['content']);
      const id = typeof raw['uuid'] === 'string' ? raw['uuid'] : undefined;
      return prompt === undefined
        ? undefined
        : { type: 'user', id, prompt, typed: raw['text_not_typed'] !== true };
    }
    case 'control_request':
      return {
        type: 'control_request',
        id: String(raw['request_id'] ?? ''),
        request: fieldsOf(raw['request']),
      };
    case 'control_response':
      return {
        type: 'control_response',
        response: fieldsOf(raw['response']),
        raw: { ...raw, type: 'control_response' },
      };
    default:
      return undefined;
  }
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content.map((block) => String(fieldsOf(block)['text'] ?? '')).join('');
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
