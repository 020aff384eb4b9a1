import type { BackendView } from '../src/gateway/channels/http/wire.js';
import { api } from './api.js';
import { Cell } from './cell.js';

/** The backends that there are, with what each can do. */
export const backends = new Cell<readonly BackendView[]>([]);

let readAt = Number.NEGATIVE_INFINITY;

/** Asks at most every ten seconds: a CLI may be installed while the page is open. */
export async function refreshBackends(): Promise<void> {
  if (performance.now() - readAt < 10_000) return;
  readAt = performance.now();
  try {
    backends.set((await api.backends()).backends);
  } catch {
    // The picker then has the present backend only; the next look asks again.
    readAt = Number.NEGATIVE_INFINITY;
  }
}
