import type { BackendSession } from '../../sessions/types.js';
import type { PreparedAgent, Wanted } from './open-agent.js';

/** One CLI's part in the conversation. Whoever is handed it back goes on in the same session. */
export interface Agent {
  readonly prepared: PreparedAgent;
  wanted: Wanted;
  /** Rejects if the session can't be opened; the next message tries again. */
  session: Promise<BackendSession>;
  /** How many of the messages it knows. */
  seen: number;
  model: string | undefined;
  permissionMode: string;
}

/** Begins to open the session at once, so that the first message does not wait for the CLI. */
export function agentOf(prepared: PreparedAgent, wanted: Wanted): Agent {
  const session = prepared.open();
  // Whoever needs it hears of a failure.
  session.catch(() => undefined);
  const { model, permissionMode } = prepared;
  return { prepared, wanted, session, seen: 0, model, permissionMode };
}

/** Ends its session; a failure to open one is nobody's concern any more. */
export async function closed({ session, prepared }: Agent): Promise<void> {
  await session.then((open) => open.close()).catch(() => undefined);
  await prepared.remove();
}

/** Undefined if the signal comes first. */
export async function unlessAborted<T>(wait: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([wait, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
