import type { ErrorCode } from '../../src/core/chat-event.js';
import { asArray, asObject, asObjects, asString, type JsonObject } from '../../src/lab/model/json.js';
import type { Fact } from './facts.js';

/**
 * Reads the SDK's messages as its documentation says: pieces from the stream events, tools from the assistant's
 * messages, outputs from the user's, the ending from the result.
 */
export class ClaudeSdkReader {
  readonly #tell: (fact: Fact) => void;
  readonly #told = new Set<string>();
  readonly #early = new Map<string, readonly Fact[]>();
  #streamed = '';
  #kind = '';
  sessionId: string | undefined;

  constructor(tell: (fact: Fact) => void) {
    this.#tell = tell;
  }

  read(message: JsonObject): void {
    switch (message['type']) {
      case 'system':
        this.#system(message);
        break;
      case 'stream_event':
        this.#piece(asObject(asObject(message['event'])['delta']));
        break;
      case 'assistant':
        this.#assistant(message);
        break;
      case 'user':
        this.#outputs(message);
        break;
      case 'result':
        this.#result(message);
    }
  }

  /** The callback may come before the message that it is about has been read: it belongs behind it. */
  asked(toolUseId: string, fact: Fact): void {
    if (this.#told.has(toolUseId)) this.#tell(fact);
    else this.#early.set(toolUseId, [...(this.#early.get(toolUseId) ?? []), fact]);
  }

  threw(error: unknown): void {
    const message = asString(asObject(error)['message']);
    this.#tell({ type: 'failure', code: undefined, message, how: 'thrown' });
  }

  threwAtClose(message: string): void {
    this.#tell({ type: 'check', what: 'thrown when the conversation is closed', value: message });
  }

  #system(message: JsonObject): void {
    if (message['subtype'] === 'init') {
      this.sessionId = asString(message['session_id']);
      this.#tell({ type: 'session', id: this.sessionId });
    }
    if (message['subtype'] === 'api_retry') this.#tell({ type: 'retry' });
  }

  #piece(delta: JsonObject): void {
    if (delta['type'] === 'text_delta') {
      this.#streamed += asString(delta['text']);
      this.#tell({ type: 'text', text: asString(delta['text']) });
    }
    if (delta['type'] === 'thinking_delta')
      this.#tell({ type: 'thinking', text: asString(delta['thinking']) });
  }

  #assistant(message: JsonObject): void {
    this.#kind = asString(message['error']);
    if (this.#kind !== '') return;
    for (const block of asObjects(asObject(message['message'])['content'])) {
      if (block['type'] === 'text') this.#whole(asString(block['text']));
      if (block['type'] === 'tool_use') this.#call(asString(block['id']), block);
    }
  }

  /** A whole message repeats its pieces; where it does not, that shows. */
  #whole(text: string): void {
    if (text !== this.#streamed) this.#tell({ type: 'text', text });
    this.#streamed = '';
  }

  #call(id: string, block: JsonObject): void {
    this.#tell({ type: 'tool', id, name: asString(block['name']), input: block['input'] });
    this.#told.add(id);
    for (const fact of this.#early.get(id) ?? []) this.#tell(fact);
    this.#early.delete(id);
  }

  #outputs(message: JsonObject): void {
    for (const block of asObjects(asObject(message['message'])['content'])) {
      if (block['type'] !== 'tool_result') continue;
      const { tool_use_id: id, content, is_error: isError } = block;
      const output = typeof content === 'string' ? content : JSON.stringify(content);
      this.#tell({ type: 'output', id: asString(id), output, isError: isError === true });
    }
  }

  #result(message: JsonObject): void {
    this.#tell(usageOf(asObject(message['usage'])));
    const text = asString(message['result']);
    if (message['is_error'] !== true) {
      this.#tell({ type: 'answer', text, stopReason: asString(message['stop_reason']) });
      return;
    }
    const reason = asString(message['terminal_reason']).startsWith('aborted') ? 'aborted' : this.#kind;
    const words = text || asArray(message['errors']).map(String).join('\n');
    this.#tell({ type: 'failure', code: codes[reason], message: words, how: 'told' });
  }
}

/** The SDK's own kinds of failures, as far as the scenarios go, in Turnout's words. */
const codes: Readonly<Record<string, ErrorCode>> = {
  authentication_failed: 'auth',
  rate_limit: 'rate_limit',
  aborted: 'interrupted',
};

function usageOf(usage: JsonObject): Fact {
  const { input_tokens: fresh, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage;
  const cached = Number(read);
  const input = Number(fresh) + Number(written) + cached;
  return { type: 'usage', input, cached, output: Number(usage['output_tokens']) };
}
