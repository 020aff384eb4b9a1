import { exitCodes } from '../../core/exit-codes.js';

/** The signals that end a program and can be caught. A program that one of them ends leaves its children running. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export type EndingSignal = (typeof endingSignals)[number];

/** Listens until the returned function is called. */
export function onEndingSignal(listener: (signal: EndingSignal) => void): () => void {
  for (const name of endingSignals) process.on(name, listener);
  return () => {
    for (const name of endingSignals) process.off(name, listener);
  };
}

/** A signal in the meantime ends this program by an exit, at which its children are killed. */
export async function exitingOnSignal<T>(act: () => Promise<T>): Promise<T> {
  const release = onEndingSignal(() => process.exit(exitCodes.interrupted));
  try {
    return await act();
  } finally {
    release();
  }
}
