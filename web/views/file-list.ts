import type { ChangedFileView } from '../../src/gateway/channels/http/wire.js';

/** The files that are open at first: as many as can be read in one go, and none that a program wrote. */
export function openAtFirst(files: readonly ChangedFileView[]): ReadonlySet<string> {
  const open = new Set<string>();
  let lines = 0;
  for (const file of files) {
    const size = file.additions + file.deletions;
    if (generated.test(file.path) || file.binary || size > longFile) continue;
    if (lines + size > mostLines || open.size >= mostFiles) break;
    lines += size;
    open.add(file.path);
  }
  // A list of closed files is no review: the only file is open however long it is.
  const [only] = files;
  if (files.length === 1 && only !== undefined) open.add(only.path);
  return open;
}

/** Where `j` and `k` lead from the file at `index` (-1: none yet). Undefined for other keys and at the ends. */
export function nextFile(key: string, index: number, files: number): number | undefined {
  const next = key === 'j' ? index + 1 : key === 'k' ? index - 1 : undefined;
  return next === undefined || next < 0 || next >= files ? undefined : next;
}

const longFile = 400;
const mostLines = 600;
const mostFiles = 12;
const generated =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|Gemfile\.lock|poetry\.lock|uv\.lock|composer\.lock|go\.sum|flake\.lock)$|\.(min\.(js|css)|map|snap)$|(^|\/)(dist|build|vendor|node_modules)\//;
