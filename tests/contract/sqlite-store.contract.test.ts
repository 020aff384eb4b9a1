import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.js';
import { describeStore } from './store-contract.js';

describeStore('SQLite', (directory) => openSqliteStore(`${directory}/turnout.db`));
