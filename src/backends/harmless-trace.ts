import type { TraceEntry } from './types.js';

export type Trace = (entry: TraceEntry) => void;

/** A trace that throws (its disk is full) is told of once and then left alone: the turns go on without it. */
export function harmless(trace: Trace | undefined): Trace | undefined {
  if (trace === undefined) return undefined;
  let broken = false;
  return (entry) => {
    if (broken) return;
    try {
      trace(entry);
    } catch (error) {
      broken = true;
      process.emitWarning(
        `The trace threw, and gets nothing more of this process: ${error}`,
        'TurnoutWarning',
      );
    }
  };
}
