/** What ends a turn before its end, from the moment on that it is prepared. */
export interface TurnLimits {
  /** Returns the rest of the turn's time, at least 1; 0 if it has no limit. */
  readonly timeLeftMs: () => number;
  readonly signal: AbortSignal | undefined;
}

/** The time begins now. 0 means no limit. */
export function turnLimits(timeoutMs: number, signal: AbortSignal | undefined): TurnLimits {
  const began = performance.now();
  const timeLeftMs = () =>
    timeoutMs === 0 ? 0 : Math.max(1, Math.ceil(timeoutMs - (performance.now() - began)));
  return { timeLeftMs, signal };
}
