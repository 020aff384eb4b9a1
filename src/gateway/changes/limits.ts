/** Larger files are left out of the snapshots. */
export const maxFileBytes = 5 * 1024 ** 2;

/** More files, or more bytes, than these are not taken into a snapshot at once: such a directory is hardly a project. */
export const maxNewFiles = 50_000;
export const maxNewBytes = 512 * 1024 ** 2;

/** What has to stay free on the disk: the gateway's own notes come first. */
export const minFreeBytes = 256 * 1024 ** 2;

export const snapshotMs = 10_000;

/** The answer of a turn waits for the snapshot after it for so long. */
export const settlementMs = 2000;

/** A work tree whose snapshot failed is left alone for this long. */
export const restMs = 10 * 60_000;

/** All shadow directories together. */
export const maxShadowBytes = 1024 ** 3;

/** An answer of the interface has no more files, nor more bytes of diffs. A longer diff of a single file is left out. */
export const maxFiles = 2000;
export const maxDiffBytes = 1024 ** 2;
export const maxFileDiffBytes = 256 * 1024;

/** The requests that wait for the same directory, beside the one that runs. */
export const maxWaiting = 32;
