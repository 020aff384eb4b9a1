/** How long things may take, in ms; 0 means for ever. What a clock ends, it ends by name. */
export interface Clocks {
  /** The model says nothing, and no tool runs. */
  readonly modelSilenceMs: number;
  /** One tool runs. */
  readonly toolMs: number;
  /** A permission request waits; then it is denied. */
  readonly permissionMs: number;
  /** The whole turn. */
  readonly turnMs: number;
  /** A CLI that is asked to stop has this long. Then the turn ends without it, and its process is given up. */
  readonly stopMs: number;
}

export const defaultClocks: Omit<Clocks, 'turnMs'> = {
  modelSilenceMs: 120_000,
  toolMs: 30 * 60_000,
  permissionMs: 5 * 60_000,
  stopMs: 5000,
};

/** How many CLI processes are kept warm. */
export interface PoolLimits {
  /** Processes at the same time, of all backends. */
  readonly maxProcesses: number;
  /** Resident memory of all of them together. */
  readonly maxResidentBytes: number;
  /** A process that nobody uses is ended after this long. */
  readonly idleMs: number;
  /** How many unused processes to keep ready for each kind that was in use. */
  readonly spares: number;
}

export const defaultPoolLimits: PoolLimits = {
  maxProcesses: 12,
  maxResidentBytes: 6 * 1024 ** 3,
  idleMs: 10 * 60_000,
  spares: 0,
};
