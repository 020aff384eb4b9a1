import type { PermissionDecision } from '../../../core/chat-event.js';
import type { PermissionAnswer } from '../../live/types.js';
import type { JsonObject } from '../../output/json.js';
import { text } from '../../output/read-fields.js';

export interface PermissionReply {
  readonly id: string;
  readonly body: { readonly reply: 'once' | 'reject'; readonly message?: string };
}

interface Pending {
  readonly permission: string;
  readonly always: readonly string[];
}

/**
 * What a session was asked for and has been answered. OpenCode's own `always` holds for every session in the same
 * directory, so "always" is kept here, for this session only. And its `reject` rejects whatever else the session is
 * asking for, so a denial waits until the other questions of the moment are answered.
 */
export class PermissionDesk {
  readonly #pending = new Map<string, Pending>();
  readonly #denials = new Map<string, string>();
  readonly #always = new Set<string>();
  readonly #decisions = new Map<string, PermissionDecision>();

  /** Takes down a request; a reply, when it needs no person. */
  ask(request: JsonObject, allowAll: boolean): PermissionReply | undefined {
    const id = text(request['id']);
    const pending = { permission: text(request['permission']), always: strings(request['always']) };
    if (allowAll || this.#isAlwaysAllowed(pending)) return allowing(id);
    this.#pending.set(id, pending);
    return undefined;
  }

  isPending(id: string): boolean {
    return this.#pending.has(id) && !this.#denials.has(id);
  }

  /** The replies that can now be sent, in their order. */
  answer(id: string, { decision, message }: PermissionAnswer): readonly PermissionReply[] {
    const request = this.#pending.get(id);
    if (request === undefined) return [];
    this.#decisions.set(id, decision);
    if (decision === 'deny') {
      // Without words OpenCode ends the turn; with them the model is told, and goes on.
      this.#denials.set(id, message === undefined || message === '' ? defaultDenial : message);
      return this.#releaseDenials();
    }
    this.#pending.delete(id);
    if (decision !== 'allow_always') return [allowing(id), ...this.#releaseDenials()];
    for (const pattern of request.always) this.#always.add(nameOf(request.permission, pattern));
    const others = [...this.#pending].filter(
      ([other, pending]) => !this.#denials.has(other) && this.#isAlwaysAllowed(pending),
    );
    for (const [other] of others) {
      this.#pending.delete(other);
      this.#decisions.set(other, 'allow_always');
    }
    return [id, ...others.map(([other]) => other)].map(allowing).concat(this.#releaseDenials());
  }

  /** What was really decided, where OpenCode was told something simpler. */
  takeDecision(id: string): PermissionDecision | undefined {
    const decision = this.#decisions.get(id);
    this.#decisions.delete(id);
    this.#pending.delete(id);
    this.#denials.delete(id);
    return decision;
  }

  /** The turn is over: nobody waits for an answer any more. An aborted turn leaves its requests behind. */
  clear(): readonly PermissionReply[] {
    const left = [...this.#pending.keys()].map((id): PermissionReply => ({ id, body: { reply: 'reject' } }));
    this.#pending.clear();
    this.#denials.clear();
    this.#decisions.clear();
    return left;
  }

  #isAlwaysAllowed({ permission, always }: Pending): boolean {
    return always.length > 0 && always.every((pattern) => this.#always.has(nameOf(permission, pattern)));
  }

  #releaseDenials(): readonly PermissionReply[] {
    if (this.#denials.size < this.#pending.size) return [];
    const replies = [...this.#denials].map(
      ([id, message]): PermissionReply => ({ id, body: { reply: 'reject', message } }),
    );
    this.#denials.clear();
    this.#pending.clear();
    return replies;
  }
}

const defaultDenial = 'The user did not allow this.';

function allowing(id: string): PermissionReply {
  return { id, body: { reply: 'once' } };
}

function nameOf(permission: string, pattern: string): string {
  return `${permission}\n${pattern}`;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
