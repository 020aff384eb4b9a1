// This program makes a database, closes it, fills the disk, and tries to open the database again.
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';

const [directory = ''] = process.argv.slice(2);
const file = join(directory, 'turnout.db');
const ballast = join(directory, 'ballast');
const say = (line: string) => process.stdout.write(`${line}\n`);

await openSqliteStore(file).then((store) => store.close());
for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
try {
  for (;;) appendFileSync(ballast, Buffer.alloc(4096));
} catch {
  say(await openSqliteStore(file).then(() => 'opened', String));
}
rmSync(ballast);
await openSqliteStore(file).then((store) => store.close());
say('opened when there was room');
