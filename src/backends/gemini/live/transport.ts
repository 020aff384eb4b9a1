import type { AnyMessage, ClientConnection } from '@agentclientprotocol/sdk';
import { TurnoutError } from '../../../core/errors.js';
import { late, within } from '../../../core/wait.js';
import type { RunningProcess } from '../../../process/start-process.js';
import { classifyFailure } from '../../output/classify-failure.js';
import { describeDeath } from '../../output/describe-death.js';
import { isObject, type JsonObject, parseObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';

const exitMs = 1000;

/** One JSON-RPC message of the agent, with its line. */
export interface Incoming {
  readonly message: JsonObject;
  readonly raw: string;
}

export interface ConnectionEvents {
  /** Called with every message before anything is done with it. */
  incoming(incoming: Incoming): void;
  outgoing(message: JsonObject, raw: string): void;
  /** Called with a line that is no message. */
  garbage(raw: string): void;
  /** Resolves to ACP's outcome for the permission request with this id. */
  permission(requestId: unknown): Promise<JsonObject>;
}

/**
 * ACP over a child's stdin and stdout. The SDK matches requests and answers. The updates, which are most of the traffic,
 * don't go through it, nor do lines that it would complain about on the console.
 */
export class GeminiConnection {
  readonly #child: RunningProcess;
  readonly #events: ConnectionEvents;
  readonly #unanswered = new Set<unknown>();
  #connection: ClientConnection | undefined;
  #receive: ReadableStreamDefaultController<AnyMessage> | undefined;

  constructor(child: RunningProcess, events: ConnectionEvents) {
    this.#child = child;
    this.#events = events;
  }

  /** `closed` resolves when nothing can be sent any more, `drained` when all output has been read. */
  async connect(): Promise<{ readonly closed: Promise<void>; readonly drained: Promise<void> }> {
    // The SDK is loaded here, in 150 ms, because one-shot runs have no use for it.
    const { client } = await import('@agentclientprotocol/sdk');
    const readable = new ReadableStream<AnyMessage>({
      start: (controller) => {
        this.#receive = controller;
      },
    });
    const writable = new WritableStream<AnyMessage>({ write: (message) => this.#write(message) });
    this.#connection = client({ name: 'turnout' })
      .onRequest('session/request_permission', object, ({ requestId }) => this.#events.permission(requestId))
      .connect({ readable, writable });
    return { closed: this.#connection.closed, drained: this.#read().catch(() => undefined) };
  }

  /** Rejects with a TurnoutError. Without a deadline it waits as long as the agent lives. */
  async request(method: string, params: JsonObject, deadlineMs = 0): Promise<JsonObject> {
    try {
      const answer = await within(deadlineMs, this.#agent.request<unknown>(method, params));
      if (answer !== late) return object(answer);
      throw new TurnoutError('timeout', `Gemini did not answer ${method} within ${deadlineMs / 1000} s`);
    } catch (error) {
      throw await this.#translate(error);
    }
  }

  /** Sends a notification. It never rejects: an agent that is gone needs none. */
  async notify(method: string, params: JsonObject): Promise<void> {
    await this.#agent.notify(method, params).catch(() => undefined);
  }

  /** The error for an agent that ended by itself. */
  async crashError(): Promise<TurnoutError> {
    const exit = await this.#child.exited;
    return new TurnoutError('crashed', describeDeath('Gemini', exit, this.#child.stderr()));
  }

  get #agent() {
    if (this.#connection === undefined) throw new TypeError('not connected');
    return this.#connection.agent;
  }

  async #write(message: AnyMessage): Promise<void> {
    const raw = JSON.stringify(message);
    const sent = message as unknown as JsonObject;
    if ('method' in sent && 'id' in sent) this.#unanswered.add(sent['id']);
    this.#events.outgoing(sent, raw);
    await this.#child.write(`${raw}\n`).catch(() => this.#inputClosed());
  }

  /** An agent that no longer reads is about to exit, and its exit says why. If it does not exit, it is ended. */
  async #inputClosed(): Promise<never> {
    await within(exitMs, this.#child.exited);
    await this.#child.end();
    throw await this.crashError();
  }

  async #read(): Promise<void> {
    try {
      for await (const lines of this.#child.lines()) {
        for (const line of lines) this.#line(line.text);
      }
    } finally {
      this.#connection?.close();
    }
  }

  #line(raw: string): void {
    const message = parseObject(raw);
    if (message === undefined || !this.#isExpected(message)) {
      if (raw.trim() !== '') this.#events.garbage(raw);
      return;
    }
    this.#events.incoming({ message, raw });
    if ('id' in message) this.#receive?.enqueue({ ...message, jsonrpc: '2.0' } as unknown as AnyMessage);
  }

  /** True for a request or a notification, and for the answer to a request of ours. */
  #isExpected(message: JsonObject): boolean {
    return typeof message['method'] === 'string' || this.#unanswered.delete(message['id']);
  }

  async #translate(error: unknown): Promise<unknown> {
    if (error instanceof TurnoutError) return error;
    const code = isObject(error) || error instanceof Error ? (error as { code?: unknown }).code : undefined;
    return typeof code === 'number' ? refusal(error as JsonRpcError) : await this.crashError();
  }
}

interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

function refusal(error: JsonRpcError): TurnoutError {
  const details = text(object(error.data)['details']);
  const message = details === '' ? error.message : details;
  // -32000 is ACP's "authentication required".
  const code = error.code === -32000 ? 'auth' : classifyFailure(message);
  return new TurnoutError(code, message, { cause: error });
}
