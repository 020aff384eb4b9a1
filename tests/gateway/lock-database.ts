import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { databaseFile } from '../../src/gateway/gateway.js';
import type { GatewayStage } from './stage.js';

/** Another program has the database to itself, until it lets go. */
export function lockDatabase(stage: GatewayStage): () => void {
  const db = new DatabaseSync(join(stage.home, databaseFile));
  db.exec('PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE');
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
}
