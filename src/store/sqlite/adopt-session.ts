import type { Adoption } from '../store.js';
import { changeChannel, readChannel, saveSession } from './conversations.js';
import type { Database } from './database.js';
import { countWaiting } from './lanes.js';
import { post } from './outbox.js';
import { runningTurns } from './turns.js';

export function adoptSession(
  db: Database,
  { session, change, text }: Adoption,
  at: number,
): 'adopted' | 'busy' | 'taken' {
  const { channel, backend, sessionId } = session;
  if (countWaiting(db, channel) > 0 || runningTurns(db, channel).length > 0) return 'busy';
  const sql = 'SELECT 1 FROM sessions WHERE backend = ? AND session_id = ?';
  if (db.get(sql, backend, sessionId) !== undefined) return 'taken';
  changeChannel(db, channel, { ...change, newConversation: true });
  // What was said in the channel before is not for this session.
  saveSession(db, { ...session, seen: readChannel(db, channel).conversationStart });
  post(db, { channel, role: 'system', text, backend }, at);
  return 'adopted';
}
