/** Larger files are left out of the snapshots. */
export const maxFileBytes = 5 * 1024 ** 2;

/** More files, or more bytes, than these are not taken into a snapshot at once: such a directory is hardly a project. */
export const maxNewFiles = 200_000;
export const maxNewBytes = 512 * 1024 ** 2;

/** What has to stay free on the disk: the gateway's own notes come first. */
export const minFreeBytes = 256 * 1024 ** 2;

/** A whole snapshot, and each git in it: one that waits for something is not waited for. No turn waits for so long. */
export const snapshotMs = 120_000;
export const snapshotGitMs = 10_000;

/** A turn waits for the snapshot before it for so long, and its answer for the one after it. */
export const turnWaitMs = 2000;

/** The first snapshot of the agents' usual directory is begun so long after the start. */
export const prepareMs = 2000;

/** A work tree whose snapshot failed is left alone for this long. */
export const restMs = 10 * 60_000;

/** All shadow directories together. */
export const maxShadowBytes = 1024 ** 3;

/** An answer of the interface has no more files, nor more bytes of diffs. A longer diff of a single file is left out. */
export const maxFiles = 2000;
export const maxDiffBytes = 1024 ** 2;
export const maxFileDiffBytes = 256 * 1024;

/** So many of a conversation's turns are compared: the last ones. */
export const maxTurns = 2000;

/** The requests that wait for the same directory, beside the one that runs. */
export const maxWaiting = 32;

/** Larger ignore files, and more of them than these below a work tree, are not obeyed. */
export const maxIgnoreFileBytes = 256 * 1024;
export const maxIgnoreFiles = 1000;

/** More new files than these are not shown if ignore rules that the turn has written hide them. */
export const maxHidden = 1000;

/** The repositories inside a work tree that are looked into. */
export const maxNested = 2000;
