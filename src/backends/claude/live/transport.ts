import type { StepEvent } from '../../../core/chat-event.js';
import { TurnoutError } from '../../../core/errors.js';
import {
  describeExit,
  type Line,
  type ProcessExit,
  type RunningProcess,
} from '../../../process/start-process.js';
import type { LiveEvent } from '../../live/types.js';
import { type JsonObject, parseObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';
import { firstCharacters, withoutNoise } from '../../output/stderr.js';
import type { TraceEntry } from '../../types.js';
import { isMark, readKnownLine } from '../known-lines.js';

/** What listens to a process: everything it says but the answers to our own requests. */
export interface Listener {
  received(message: JsonObject, raw: string): readonly LiveEvent[];
  /** A line that is no JSON object. */
  garbage(raw: string): readonly LiveEvent[];
  gone(death: Death): void;
  /** While its reader has no room for more, nothing more is read. */
  room(): Promise<void> | undefined;
}

export interface Death {
  readonly exit: ProcessExit;
  readonly stderr: string;
  /** As R8.2 writes it. */
  readonly message: string;
  /** It was ended by us. */
  readonly wanted: boolean;
}

export type Trace = ((entry: TraceEntry) => void) | undefined;

/** Claude Code should answer a control request at once; a busy machine is given some time. */
export const answerMs = 30_000;

/** JSON lines both ways with one Claude Code process, and its control protocol: requests with their answers. */
export class ClaudeConnection {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  death: Death | undefined;
  readonly #child: RunningProcess;
  readonly #listener: Listener;
  readonly #trace: Trace;
  readonly #pending = new Map<string, Pending>();
  #requests = 0;
  #ending = false;

  constructor(child: RunningProcess, listener: (connection: ClaudeConnection) => Listener, trace: Trace) {
    this.#child = child;
    this.pid = child.pid;
    this.exited = child.exited;
    this.#trace = trace;
    this.#listener = listener(this);
    void this.#read();
  }

  send(message: JsonObject): void {
    const line = JSON.stringify(message);
    this.#trace?.({ type: 'line', direction: 'out', line, events: [] });
    // A pipe that takes nothing belongs to a process that is gone, or of no use any more.
    this.#child.write(`${line}\n`).catch(() => void this.#endChild());
  }

  /** Rejects with a TurnoutError: refused, too late, or the process is gone. */
  request(request: JsonObject, deadlineMs: number = answerMs): Promise<JsonObject> {
    if (this.death !== undefined) return Promise.reject(crashed(this.death));
    const id = `turnout-${++this.#requests}`;
    const what = text(request['subtype']);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new TurnoutError('timeout', `Claude did not answer "${what}" within ${deadlineMs / 1000} s.`));
      }, deadlineMs);
      this.#pending.set(id, { what, timer, resolve, reject });
      this.send({ type: 'control_request', request_id: id, request });
    });
  }

  respond(requestId: string, response: JsonObject): void {
    this.send({
      type: 'control_response',
      response: { subtype: 'success', request_id: requestId, response },
    });
  }

  refuse(requestId: string, error: string): void {
    this.send({ type: 'control_response', response: { subtype: 'error', request_id: requestId, error } });
  }

  async end(): Promise<void> {
    if (this.death === undefined) this.#ending = true;
    await this.#endChild();
  }

  async #read(): Promise<void> {
    await this.#child.eachBatch((lines) => this.#batch(lines)).catch(() => undefined);
    // What closes its output without leaving is ended; what has left may have left its tools behind.
    this.#die(await Promise.race([this.exited, this.#endChild()]));
  }

  #batch(lines: readonly Line[]): Promise<void> | undefined {
    for (const line of lines) this.#line(line.text);
    return this.#listener.room();
  }

  #endChild(): Promise<ProcessExit> {
    return this.#child.end().catch(() => this.exited);
  }

  #line(raw: string): void {
    const message = readKnownLine(raw) ?? parseObject(raw);
    if (message === undefined && raw.trim() === '') return;
    const events = message === undefined ? this.#listener.garbage(raw) : this.#hear(message, raw);
    this.#trace?.({ type: 'line', direction: 'in', line: raw, events: events.filter(isStep) });
  }

  #hear(message: JsonObject, raw: string): readonly LiveEvent[] {
    const isOurs = message['type'] === 'control_response' && this.#answered(object(message['response']));
    return isOurs || isMark(message) ? [] : this.#listener.received(message, raw);
  }

  /** An answer to a request that nobody waits for any more is none of ours. */
  #answered(response: JsonObject): boolean {
    const id = text(response['request_id']);
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    if (response['subtype'] === 'success') pending.resolve(object(response['response']));
    else {
      const reason = text(response['error']) || 'no reason given';
      pending.reject(new TurnoutError('bad_request', `Claude refused "${pending.what}": ${reason}`));
    }
    return true;
  }

  #die(exit: ProcessExit): void {
    const stderr = withoutNoise(this.#child.stderr(), []).trim();
    const message = `Claude CLI error (${describeExit(exit)}): ${firstCharacters(stderr, 500) || 'unknown error'}`;
    const death = { exit, stderr, message, wanted: this.#ending };
    this.death = death;
    this.#trace?.({ type: 'exit', ...exit, stderr });
    for (const { timer, reject } of this.#pending.values()) {
      clearTimeout(timer);
      reject(crashed(death));
    }
    this.#pending.clear();
    this.#listener.gone(death);
  }
}

interface Pending {
  readonly what: string;
  readonly timer: NodeJS.Timeout;
  resolve(response: JsonObject): void;
  reject(error: TurnoutError): void;
}

export function crashed(death: Death): TurnoutError {
  return new TurnoutError('crashed', death.message);
}

function isStep(event: LiveEvent): event is StepEvent {
  return event.type !== 'ending';
}
