import type { PermissionDecision } from '../../../../core/chat-event.js';

/** What is written down about a question that was posted. */
export interface PermissionNote {
  /** The words of the question. */
  readonly asked?: string | undefined;
  /** What somebody has clicked, and who: written before it is decided. */
  readonly decision?: PermissionDecision | undefined;
  readonly by?: string | undefined;
}

export function writeNote(note: PermissionNote): string {
  return JSON.stringify(note);
}

export function readNote(note: string | undefined): PermissionNote {
  return note?.startsWith('{') ? (JSON.parse(note) as PermissionNote) : {};
}
