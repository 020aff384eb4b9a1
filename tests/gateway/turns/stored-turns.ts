import { join } from 'node:path';
import { databaseFile } from '../../../src/gateway/gateway.js';
import type { StoredTurn } from '../../../src/store/rows.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import type { GatewayStage } from '../stage.js';

/** The turns of an event, as they are on disk. */
export async function storedTurns(stage: GatewayStage, eventId: string): Promise<readonly StoredTurn[]> {
  const store = await openSqliteStore(join(stage.home, databaseFile), { readOnly: true });
  try {
    return await store.turns(eventId);
  } finally {
    await store.close();
  }
}
