import type { FileEdit } from './tool-action.js';

/** What the texts of an edit don't tell. */
export function editNotes({ before, after, diff, note, movedTo, deleted }: FileEdit): readonly string[] {
  const isDeletion = deleted === true || (before !== undefined && (after ?? diff) === undefined);
  const isUntold = (before ?? after ?? diff ?? note ?? movedTo) === undefined && !isDeletion;
  return [
    ...(note === undefined ? [] : [note]),
    ...(movedTo === undefined ? [] : [`The file is moved to ${movedTo}`]),
    ...(isDeletion ? ['The file is deleted'] : []),
    ...(isUntold ? ['What changes is not told'] : []),
  ];
}
