/** One file of a patch. */
export interface PatchPart {
  readonly path: string;
  readonly type: 'add' | 'update' | 'delete';
  /** The new file's text, or the hunks of an update: a unified diff that begins with `@@`, without numbers. */
  readonly text: string;
  readonly movedTo?: string;
}

// With `s`: a path may hold what JavaScript takes for the end of a line (U+2028), and what hides a file must not.
const header = /^\*\*\* (Add|Update|Delete) File: ?(.+)$/s;
const move = /^\*\*\* Move to: ?(.+)$/s;
const types = { Add: 'add', Update: 'update', Delete: 'delete' } as const;

/**
 * Reads the patches that Codex and OpenCode give their models to write: `*** Begin Patch`, then for each file
 * `*** Update File: <path>` with its hunks. Of what is no such patch nothing is returned.
 */
export function readPatch(patch: string): readonly PatchPart[] {
  const parts: { path: string; type: PatchPart['type']; lines: string[]; movedTo?: string }[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const [, verb, path] = header.exec(line) ?? [];
    if (verb !== undefined && path !== undefined) {
      parts.push({ path: path.trim(), type: types[verb as keyof typeof types], lines: [] });
      continue;
    }
    const part = parts.at(-1);
    const movedTo = move.exec(line)?.[1];
    if (part === undefined || /^\*\*\* (?:End Patch|End of File)/.test(line)) continue;
    if (movedTo !== undefined) part.movedTo = movedTo.trim();
    else part.lines.push(part.type === 'add' ? line.replace(/^\+/, '') : line);
  }
  return parts.map(({ path, type, lines, movedTo }) => ({
    path,
    type,
    text: textOf(type, lines),
    ...(movedTo === undefined ? {} : { movedTo }),
  }));
}

/** The first `@@` may be left out. It is put in, so that a first line `--- x`, which removes `-- x`, is no file's name. */
function textOf(type: PatchPart['type'], lines: readonly string[]): string {
  const begin = type === 'update' && lines[0]?.startsWith('@@') === false ? '@@\n' : '';
  return begin + lines.map((line) => `${line}\n`).join('');
}
