/** Addresses that are remembered. The one that was silent the longest is forgotten first: it has the most left. */
const maxAddresses = 10_000;

/** What grows in fractions may lack the last one of them. */
const rounding = 1e-6;

interface Allowance {
  /** What is left of it. */
  left: number;
  at: number;
}

/** So many events a minute from each address. The allowance grows back steadily. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #allowances = new Map<string, Allowance>();

  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Takes one event off the address's allowance. The seconds until there is one again; 0 if there was one. */
  take(address: string | undefined): number {
    const key = networkOf(address ?? '');
    const at = this.#now();
    const { left, at: before } = this.#allowances.get(key) ?? { left: this.#perMinute, at };
    const perMs = this.#perMinute / 60_000;
    const now = Math.min(this.#perMinute, left + (at - before) * perMs);
    const taken = now >= 1 - rounding;
    this.#allowances.delete(key);
    this.#allowances.set(key, { left: taken ? now - 1 : now, at });
    if (this.#allowances.size > maxAddresses) {
      const [oldest] = this.#allowances.keys();
      if (oldest !== undefined) this.#allowances.delete(oldest);
    }
    return taken ? 0 : Math.max(1, Math.ceil((1 - now) / perMs / 1000 - rounding));
  }

  get addresses(): number {
    return this.#allowances.size;
  }
}

/** A host with IPv6 has 2^64 addresses: its network counts as one. */
function networkOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
