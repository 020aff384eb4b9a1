import { existsSync } from 'node:fs';
import { TurnoutError } from '../../core/errors.js';
import { archiveFile } from '../../gateway/archive/open-archive.js';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.js';
import type { Store } from '../../store/store.js';

/**
 * Opens the store of a gateway that may be at work: SQLite lets two processes write in turn. A file of another version is left
 * alone: to migrate it would break the gateway that works with it.
 */
export async function openPeople(home: string, access: 'read' | 'write'): Promise<Store> {
  const file = archiveFile(home);
  if (!existsSync(file)) throw nothing(home);
  const reader = await openSqliteStore(file, { readOnly: true });
  if (access === 'read') return reader;
  await reader.close();
  return openSqliteStore(file);
}

function nothing(home: string): TurnoutError {
  return new TurnoutError(
    'bad_request',
    `There is no gateway data in ${home}: nobody has asked to be paired.`,
    {
      hint: '--home or TURNOUT_HOME names another directory.',
    },
  );
}
