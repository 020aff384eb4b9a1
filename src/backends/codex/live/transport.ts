import { TurnoutError } from '../../../core/errors.js';
import { setDeadline } from '../../../core/wait.js';
import type { RunningProcess } from '../../../process/start-process.js';
import type { LiveEvent } from '../../live/types.js';
import { classifyFailure } from '../../output/classify-failure.js';
import { type JsonObject, parseObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';
import type { TraceEntry } from '../../types.js';
import type { CodexMessage } from './state.js';

export interface ConnectionHandlers {
  /** Takes a notification or a request of the server; returns its events. */
  receive(message: CodexMessage): readonly LiveEvent[];
  /** Takes a line that is no JSON-RPC message. */
  garbage(line: string): readonly LiveEvent[];
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
}

type OnAnswer = (message: CodexMessage) => readonly LiveEvent[];

interface PendingRequest {
  readonly onAnswer: OnAnswer;
  readonly onClosed: (error: TurnoutError) => void;
}

/** JSON-RPC over the lines of a process. Both sides send requests, each with ids that it counts itself. */
export class CodexConnection {
  readonly #child: RunningProcess;
  readonly #handlers: ConnectionHandlers;
  readonly #pending = new Map<number, PendingRequest>();
  #nextId = 1;
  #closed: TurnoutError | undefined;

  constructor(child: RunningProcess, handlers: ConnectionHandlers) {
    this.#child = child;
    this.#handlers = handlers;
  }

  /** Reads to the end of the output. */
  async read(): Promise<void> {
    for await (const lines of this.#child.lines()) {
      for (const line of lines) if (line.text !== '') this.#trace('in', line.text, this.#take(line.text));
    }
  }

  /**
   * Sends a request and passes its answer on in its place between the lines around it: a promise would resolve too late.
   * The function that it returns gives up the wait for the answer.
   */
  requestInOrder(
    method: string,
    params: JsonObject,
    onAnswer: OnAnswer = () => [],
    onClosed: (error: TurnoutError) => void = () => {},
  ): () => void {
    if (this.#closed !== undefined) {
      onClosed(this.#closed);
      return () => {};
    }
    const id = this.#nextId++;
    this.#pending.set(id, { onAnswer, onClosed });
    this.#write({ id, method, params });
    return () => this.#pending.delete(id);
  }

  /** Sends a request; `onResult` gets the result in its place between the lines. Rejects with a TurnoutError. */
  request(
    method: string,
    params: JsonObject,
    deadlineMs: number,
    onResult: (result: JsonObject) => void = () => {},
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      let giveUp = () => {};
      const deadline = setDeadline(deadlineMs, () => {
        giveUp();
        reject(new TurnoutError('timeout', `Codex did not answer ${method} within ${deadlineMs / 1000} s.`));
      });
      const onAnswer = ({ value }: CodexMessage) => {
        deadline.cancel();
        if (value['error'] === undefined) {
          const result = object(value['result']);
          onResult(result);
          resolve(result);
        } else {
          reject(refusal(method, object(value['error'])));
        }
        return [];
      };
      const onClosed = (error: TurnoutError) => {
        deadline.cancel();
        reject(error);
      };
      giveUp = this.requestInOrder(method, params, onAnswer, onClosed);
    });
  }

  notify(method: string): void {
    this.#write({ method });
  }

  respond(id: unknown, result: JsonObject): void {
    this.#write({ id, result });
  }

  refuse(id: unknown, method: string): void {
    this.#write({ id, error: { code: -32601, message: `${method} is not supported here` } });
  }

  /** The process is gone: every pending request, and every later one, fails with this error. */
  close(error: TurnoutError): void {
    this.#closed = error;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { onClosed } of pending) onClosed(error);
  }

  #take(line: string): readonly LiveEvent[] {
    const value = parseObject(line);
    if (value === undefined) return this.#handlers.garbage(line);
    const message = { value, raw: line };
    if (typeof value['method'] === 'string') return this.#handlers.receive(message);
    const id = value['id'];
    if (typeof id !== 'number') return this.#handlers.garbage(line);
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    return request?.onAnswer(message) ?? [];
  }

  #write(message: JsonObject): void {
    const line = encode(message);
    this.#trace('out', line, []);
    // A process that no longer reads is about to exit, and its exit is reported.
    this.#child.write(`${line}\n`).catch(() => {});
  }

  #trace(direction: 'in' | 'out', line: string, events: readonly LiveEvent[]): void {
    this.#handlers.trace?.({ type: 'line', direction, line, events });
  }
}

function refusal(method: string, error: JsonObject): TurnoutError {
  const message = text(error['message']) || 'no reason given';
  const taken = message.includes('already has an active writer');
  return new TurnoutError(taken ? 'bad_request' : classifyFailure(message), `Codex ${method}: ${message}`, {
    hint: taken ? 'The session is open in another process: close it there first.' : undefined,
  });
}

/** Codex 0.166 does not take half a surrogate pair for JSON: it skips such a line and never answers it. */
function encode(message: JsonObject): string {
  const line = JSON.stringify(message);
  if (!/\\ud[89a-f]/i.test(line)) return line;
  return JSON.stringify(message, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\p{Surrogate}/gu, '\ufffd') : value,
  );
}
