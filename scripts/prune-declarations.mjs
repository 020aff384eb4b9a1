// Leaves only the declarations that the library's own reach: those of hundreds of inner modules would be most of the package's files.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @param {string} outdir the compiled modules @param {string} entry the declaration that everything is reached from */
export function pruneDeclarations(outdir, entry = 'index.d.ts') {
  const kept = reachedFrom(join(outdir, entry));
  for (const name of readdirSync(outdir, { recursive: true, encoding: 'utf8' })) {
    const file = join(outdir, name);
    if (name.endsWith('.d.ts') && !kept.has(file)) rmSync(file);
  }
}

/** @returns {ReadonlySet<string>} */
function reachedFrom(entry) {
  const found = new Set([entry]);
  for (const file of found) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(relativeImport))
      found.add(join(dirname(file), path.replace(/\.js$/, '.d.ts')));
  }
  return found;
}

/** `from './x.js'`, `import('./x.js')` and `import './x.js'`. */
const relativeImport = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g;
