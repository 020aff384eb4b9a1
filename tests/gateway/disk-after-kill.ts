import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { databaseFile } from '../../src/gateway/gateway.js';
import { loadSqlite } from '../../src/sqlite/load-sqlite.js';
import type { GatewayStage } from './stage.js';

const Sqlite = await loadSqlite();

/** Copies the gateway's home as a `kill -9` would leave it at this moment, and returns the copy's path. */
export function diskAfterKill(stage: GatewayStage): string {
  const left = join(stage.root, 'left');
  // The ballast may be in the making.
  cpSync(stage.home, left, { recursive: true, filter: (file) => !basename(file).startsWith('ballast') });
  const db = new Sqlite(join(left, databaseFile));
  // The next gateway is this process as well, and would take the turns for its own.
  db.exec("UPDATE turns SET worker = 'killed'");
  db.close();
  return left;
}
