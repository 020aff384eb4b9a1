import { isShortage, TurnoutError } from '../../core/errors.js';

/** Says to whoever looks for the changes why no snapshot was taken. */
export function explainFailure(error: unknown): string {
  const { code, message } =
    error instanceof TurnoutError ? error : { code: 'unknown', message: String(error) };
  if (code === 'not_installed') return 'git is not installed, and snapshots of the work tree need it.';
  if (code === 'timeout')
    return 'This work tree is too large, or something in it can not be read: a snapshot of it took too long, so none are taken for some minutes.';
  if (code === 'unsupported') return `No snapshot is taken of the work tree: ${message}.`;
  if (lacksRoom(error)) return 'There was too little room on the disk for a snapshot of the work tree.';
  return 'A snapshot of the work tree failed; the log says why.';
}

/** True if it can be tried again as soon as somebody has made room. */
export function lacksRoom(error: unknown): boolean {
  if (isShortage(error)) return true;
  return error instanceof Error && /no space left|quota exceeded|too little room/i.test(error.message);
}
