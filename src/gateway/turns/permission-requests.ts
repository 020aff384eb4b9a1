import { randomUUID } from 'node:crypto';
import type { Log } from '../../config/log.js';
import type {
  PermissionDecision,
  PermissionRequestEvent,
  PermissionResolvedEvent,
} from '../../core/chat-event.js';
import { TurnoutError } from '../../core/errors.js';
import { questionText } from '../../core/question-text.js';
import type { StoredPermission } from '../../store/rows.js';
import type { Lease, Store } from '../../store/store.js';
import type { AgentTurn } from '../agents/agents.js';
import type { Watcher } from '../journal-points.js';

interface OpenRequest {
  readonly turnId: string;
  /** The vendor's id of the question. */
  readonly requestId: string;
  readonly turn: AgentTurn;
}

/** The inputs of all questions of one turn together: each is kept on disk. */
const maxInputBytes = 32 * 1024 * 1024;

export interface PermissionRequestsParts {
  /** The limit of requests in one turn. */
  readonly maxPerTurn: number;
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
  readonly watch: Watcher;
  /** Tells the channel's readers something. */
  post(channel: string, eventId: string, text: string): Promise<void>;
}

/**
 * The permission requests of running turns. They are on disk: after a restart the turn runs again, asks again, and finds
 * its request still pending, or the answer that was given meanwhile.
 */
export class PermissionRequests {
  readonly #parts: PermissionRequestsParts;
  readonly #open = new Map<string, OpenRequest>();
  /** The number and the size of the requests that each running turn has made. */
  readonly #made = new Map<string, { count: number; bytes: number }>();

  constructor(parts: PermissionRequestsParts) {
    this.#parts = parts;
  }

  /** The reason why a turn may not ask for this as well: an agent that asks for ever would fill the store and the channel. */
  refusal(lease: Lease, { input }: PermissionRequestEvent): string | undefined {
    const made = this.#made.get(lease.turnId) ?? { count: 0, bytes: 0 };
    this.#made.set(lease.turnId, made);
    made.count += 1;
    const { maxPerTurn } = this.#parts;
    if (made.count > maxPerTurn)
      return `the agent asked for more than ${maxPerTurn} permissions in one turn (MAX_PERMISSION_REQUESTS)`;
    made.bytes += Buffer.byteLength(JSON.stringify(input) ?? '');
    if (made.bytes > maxInputBytes)
      return `the agent's permission requests are larger than ${maxInputBytes / 1024 ** 2} MiB together`;
    return undefined;
  }

  async ask(lease: Lease, eventId: string, request: PermissionRequestEvent, turn: AgentTurn): Promise<void> {
    const { store, now, watch, log } = this.#parts;
    if (this.#isOpen(lease, request.id)) {
      // A yes to the question that is shown would be a yes to this one, which nobody has seen.
      log.warn('an agent asked twice with one id: both are denied', { channel: lease.channel });
      await turn.answerPermission(request.id, 'deny', 'Two requests had the same id.').catch(() => undefined);
      return;
    }
    const id = `prm_${randomUUID()}`;
    const { tool, input, options, always } = request;
    const stored = await store.askPermission(lease, { id, tool, input, options, always, at: now() });
    watch('permission_asked');
    this.#open.set(stored.id, { turnId: lease.turnId, requestId: request.id, turn });
    if (stored.state === 'decided' && stored.decision !== undefined) {
      await this.#answerAgent(stored.id, stored.decision, stored.message);
    } else if (stored.id === id) {
      // What it asks for is not in the log: that holds nothing of what was said.
      log.info('an agent asks for a permission: `turnout permissions`', {
        channel: lease.channel,
        tool,
        permission: id,
      });
      // The question is on disk: without this notice it is only harder to find.
      await this.#parts.post(lease.channel, eventId, questionText(stored)).catch((error: unknown) => {
        this.#parts.log.error('a channel could not be told of a question', { permission: id, error });
      });
    }
  }

  /** Undefined if no request with that id is pending. */
  async decide(
    id: string,
    decision: PermissionDecision,
    message?: string,
  ): Promise<StoredPermission | undefined> {
    const { store, now } = this.#parts;
    const pending = await store.permission(id);
    if (pending === undefined || pending.state !== 'pending') return undefined;
    if (!pending.options.includes(decision)) {
      throw new TurnoutError(
        'bad_request',
        `This request can't be answered with ${decision}: choose ${pending.options.join(', ')}.`,
      );
    }
    const decided = await store.decidePermission(id, { decision, message, at: now() });
    if (decided !== undefined) await this.#answerAgent(id, decision, message);
    return decided;
  }

  /** Tells the agent of a decision that is on disk already. */
  async wasDecided({ id, decision, message }: StoredPermission): Promise<void> {
    if (decision !== undefined) await this.#answerAgent(id, decision, message);
  }

  /** Stores the decision of a question that the CLI or a clock has settled. */
  async resolved(lease: Lease, resolved: PermissionResolvedEvent): Promise<void> {
    const { store, log, now } = this.#parts;
    const { id: requestId, decision, message } = resolved;
    for (const [id, request] of this.#open) {
      if (request.turnId !== lease.turnId || request.requestId !== requestId) continue;
      this.#open.delete(id);
      await store.decidePermission(id, { decision, message, at: now() }).catch((error: unknown) => {
        // The end of the turn voids the request.
        log.error('a settled question could not be noted', { permission: id, error });
      });
    }
  }

  /** Forgets the turn's requests: no agent is there to be answered. `Store.finish` voids those on disk. */
  turnEnded(lease: Lease): void {
    this.#made.delete(lease.turnId);
    for (const [id, request] of this.#open) if (request.turnId === lease.turnId) this.#open.delete(id);
  }

  /** True if the turn waits for somebody's answer. */
  isAskedBy({ turnId }: Lease): boolean {
    return [...this.#open.values()].some((open) => open.turnId === turnId);
  }

  #isOpen({ turnId }: Lease, requestId: string): boolean {
    return [...this.#open.values()].some((open) => open.turnId === turnId && open.requestId === requestId);
  }

  async #answerAgent(id: string, decision: PermissionDecision, message: string | undefined): Promise<void> {
    const request = this.#open.get(id);
    if (request === undefined) return;
    try {
      await request.turn.answerPermission(request.requestId, decision, message);
    } catch (error) {
      // The deadline or the end of the turn was faster.
      this.#parts.log.warn('a permission came too late', { permission: id, error });
    }
  }
}
