import { type ChatEvent, isTerminal } from '../core/chat-event.js';
import { TurnoutError } from '../core/errors.js';
import { endStrays } from '../process/end-strays.js';
import type { BackendSession } from '../sessions/types.js';
import type { Frames } from './frames.js';
import type { ClientMessage, HostMessage, TurnRequest } from './messages.js';
import type { WarmKind } from './warm-kind.js';
import type { WarmKinds } from './warm-kinds.js';

const aliveMs = 3000;

type Connection = Frames<ClientMessage, HostMessage>;

/**
 * One turn for one client. The client's end, of whatever kind, interrupts it. Nothing is said to a model before the client says
 * `go`: one that has given up waiting runs the turn itself, and it must not run twice.
 */
export class HostTurn {
  readonly #connection: Connection;
  readonly #request: TurnRequest;
  readonly #stop = new AbortController();
  #session: BackendSession | undefined;
  #go: () => void = () => {};
  readonly #wentOn = new Promise<void>((resolve) => {
    this.#go = resolve;
  });

  constructor(connection: Connection, request: TurnRequest) {
    this.#connection = connection;
    this.#request = request;
  }

  /** Ends the turn, if it has not ended. */
  stop(): void {
    this.#stop.abort();
    this.#go();
  }

  take(message: ClientMessage): void {
    if (message.type === 'go') this.#go();
    if (message.type === 'interrupt') this.#stop.abort();
    if (message.type === 'answer') {
      const { id, decision, message: why } = message;
      // If the turn has ended meanwhile, nothing is left to answer.
      void this.#session?.answerPermission(id, decision, why).catch(() => undefined);
    }
  }

  async run(kinds: WarmKinds): Promise<void> {
    const { options } = this.#request;
    await this.#connection.send({ type: 'accepted' });
    const alive = setInterval(() => void this.#connection.send({ type: 'alive' }), aliveMs);
    let kind: WarmKind | undefined;
    try {
      kind = await kinds.enter(options);
      if (!(await kinds.makeRoom(kind))) {
        await this.#connection.send({ type: 'cold', reason: 'all processes are in use' });
        return;
      }
      const reused = kind.processes > 0;
      const session = await kind.open(options, this.#stop.signal);
      this.#session = session;
      try {
        await this.#connection.send({ type: 'opened', sessionId: session.sessionId, reused });
        await this.#wentOn;
        if (!this.#connection.closed) await this.#tell(session, kind, reused);
      } finally {
        await kind.turnEnded(session).catch(() => undefined);
        await session.close();
      }
      // Beside the client's last steps, and ready when the next one comes.
      void kind.openAhead(options).catch(() => undefined);
    } catch (error) {
      // Whatever is wrong, a cold run tells it in its own words.
      const reason = error instanceof TurnoutError ? error.code : 'the host failed';
      await this.#connection.send({ type: 'cold', reason });
    } finally {
      clearInterval(alive);
      if (kind !== undefined) kinds.leave(kind);
    }
  }

  async #tell(session: BackendSession, kind: WarmKind, reused: boolean): Promise<void> {
    let heard = false;
    let leftovers: (() => Promise<void>) | undefined;
    try {
      for await (const event of session.send(this.#request.prompt, { signal: this.#stop.signal })) {
        // A process that died while nobody used it shows that only now.
        if (reused && !heard && event.type === 'error' && event.code === 'crashed') {
          await this.#connection.send({ type: 'lost', reason: event.message });
          return;
        }
        heard ||= !isPreface(event);
        if (event.type === 'tool_start') leftovers ??= once(() => endLeftovers(session, kind));
        if (isTerminal(event)) await leftovers?.();
        await this.#connection.send({ type: 'event', event });
        if (this.#connection.closed) return;
      }
    } finally {
      await leftovers?.();
    }
  }
}

/** As in a cold run, a turn leaves nothing running. While another one runs in the process, nobody knows whose it is. */
async function endLeftovers({ processId }: BackendSession, kind: WarmKind): Promise<void> {
  if (processId !== undefined && kind.turns === 1) await endStrays(processId).catch(() => undefined);
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= act());
}

/** True for events that can come before the agent says or does anything. */
function isPreface(event: ChatEvent): boolean {
  return event.type === 'session' || event.type === 'notice';
}
