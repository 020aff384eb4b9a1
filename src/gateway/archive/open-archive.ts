import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { TurnoutError } from '../../core/errors.js';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.js';
import type { Store } from '../../store/store.js';

export type {
  ChannelOverview,
  StoredEvent,
  StoredMessage,
  StoredTurn,
} from '../../store/rows.js';
export type { UsageQuery } from '../../store/store.js';

/** The part of the store that can be read while a gateway is at work. */
export type ArchiveReader = Pick<
  Store,
  'channels' | 'messages' | 'event' | 'turns' | 'turnEvents' | 'turnsEnded' | 'usage' | 'permission' | 'close'
>;

/** Opens the rows of a home directory to read only: nothing is made or changed there. */
export async function openArchive(home: string): Promise<ArchiveReader> {
  const file = archiveFile(home);
  await access(file, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' || error.code === 'ENOTDIR' ? nothing(home) : unreadable(file, error);
  });
  return openSqliteStore(file, { readOnly: true });
}

export function hasArchive(home: string): boolean {
  return existsSync(archiveFile(home));
}

/** The file that holds the rows of a home directory. */
export function archiveFile(home: string): string {
  return join(home, 'turnout.db');
}

function nothing(home: string): TurnoutError {
  return new TurnoutError(
    'bad_request',
    `There is no gateway data in ${home}: nothing has been archived yet.`,
    { hint: '--home or TURNOUT_HOME names another directory; `turnout gateway` begins an archive.' },
  );
}

function unreadable(file: string, cause: NodeJS.ErrnoException): TurnoutError {
  return new TurnoutError('bad_request', `${file} can't be read: ${cause.message}.`, {
    hint: 'Look into it as the user who runs the gateway.',
    cause,
  });
}
