import type { Socket } from 'node:net';
import { type ChatEvent, errorEvent, isTerminal, type PermissionDecision } from '../core/chat-event.js';
import { abortEvent } from '../core/errors.js';
import { late, within } from '../core/wait.js';
import { buildOf } from './build.js';
import { Frames } from './frames.js';
import { type ClientMessage, type HostedOptions, type HostMessage, hostProtocol } from './messages.js';
import { surroundings } from './surroundings.js';

/** A host that is alive accepts a turn at once; one that was stopped never does. */
const acceptMs = 1500;
/** A host in a turn gives a sign of life every three seconds. */
const silentMs = 15_000;
/** A CLI that does not stop is given up by the host after 5 s; then the host itself is. */
const interruptMs = 15_000;

/**
 * How a turn at the host ended. `cold`: it was not begun, and is the caller's to run. `lost`: it was begun, and host or CLI died
 * before the agent was heard: whether it has done something is not known.
 */
export type HostOutcome =
  /** With `hostDied` its CLIs are still there. */
  | { readonly type: 'ended'; readonly hostDied?: true }
  | { readonly type: 'cold'; readonly reason: string }
  | { readonly type: 'lost'; readonly since: number; readonly sessionId: string | undefined };

/** One turn that a host runs for this process. */
export class HostClient {
  readonly #connection: Frames<HostMessage, ClientMessage>;
  readonly #build: string;
  readonly #patienceMs: number;
  /** True if the host was given up because it says nothing: it may still have the turn. */
  #isSilent = false;

  constructor(socket: Socket, program: string, patienceMs = silentMs) {
    this.#patienceMs = patienceMs;
    this.#connection = new Frames(socket);
    this.#build = buildOf(program);
  }

  async answerPermission(id: string, decision: PermissionDecision, message?: string): Promise<void> {
    await this.#connection.send({ type: 'answer', id, decision, message });
  }

  async *turn(
    prompt: string,
    options: HostedOptions,
    signal: AbortSignal,
  ): AsyncGenerator<ChatEvent, HostOutcome> {
    const connection = this.#connection;
    const messages = this.#heard();
    let begun = false;
    let givenUp: NodeJS.Timeout | undefined;
    const onAbort = () => {
      if (!begun) connection.destroy();
      else {
        void connection.send({ type: 'interrupt' });
        givenUp = setTimeout(() => connection.destroy(), interruptMs);
      }
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal.aborted) onAbort();
      const refused = await this.#open(messages, { prompt, options });
      if (signal.aborted) {
        yield abortEvent(signal);
        return { type: 'ended' };
      }
      if ('reason' in refused) return { type: 'cold', reason: refused.reason };
      const since = Date.now();
      begun = true;
      void connection.send({ type: 'go' });
      return yield* this.#events(messages, signal, { since, sessionId: refused.sessionId });
    } finally {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(givenUp);
      connection.destroy();
    }
  }

  /** What the host says but its signs of life. Ends when there are none any more. */
  async *#heard(): AsyncGenerator<HostMessage> {
    const messages = this.#connection.read();
    for (;;) {
      // In small steps: the time in which this process itself was stopped is one of them.
      let steps = 0;
      const watch = setInterval(() => {
        steps += 1;
        if (steps < 15) return;
        this.#isSilent = true;
        this.#connection.destroy();
      }, this.#patienceMs / 15);
      const { value, done } = await messages.next().finally(() => clearInterval(watch));
      if (done) return;
      if (value.type !== 'alive') yield value;
    }
  }

  /** Asks for the turn. Resolves when a session is open for it, or to the reason why there is none. */
  async #open(
    messages: AsyncGenerator<HostMessage>,
    wanted: { readonly prompt: string; readonly options: HostedOptions },
  ): Promise<{ readonly sessionId: string | undefined } | { readonly reason: string }> {
    void this.#connection.send({
      type: 'turn',
      protocol: hostProtocol,
      build: this.#build,
      surroundings: surroundings(),
      ...wanted,
    });
    try {
      const first = await within(acceptMs, messages.next());
      if (first === late) return { reason: 'the host does not answer' };
      if (first.value?.type !== 'accepted') return { reason: reasonOf(first.value) };
      const { value } = await messages.next();
      return value?.type === 'opened' ? { sessionId: value.sessionId } : { reason: reasonOf(value) };
    } catch {
      return { reason: 'the host was not understood' };
    }
  }

  async *#events(
    messages: AsyncGenerator<HostMessage>,
    signal: AbortSignal,
    turn: { readonly since: number; readonly sessionId: string | undefined },
  ): AsyncGenerator<ChatEvent, HostOutcome> {
    let { sessionId } = turn;
    let heard = false;
    try {
      for await (const message of messages) {
        if (message.type !== 'event') break;
        const { event } = message;
        if (event.type === 'session') sessionId = event.sessionId;
        heard ||= event.type !== 'session' && event.type !== 'notice';
        yield event;
        if (isTerminal(event)) return { type: 'ended' };
      }
    } catch {
      // What it says is no message: the same as if it had died.
    }
    if (signal.aborted) yield abortEvent(signal);
    else if (this.#isSilent) yield errorEvent('crashed', silentMessage);
    else if (!heard) return { type: 'lost', since: turn.since, sessionId };
    else yield errorEvent('crashed', lostMessage);
    return { type: 'ended', hostDied: true };
  }
}

const silentMessage = `The host that ran the turn has said nothing for ${silentMs / 1000} s: it may still do it, or go on later.`;
const lostMessage = 'The host that ran the turn has ended in the middle of it.';

function reasonOf(message: HostMessage | undefined): string {
  if (message === undefined) return 'the host has ended';
  return message.type === 'cold' ? message.reason : 'the host was not understood';
}
