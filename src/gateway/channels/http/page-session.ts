import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A session of the page. Neither of its halves is of use without the other, or as a token. */
export interface PageSession {
  /** The value of the cookie, which no script can read. */
  readonly cookie: string;
  /** Held by the page, in a storage of its origin. */
  readonly pageKey: string;
  readonly expiresAt: number;
}

export const sessionSeconds = 30 * 24 * 3600;

/**
 * The page's sessions. Nothing is kept: both halves are derived from the token, so that a new token ends all of them.
 *
 * A cookie belongs to a host, not to a port: the browser also sends it to the dev server on 127.0.0.1:3000 that an agent has
 * started, whose owner could use it here. What the page holds in its storage belongs to scheme, host *and port*.
 */
export class PageSessions {
  readonly #token: string;
  readonly #now: () => number;

  constructor(token: string, now: () => number = Date.now) {
    this.#token = token;
    this.#now = now;
  }

  begin(): PageSession {
    const expiresAt = Math.floor(this.#now() / 1000) + sessionSeconds;
    const id = `${expiresAt.toString(36)}.${randomBytes(16).toString('base64url')}`;
    const cookie = `${id}.${this.#derive('cookie', id)}`;
    return { cookie, pageKey: this.#derive('page key', id), expiresAt: expiresAt * 1000 };
  }

  isCookie(cookie: string): boolean {
    const [, id = '', expires = '', proof = ''] = wellFormed.exec(cookie) ?? [];
    if (id === '' || Number.parseInt(expires, 36) * 1000 <= this.#now()) return false;
    return areEqual(proof, this.#derive('cookie', id));
  }

  /** True if the key was given out together with the cookie. */
  isKeyOf(cookie: string, pageKey: string): boolean {
    const id = wellFormed.exec(cookie)?.[1];
    return id !== undefined && areEqual(pageKey, this.#derive('page key', id));
  }

  #derive(purpose: string, id: string): string {
    return createHmac('sha256', this.#token)
      .update(`turnout page session\n${purpose}\n${id}`)
      .digest('base64url');
  }
}

const wellFormed = /^(([\da-z]{1,9})\.[\w-]{22})\.([\w-]{43})$/;

function areEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
