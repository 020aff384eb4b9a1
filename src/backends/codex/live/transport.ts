import { TurnoutError } from '../../../core/errors.js';
import type { RunningProcess } from '../../../process/start-process.js';
import type { LiveEvent } from '../../live/types.js';
import { classifyFailure } from '../../output/classify-failure.js';
import { type JsonObject, parseObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';
import type { TraceEntry } from '../../types.js';
import type { Message } from './decoder.js';

export interface PeerHandlers {
  /** A notification or a request of the server, and what it became. */
  receive(message: Message): readonly LiveEvent[];
  garbage(line: string): readonly LiveEvent[];
  readonly trace?: ((entry: TraceEntry) => void) | undefined;
}

type Answered = (message: Message) => readonly LiveEvent[];

interface Waiting {
  readonly answered: Answered;
  readonly lost: (error: TurnoutError) => void;
}

/** JSON-RPC over the lines of a process. Both sides ask and answer, each with ids of its own counting. */
export class CodexPeer {
  readonly #child: RunningProcess;
  readonly #handlers: PeerHandlers;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #lost: TurnoutError | undefined;

  constructor(child: RunningProcess, handlers: PeerHandlers) {
    this.#child = child;
    this.#handlers = handlers;
  }

  /** Reads to the end of the output. */
  read(): Promise<void> {
    return this.#child.eachBatch((lines) => {
      for (const line of lines) {
        if (line.text !== '') this.#trace('in', line.text, this.#take(line.text));
      }
      return undefined;
    });
  }

  /**
   * Asks, and hears the answer in its place between the lines around it: a promise would tell it too late. Nobody has to
   * listen. What it returns stops the waiting.
   */
  ask(
    method: string,
    params: JsonObject,
    answered: Answered = () => [],
    lost: (error: TurnoutError) => void = () => {},
  ): () => void {
    if (this.#lost !== undefined) {
      lost(this.#lost);
      return () => {};
    }
    const id = this.#nextId++;
    this.#waiting.set(id, { answered, lost });
    this.#write({ id, method, params });
    return () => this.#waiting.delete(id);
  }

  /** Asks what is to be answered at once. `answered` hears it in its place. Rejects with a TurnoutError. */
  call(
    method: string,
    params: JsonObject,
    deadlineMs: number,
    answered: (result: JsonObject) => void = () => {},
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      let forget = () => {};
      const timer = setTimeout(() => {
        forget();
        reject(new TurnoutError('timeout', `Codex did not answer ${method} within ${deadlineMs / 1000} s.`));
      }, deadlineMs);
      const heard = ({ value }: Message) => {
        clearTimeout(timer);
        if (value['error'] === undefined) {
          const result = object(value['result']);
          answered(result);
          resolve(result);
        } else {
          reject(refusal(method, object(value['error'])));
        }
        return [];
      };
      const lost = (error: TurnoutError) => {
        clearTimeout(timer);
        reject(error);
      };
      forget = this.ask(method, params, heard, lost);
    });
  }

  tell(method: string): void {
    this.#write({ method });
  }

  reply(id: unknown, result: JsonObject): void {
    this.#write({ id, result });
  }

  refuse(id: unknown, method: string): void {
    this.#write({ id, error: { code: -32601, message: `${method} is not supported here` } });
  }

  /** The process is gone: nothing that waits will be answered. */
  lose(error: TurnoutError): void {
    this.#lost = error;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { lost } of waiting) lost(error);
  }

  #take(line: string): readonly LiveEvent[] {
    const value = parseObject(line);
    if (value === undefined) return this.#handlers.garbage(line);
    const message = { value, raw: line };
    if (typeof value['method'] === 'string') return this.#handlers.receive(message);
    const id = value['id'];
    if (typeof id !== 'number') return this.#handlers.garbage(line);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting?.answered(message) ?? [];
  }

  #write(message: JsonObject): void {
    const line = encode(message);
    this.#trace('out', line, []);
    // A process that reads no more is gone, and its exit tells the story.
    this.#child.write(`${line}\n`).catch(() => {});
  }

  #trace(direction: 'in' | 'out', line: string, told: readonly LiveEvent[]): void {
    const events = told.filter((event) => event.type !== 'ending');
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

/** Half a surrogate pair is JSON to us but not to Codex 0.166, which passes over the line and never answers. */
function encode(message: JsonObject): string {
  const line = JSON.stringify(message);
  if (!/\\ud[89a-f]/i.test(line)) return line;
  return JSON.stringify(message, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\p{Surrogate}/gu, '\ufffd') : value,
  );
}
