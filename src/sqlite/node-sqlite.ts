import type { Sqlite } from './connection.js';

/** The SQLite in this Node, or undefined if it has none or one that lacks what Turnout's store needs. */
export function nodeSqlite(): Sqlite | undefined {
  // `getBuiltinModule` came with 20.16 and 22.3.
  const module = withoutExperimentalWarning(() => process.getBuiltinModule?.('node:sqlite'));
  const library = module === undefined ? undefined : (module as { readonly DatabaseSync: Sqlite });
  return library !== undefined && isUsable(library.DatabaseSync) ? library.DatabaseSync : undefined;
}

/**
 * Tries it on a database in memory. Before 22.16 it ignores `timeout` and has no `isTransaction`; before 22.20 and 24.7
 * it can't bind the numbered parameters of a statement that uses one twice.
 */
function isUsable(DatabaseSync: Sqlite): boolean {
  const db = new DatabaseSync(':memory:');
  try {
    db.prepare('SELECT ?2, ?1, ?1').get(1, 2);
    return db.isTransaction === false;
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/**
 * Node 22 warns that SQLite is experimental when it is loaded. Users can do nothing about it: that one warning is
 * left out. `load` is synchronous, so no other code can warn meanwhile, and other warnings pass.
 */
function withoutExperimentalWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) emitWarning(warning, ...rest);
  }) as typeof emitWarning;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
