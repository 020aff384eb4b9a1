import type { LostFile } from './known-file.js';

/**
 * `io` is a fault of the device or the system; `failed` one of the single call, which may fail again each time; `lost_file`
 * means that a file of the store was removed, replaced or truncated.
 */
export type StoreFault =
  | 'lost_lease'
  | 'lost_file'
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
  /** Of `lost_file`. */
  readonly lost: LostFile | undefined;

  constructor(
    fault: StoreFault,
    message: string,
    options: { cause?: unknown; refusesNewWork?: boolean; lost?: LostFile } = {},
  ) {
    super(message, options);
    this.fault = fault;
    this.refusesNewWork = options.refusesNewWork ?? false;
    this.lost = options.lost;
  }

  /**
   * True if the same call may succeed later: the disk may get room, the lock may be given back. A device with a passing
   * fault also makes a sound file look damaged, and the system mounts it read-only for a while.
   */
  get retryable(): boolean {
    return this.fault !== 'lost_lease' && this.fault !== 'closed';
  }
}

/** Nothing may be stored any more: it would be gone with the next start. */
export function fileLost(lost: LostFile): StoreError {
  return new StoreError('lost_file', `${describeLost(lost)} ${remedyFor(lost)}`, { lost });
}

export function describeLost({ file, fate }: LostFile): string {
  return `${file} was ${fate} while the gateway was running.`;
}

/** What the operator does about it. */
export function remedyFor({ file, fate }: LostFile): string {
  if (file.endsWith('.lock')) return 'Nothing is lost: restart the gateway.';
  const restore = 'stop the gateway, restore a backup of the home, and start it again.';
  switch (fate) {
    case 'removed':
      return 'Restart the gateway: it stores what it still has open. Or move the same file back (not a copy).';
    case 'replaced':
      return `Move the same file back (not a copy). Or ${restore}`;
    case 'truncated':
      return `To go on, ${restore}`;
  }
}
