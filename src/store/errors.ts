/** `io` is a fault of the device or the system; `failed` one of the single call, which may fail again each time. */
export type StoreFault =
  | 'lost_lease'
  | 'full'
  | 'locked'
  | 'io'
  | 'read_only'
  | 'corrupt'
  | 'closed'
  | 'failed';

/** The store could not do what it was asked to. Nothing was changed. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly fault: StoreFault;
  /** True if the store works, and keeps the last room on its disk for work that has begun. */
  readonly refusesNewWork: boolean;

  constructor(
    fault: StoreFault,
    message: string,
    options: { cause?: unknown; refusesNewWork?: boolean } = {},
  ) {
    super(message, options);
    this.fault = fault;
    this.refusesNewWork = options.refusesNewWork ?? false;
  }

  /**
   * True if the same call may succeed later: the disk may get room, the lock may be given back. A device with a passing
   * fault also makes a sound file look damaged, and the system mounts it read-only for a while.
   */
  get retryable(): boolean {
    return this.fault !== 'lost_lease' && this.fault !== 'closed';
  }
}
