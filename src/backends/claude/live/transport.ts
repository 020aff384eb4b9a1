import { TurnoutError } from '../../../core/errors.js';
import { type Deadline, setDeadline } from '../../../core/wait.js';
import type { ProcessExit, RunningProcess } from '../../../process/start-process.js';
import type { LiveEvent } from '../../live/types.js';
import { describeDeath } from '../../output/describe-death.js';
import { type JsonObject, parseObject } from '../../output/json.js';
import { object, text } from '../../output/read-fields.js';
import { withoutNoise } from '../../output/stderr.js';
import type { TraceEntry } from '../../types.js';
import { isMark, readKnownLine } from '../known-lines.js';

/** Gets every line of a process but the answers to our own requests. */
export interface Listener {
  received(message: JsonObject, raw: string): readonly LiveEvent[];
  /** A line that is no JSON object. */
  receivedInvalid(raw: string): readonly LiveEvent[];
  ended(end: ConnectionEnd): void;
  /** A promise while the listener's reader has no room for more; nothing is read until it resolves. */
  room(): Promise<void> | undefined;
}

export interface ConnectionEnd {
  readonly exit: ProcessExit;
  readonly stderr: string;
  /** The vendor's name in the message of a failure. */
  readonly message: string;
  /** We ended the process. */
  readonly requested: boolean;
}

export type Trace = ((entry: TraceEntry) => void) | undefined;

/** Claude Code should answer a control request at once; a busy machine is given some time. */
export const answerMs = 30_000;

/** JSON lines both ways with one Claude Code process, and its control protocol: requests with their answers. */
export class ClaudeConnection {
  /** The name of the agent, for errors. */
  readonly label: string;
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  ended: ConnectionEnd | undefined;
  readonly #child: RunningProcess;
  readonly #listener: Listener;
  readonly #trace: Trace;
  readonly #pending = new Map<string, Pending>();
  #requests = 0;
  #endRequested = false;

  constructor(
    child: RunningProcess,
    listener: (connection: ClaudeConnection) => Listener,
    trace: Trace,
    label: string,
  ) {
    this.label = label;
    this.#child = child;
    this.pid = child.pid;
    this.exited = child.exited;
    this.#trace = trace;
    this.#listener = listener(this);
    void this.#read();
  }

  isAlone(): Promise<boolean> {
    return this.#child.isAlone();
  }

  send(message: JsonObject): void {
    const line = JSON.stringify(message);
    this.#trace?.({ type: 'line', direction: 'out', line, events: [] });
    // A pipe that takes nothing belongs to a process that is gone, or of no use any more.
    this.#child.write(`${line}\n`).catch(() => void this.#endChild());
  }

  /** Rejects with a TurnoutError: refused, too late, or the process is gone. */
  request(request: JsonObject, deadlineMs: number = answerMs): Promise<JsonObject> {
    if (this.ended !== undefined) return Promise.reject(crashedError(this.ended));
    const id = `turnout-${++this.#requests}`;
    const subtype = text(request['subtype']);
    return new Promise((resolve, reject) => {
      const deadline = setDeadline(deadlineMs, () => {
        this.#pending.delete(id);
        reject(
          new TurnoutError(
            'timeout',
            `${this.label} did not answer "${subtype}" within ${deadlineMs / 1000} s.`,
          ),
        );
      });
      this.#pending.set(id, { subtype, deadline, resolve, reject });
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
    if (this.ended === undefined) this.#endRequested = true;
    await this.#endChild();
  }

  async #read(): Promise<void> {
    await this.#readLines().catch(() => undefined);
    // A process that closes its output and does not exit is ended; one that exits may have left its tools behind.
    this.#finish(await Promise.race([this.exited, this.#endChild()]));
  }

  async #readLines(): Promise<void> {
    for await (const lines of this.#child.lines()) {
      for (const line of lines) this.#line(line.text);
      await this.#listener.room();
    }
  }

  #endChild(): Promise<ProcessExit> {
    return this.#child.end().catch(() => this.exited);
  }

  #line(raw: string): void {
    const message = readKnownLine(raw) ?? parseObject(raw);
    if (message === undefined && raw.trim() === '') return;
    const events = message === undefined ? this.#listener.receivedInvalid(raw) : this.#receive(message, raw);
    this.#trace?.({ type: 'line', direction: 'in', line: raw, events });
  }

  #receive(message: JsonObject, raw: string): readonly LiveEvent[] {
    const isAnswer = message['type'] === 'control_response' && this.#settle(object(message['response']));
    return isAnswer || isMark(message) ? [] : this.#listener.received(message, raw);
  }

  /** Settles the request that this answers. False if nobody waits for the answer any more. */
  #settle(response: JsonObject): boolean {
    const id = text(response['request_id']);
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    this.#pending.delete(id);
    pending.deadline.cancel();
    if (response['subtype'] === 'success') pending.resolve(object(response['response']));
    else {
      const reason = text(response['error']) || 'no reason given';
      pending.reject(
        new TurnoutError('bad_request', `${this.label} refused "${pending.subtype}": ${reason}`),
      );
    }
    return true;
  }

  #finish(exit: ProcessExit): void {
    const stderr = withoutNoise(this.#child.stderr(), []).trim();
    const message = describeDeath(this.label, exit, stderr);
    const end = { exit, stderr, message, requested: this.#endRequested };
    this.ended = end;
    this.#trace?.({ type: 'exit', ...exit, stderr });
    for (const { deadline, reject } of this.#pending.values()) {
      deadline.cancel();
      reject(crashedError(end));
    }
    this.#pending.clear();
    this.#listener.ended(end);
  }
}

interface Pending {
  readonly subtype: string;
  readonly deadline: Deadline;
  resolve(response: JsonObject): void;
  reject(error: TurnoutError): void;
}

export function crashedError(end: ConnectionEnd): TurnoutError {
  return new TurnoutError('crashed', end.message);
}
