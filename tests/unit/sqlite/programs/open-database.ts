// This program warns by itself, opens a database, and says so.
import { loadSqlite } from '../../../../src/sqlite/load-sqlite.js';

process.emitWarning('a warning of its own', 'ExperimentalWarning');
const Sqlite = await loadSqlite();
new Sqlite(':memory:').close();
process.stdout.write('opened\n');
