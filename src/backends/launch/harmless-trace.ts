import { inspectThrown } from '../../core/describe-thrown.js';
import type { TraceEntry } from '../types.js';

export type Trace = (entry: TraceEntry) => void;

let processes = 0;

/** The trace of one process: its entries carry a number of their own. */
export function traceOfProcess(trace: Trace | undefined): Trace | undefined {
  if (trace === undefined) return undefined;
  processes += 1;
  const process = processes;
  return harmless((entry) => trace({ ...entry, process }));
}

/**
 * If a trace throws or rejects (its disk is full), that is reported once and the trace is not called again:
 * the turns go on.
 */
function harmless(trace: Trace): Trace {
  let broken = false;
  const leave = (error: unknown) => {
    if (broken) return;
    broken = true;
    const message = `The trace failed, and gets nothing more of this process: ${inspectThrown(error)}`;
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
