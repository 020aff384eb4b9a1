import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** The names under which this gateway may be spoken to. */
export interface OwnHosts {
  /** True for an address, a name of this machine and a name of HTTP_ALLOWED_HOSTS. */
  isOwn(name: string): boolean;
  /** True for what HTTP_ALLOWED_HOSTS names: a proxy with https may stand in front of it. */
  isAllowed(name: string): boolean;
}

/**
 * An address counts as own, whichever it is: DNS rebinding leads a page's own *name* here, and an address can't be rebound.
 * `localhost` and the names below it never leave the machine; its other name is as trustworthy as its resolver.
 */
export function ownHosts(bound: string, allowed: readonly string[] = [], machine = hostname()): OwnHosts {
  const listed = new Set(allowed.map(plainName));
  const own = new Set([...listed, ...[bound, machine, 'localhost'].map(plainName)]);
  return {
    isOwn: (name) => isIP(name) !== 0 || own.has(name) || name.endsWith('.localhost'),
    isAllowed: (name) => listed.has(name),
  };
}

/** The name or the address in a Host header, without its port; undefined if it is not well-formed. */
export function nameInHost(host: string): string | undefined {
  const [, name, port = '0'] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(host) ?? [];
  if (name === undefined || Number(port) > 65_535) return undefined;
  return plainName(name);
}

/** The port in a Host header, as the browser sees it; undefined for the scheme's own one. */
export function portInHost(host: string): string | undefined {
  return /:(\d{1,5})$/.exec(host)?.[1];
}

/** `LOCALHOST.` and `localhost` are one name, `[::1]` and `::1` one address. */
export function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** True if nobody outside this machine can connect to an address, or to `localhost`. */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d+){3}|::1|::ffff:127(\.\d+){3}|localhost)$/.test(plainName(host));
}
