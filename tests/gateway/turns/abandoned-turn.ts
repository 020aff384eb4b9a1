import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile } from '../../../src/gateway/gateway.js';
import type { TurnSetup } from '../../../src/store/rows.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';

const setup: TurnSetup = {
  backend: 'claude',
  cwd: '/',
  live: false,
  prompt: { files: [], characters: 0, hash: '', seededMessages: 0 },
};

/** Leaves a turn in `home` as a killed gateway does: begun, not settled, with what its agent had printed. */
export async function abandonTurn(
  home: string,
  channel: string,
  text: string,
  output: string | Buffer,
): Promise<{ readonly eventId: string; readonly outputFile: string }> {
  const store = await openSqliteStore(join(home, databaseFile));
  await store.accept({ channel, source: 'http', kind: 'prompt', text, at: 1 }, { maxWaiting: 99 });
  const [claim] = await store.claim({ worker: 'dead', now: 1, leaseUntil: 1, limit: 1 });
  if (claim === undefined) throw new Error('There is nothing to claim.');
  await store.journal(claim.lease, { type: 'began', ...setup });
  await store.close();
  const directory = join(home, 'turns');
  mkdirSync(directory, { recursive: true });
  const outputFile = join(directory, `${claim.lease.turnId}.out`);
  writeFileSync(outputFile, output);
  return { eventId: claim.event.id, outputFile };
}
