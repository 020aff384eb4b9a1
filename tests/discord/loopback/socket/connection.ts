import type { WebSocket } from 'ws';
import type { Violations } from '../state/violations.js';
import type { Json } from '../state/world.js';
import { intents } from './events.js';
import type { Session } from './session.js';

export interface ConnectionPorts {
  readonly token: string;
  readonly heartbeatInterval: number;
  readonly disallowedIntents: () => number;
  readonly violations: Violations;
  /** False if the heartbeat is to stay without an answer. */
  acknowledges(): boolean;
  begin(identifiedIntents: number): Session;
  /** Undefined if the session is gone. */
  find(sessionId: string): Session | undefined;
  /** The client has said goodbye for good. */
  end(session: Session): void;
  greet(session: Session): void;
}

/** A client may send so many payloads in a minute. */
const payloadsPerMinute = 120;

/** Presence, voice, guild members, soundboard: the loopback Discord takes them and does nothing. */
const otherOpcodes = new Set<unknown>([3, 4, 8, 31]);

/** A reason to close the socket. Without `why`, it is no fault of the client. */
interface Refusal {
  readonly code: number;
  readonly why?: string;
  readonly rule?: 'gateway' | 'token';
}

const wrongToken: Refusal = { code: 4004, why: 'wrong token', rule: 'token' };

/**
 * One socket. It is greeted with HELLO, then it identifies or resumes once, which ties it to a session until it is closed or
 * the session is declared invalid.
 */
export class Connection {
  session: Session | undefined;
  readonly #openedAt = Date.now();
  #payloads = 0;
  #lastBeat = 0;
  #beats = 0;
  #overdue: NodeJS.Timeout | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly ports: ConnectionPorts,
  ) {
    socket.on('message', (data) => this.#read(String(data)));
    socket.on('close', (code) => this.#closed(code));
    socket.on('error', () => socket.terminate());
    this.send({ op: 10, d: { heartbeat_interval: ports.heartbeatInterval } });
    this.#expectBeat();
  }

  send(payload: unknown): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(payload));
  }

  close(code: number): void {
    this.socket.close(code);
  }

  /** As when the network fails: without a goodbye. */
  drop(): void {
    this.socket.terminate();
  }

  invalidate(resumable: boolean): void {
    this.session?.detach();
    this.session = undefined;
    this.send({ op: 9, d: resumable });
  }

  #read(text: string): void {
    const refusal = this.#take(text);
    if (!refusal) return;
    if (refusal.why)
      this.ports.violations.record(refusal.rule ?? 'gateway', `${refusal.code}: ${refusal.why}`);
    this.close(refusal.code);
  }

  #take(text: string): Refusal | undefined {
    this.#payloads += 1;
    if (this.#payloads > payloadsPerMinute && Date.now() - this.#openedAt < 60_000) {
      return { code: 4008, why: 'more than 120 payloads in a minute' };
    }
    let payload: { op?: unknown; d?: unknown };
    try {
      payload = JSON.parse(text);
    } catch {
      return { code: 4002, why: 'a payload is not JSON' };
    }
    const data = (payload.d ?? {}) as Json;
    if (payload.op === 1) this.#beat(payload.d);
    else if (payload.op === 2) return this.#identify(data);
    else if (payload.op === 6) return this.#resume(data);
    else if (!otherOpcodes.has(payload.op)) return { code: 4001, why: `unknown opcode ${payload.op}` };
    else if (!this.session) return { code: 4003, why: 'a payload before IDENTIFY' };
    return undefined;
  }

  #identify(data: Json): Refusal | undefined {
    if (this.session) return { code: 4005, why: 'IDENTIFY twice' };
    if (data['token'] !== this.ports.token) return wrongToken;
    const asked = Number(data['intents']);
    if (!Number.isInteger(asked) || asked < 0) return { code: 4013, why: `intents ${data['intents']}` };
    if ((asked & this.ports.disallowedIntents()) !== 0) return { code: 4014 };
    if ((asked & intents.guilds) === 0)
      this.ports.violations.record('gateway', 'IDENTIFY without the guilds intent');
    this.session = this.ports.begin(asked);
    this.session.attach((dispatch) => this.send(dispatch));
    this.ports.greet(this.session);
    return undefined;
  }

  #resume(data: Json): Refusal | undefined {
    if (data['token'] !== this.ports.token) return wrongToken;
    const session = this.ports.find(String(data['session_id']));
    if (!session) {
      this.invalidate(false);
      return undefined;
    }
    const seen = Number(data['seq']);
    if (!Number.isInteger(seen) || seen > session.sequence)
      return { code: 4007, why: `resumes at ${data['seq']}` };
    this.session = session;
    this.#lastBeat = 0;
    session.attach((dispatch) => this.send(dispatch), seen);
    session.push('RESUMED', {});
    return undefined;
  }

  #beat(sequence: unknown): void {
    const at = sequence === null ? 0 : Number(sequence);
    const known = this.session?.sequence ?? Number.POSITIVE_INFINITY;
    if (!Number.isInteger(at) || at > known || at < this.#lastBeat) {
      this.ports.violations.record('heartbeat', `sequence ${sequence} of ${known}, after ${this.#lastBeat}`);
    }
    this.#lastBeat = at;
    this.#expectBeat();
    if (this.ports.acknowledges()) this.send({ op: 11 });
  }

  /** A client that is silent for two intervals is taken for dead: 4009, after which it may resume. */
  #expectBeat(): void {
    this.#beats += 1;
    const beats = this.#beats;
    clearTimeout(this.#overdue);
    this.#overdue = setTimeout(() => {
      // A busy machine delays timers: a beat that has arrived by now is read first.
      setImmediate(() => beats === this.#beats && this.#giveUp());
    }, this.ports.heartbeatInterval * 2).unref();
  }

  #giveUp(): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.ports.violations.record('heartbeat', 'no heartbeat within two intervals');
    this.close(4009);
  }

  #closed(code: number): void {
    clearTimeout(this.#overdue);
    const { session } = this;
    this.session = undefined;
    session?.detach();
    if (session && (code === 1000 || code === 1001)) this.ports.end(session);
  }
}
