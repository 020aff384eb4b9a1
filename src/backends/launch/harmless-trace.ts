import { inspect } from 'node:util';
import type { TraceEntry } from '../types.js';

export type Trace = (entry: TraceEntry) => void;

/** A trace that throws, or rejects (its disk is full), is told of once and then left alone: the turns go on without it. */
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
      // An async function is a trace as well.
      const done: unknown = trace(entry);
      if (done instanceof Promise) done.catch(leave);
    } catch (error) {
      leave(error);
    }
  };
}
