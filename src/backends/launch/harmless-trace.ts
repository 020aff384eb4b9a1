import { inspect } from 'node:util';
import type { TraceEntry } from '../types.js';

export type Trace = (entry: TraceEntry) => void;

/**
 * If a trace throws or rejects (its disk is full), that is reported once and the trace is not called again:
 * the turns go on.
 */
export function harmless(trace: Trace | undefined): Trace | undefined {
  if (trace === undefined) return undefined;
  let broken = false;
  const leave = (error: unknown) => {
    if (broken) return;
    broken = true;
    const message = `The trace failed, and gets nothing more of this process: ${inspect(error)}`;
    process.emitWarning(message, 'TurnoutWarning');
  };
  return (entry) => {
    if (broken) return;
    try {
      // A trace may be an async function.
      const done: unknown = trace(entry);
      if (done instanceof Promise) done.catch(leave);
    } catch (error) {
      leave(error);
    }
  };
}
