/** Time limits in ms; 0 means no limit. The message of a timeout names the clock that ran out. */
export interface Clocks {
  /** The limit for the model's silence while no tool runs. */
  readonly modelSilenceMs: number;
  /** The limit for one tool. */
  readonly toolMs: number;
  /** The limit for an answer to a permission request; after it the request is denied. */
  readonly permissionMs: number;
  /** The limit for the whole turn. */
  readonly turnMs: number;
  /** The limit for a CLI to stop when asked to. After it the turn ends, and the process is given up. */
  readonly stopMs: number;
}

export const defaultClocks: Omit<Clocks, 'turnMs'> = {
  modelSilenceMs: 120_000,
  toolMs: 30 * 60_000,
  permissionMs: 5 * 60_000,
  stopMs: 5000,
};

/** Limits of the pool of warm CLI processes. */
export interface PoolLimits {
  /** The number of processes at the same time, of all backends. */
  readonly maxProcesses: number;
  /** The resident memory of all processes together. */
  readonly maxResidentBytes: number;
  /** A process without a turn is ended after this time. */
  readonly idleMs: number;
  /** The number of unused processes to keep ready for each kind that was in use. */
  readonly spares: number;
}

export const defaultPoolLimits: PoolLimits = {
  maxProcesses: 12,
  maxResidentBytes: 6 * 1024 ** 3,
  idleMs: 10 * 60_000,
  spares: 0,
};
