import { isDeepStrictEqual } from 'node:util';
import type { PermissionDecision, PermissionRequestEvent } from '../../../core/chat-event.js';
import type { PermissionAnswer } from '../../live/types.js';
import type { JsonObject } from '../../output/json.js';
import { alwaysField, everyEdit, isAllowing } from '../../output/permission-request.js';
import { text } from '../../output/read-fields.js';

export interface PermissionReply {
  readonly id: string;
  readonly body: { readonly reply: 'once' | 'reject'; readonly message?: string };
}

interface PendingRequest {
  readonly permission: string;
  readonly always: readonly string[];
  /** Nothing but the session's `confirmTools` asks for it. */
  readonly confirmation: boolean;
}

/**
 * The permission requests of a session that have no answer yet, and what is allowed always. OpenCode's own `always` holds
 * for every session in the same directory, so "always" is kept here, for this session only. And its `reject` rejects all
 * other requests of the session as well, so a denial is held back until the other pending requests are answered.
 */
export class PendingPermissions {
  readonly #pending = new Map<string, PendingRequest>();
  readonly #denials = new Map<string, string>();
  readonly #always = new Set<string>();
  readonly #decisions = new Map<string, PermissionDecision>();
  /** The subjects of all requests of the turn. */
  readonly #asked = new Map<string, JsonObject>();

  /** Adds a request; returns the reply if nobody needs to see it. `allowed`: the permission mode allows it. */
  add(request: JsonObject, allowed: boolean, confirmTools = false): PermissionReply | undefined {
    const id = text(request['id']);
    const subject = subjectOf(request);
    if (!isDeepStrictEqual(this.#asked.get(id) ?? subject, subject)) return this.#refuseReused(id);
    this.#asked.set(id, subject);
    const pending = { permission: text(request['permission']), always: strings(request['always']) };
    const confirmation = allowed || this.#isAlwaysAllowed(pending);
    if (confirmation && !confirmTools) return allowing(id);
    this.#pending.set(id, { ...pending, confirmation });
    return undefined;
  }

  isConfirmation(id: string): boolean {
    return this.#pending.get(id)?.confirmation === true;
  }

  isPending(id: string): boolean {
    return this.#pending.has(id) && !this.#denials.has(id);
  }

  /** The replies that can now be sent, in their order. */
  answer(id: string, { decision, message }: PermissionAnswer): readonly PermissionReply[] {
    const request = this.#pending.get(id);
    if (request === undefined) return [];
    this.#decisions.set(id, decision);
    if (!isAllowing(decision)) {
      // Without a message OpenCode ends the turn; with one the model is told, and goes on.
      this.#denials.set(id, message === undefined || message === '' ? defaultDenial : message);
      return this.#releaseDenials();
    }
    this.#pending.delete(id);
    if (decision !== 'allow_always') return [allowing(id), ...this.#releaseDenials()];
    for (const pattern of request.always) this.#always.add(ruleKey(request.permission, pattern));
    const others = [...this.#pending].filter(
      ([other, pending]) =>
        !this.#denials.has(other) && !pending.confirmation && this.#isAlwaysAllowed(pending),
    );
    for (const [other] of others) {
      this.#pending.delete(other);
      this.#decisions.set(other, 'allow_always');
    }
    return [id, ...others.map(([other]) => other)].map(allowing).concat(this.#releaseDenials());
  }

  /** The decision that was made, where the reply to OpenCode was a simpler one. */
  takeDecision(id: string): PermissionDecision | undefined {
    const decision = this.#decisions.get(id);
    this.#decisions.delete(id);
    this.#pending.delete(id);
    this.#denials.delete(id);
    return decision;
  }

  /** Forgets all requests when the turn is over; returns the replies for those that an aborted turn has left behind. */
  clear(): readonly PermissionReply[] {
    const left = [...this.#pending.keys()].map((id): PermissionReply => ({ id, body: { reply: 'reject' } }));
    this.#pending.clear();
    this.#denials.clear();
    this.#decisions.clear();
    this.#asked.clear();
    return left;
  }

  /** A reply names nothing but the id: an allow could be taken for either request. */
  #refuseReused(id: string): PermissionReply {
    if (this.#pending.delete(id)) this.#decisions.set(id, 'deny');
    this.#denials.delete(id);
    return { id, body: { reply: 'reject', message: 'Two requests had the same id.' } };
  }

  #isAlwaysAllowed({ permission, always }: Pick<PendingRequest, 'permission' | 'always'>): boolean {
    return always.length > 0 && always.every((pattern) => this.#always.has(ruleKey(permission, pattern)));
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

/** What "always" allows: OpenCode's patterns. */
export function alwaysAllowed(request: JsonObject): Pick<PermissionRequestEvent, 'always'> {
  const permission = text(request['permission']);
  const everything = permission === 'edit' ? everyEdit : `every ${permission}`;
  return alwaysField(strings(request['always']).map((pattern) => (pattern === '*' ? everything : pattern)));
}

const defaultDenial = 'The user did not allow this.';

function subjectOf({ permission, patterns, metadata, always, tool }: JsonObject): JsonObject {
  return { permission, patterns, metadata, always, tool };
}

function allowing(id: string): PermissionReply {
  return { id, body: { reply: 'once' } };
}

function ruleKey(permission: string, pattern: string): string {
  return `${permission}\n${pattern}`;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
