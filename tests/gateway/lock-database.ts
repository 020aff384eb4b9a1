import { join } from 'node:path';
import { databaseFile } from '../../src/gateway/gateway.js';
import { loadSqlite } from '../../src/sqlite/load-sqlite.js';
import type { GatewayStage } from './stage.js';

const Sqlite = await loadSqlite();

/** Another program has the database to itself, until it lets go. */
export function lockDatabase(stage: GatewayStage): () => void {
  const db = new Sqlite(join(stage.home, databaseFile));
  db.exec('PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE');
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
}
