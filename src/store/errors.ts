export type StoreFault = 'lost_lease' | 'full' | 'locked' | 'read_only' | 'corrupt' | 'closed' | 'failed';

/** The store could not do what it was asked to. Nothing was changed. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly fault: StoreFault;

  constructor(fault: StoreFault, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.fault = fault;
  }

  /** True if the same call may succeed later: the disk may get room, the lock may be given back. */
  get retryable(): boolean {
    return this.fault === 'full' || this.fault === 'locked' || this.fault === 'failed';
  }
}
