import {
  type Approval,
  type CodeAttempt,
  type DiscordRefusal,
  type KnownCode,
  maxWrongCodes,
  type NewPairingCode,
  type OpenedCode,
  type PairedPerson,
  type PairingRequest,
  pairingCodeMs,
  wrongCodePauseMs,
} from '../discord/people.js';
import type { Database } from './database.js';

export function isPaired(db: Database, userId: string): boolean {
  return db.get('SELECT 1 FROM discord_paired WHERE user_id = ?', userId) !== undefined;
}

const pairedColumns = `SELECT user_id AS userId, name, channel_id AS channelId, message_id AS messageId,
  paired_at AS pairedAt FROM discord_paired`;

export function listPaired(db: Database): PairedPerson[] {
  return db.all<PairedPerson>(`${pairedColumns} ORDER BY paired_at DESC, user_id`);
}

export function unwelcomed(db: Database): PairedPerson[] {
  return db.all<PairedPerson>(`${pairedColumns} WHERE welcomed = 0 ORDER BY paired_at, user_id LIMIT 20`);
}

export function welcomed(db: Database, userId: string): void {
  db.run('UPDATE discord_paired SET welcomed = 1 WHERE user_id = ?', userId);
}

export function listStrangers(db: Database, at: number): PairingRequest[] {
  return db
    .all<{ userId: string; name: string; askedAt: number }>(
      `SELECT user_id AS userId, name, asked_at AS askedAt FROM discord_codes WHERE ${valid}
        ORDER BY asked_at DESC, user_id`,
      ...validAt(at),
    )
    .map((row) => ({ ...row, expiresAt: row.askedAt + pairingCodeMs }));
}

export function readCode(db: Database, userId: string, at: number): KnownCode | undefined {
  return db.get(
    `SELECT salt, hash, told FROM discord_codes WHERE user_id = ? AND ${valid}`,
    userId,
    ...validAt(at),
  );
}

export function openCode(db: Database, code: NewPairingCode): OpenedCode {
  const { userId, at } = code;
  db.run(`DELETE FROM discord_codes WHERE NOT (${valid})`, ...validAt(at));
  const known = db.get<{ hash: string; told: number; asked_at: number }>(
    'SELECT hash, told, asked_at FROM discord_codes WHERE user_id = ?',
    userId,
  );
  if (known?.hash === code.hash) {
    db.run('UPDATE discord_codes SET told = told + 1 WHERE user_id = ?', userId);
    return { type: 'open', told: known.told, expiresAt: known.asked_at + pairingCodeMs };
  }
  const open = db.get<{ count: number }>('SELECT count(*) AS count FROM discord_codes')?.count ?? 0;
  if (known === undefined && open >= code.maxOpen) return { type: 'full' };
  db.run(
    `INSERT OR REPLACE INTO discord_codes (user_id, name, salt, hash, channel_id, message_id, asked_at, told)
      VALUES (?, ?, ?, ?, ?, ?, ?, 1)`,
    userId,
    code.name,
    code.salt,
    code.hash,
    code.channelId,
    code.messageId,
    at,
  );
  return { type: 'open', told: 0, expiresAt: at + pairingCodeMs };
}

export function approveCode(db: Database, { hash, at }: CodeAttempt): Approval {
  db.run('DELETE FROM discord_wrong_codes WHERE at <= ? OR at > ?', at - wrongCodePauseMs, at + tolerance);
  const wrong = db.get<{ count: number; oldest: number | null }>(
    'SELECT count(*) AS count, min(at) AS oldest FROM discord_wrong_codes',
  );
  const tries = wrong?.count ?? 0;
  if (tries >= maxWrongCodes) return { type: 'paused', until: (wrong?.oldest ?? at) + wrongCodePauseMs };
  const found = db.get<Omit<PairedPerson, 'pairedAt'>>(
    `SELECT user_id AS userId, name, channel_id AS channelId, message_id AS messageId FROM discord_codes
      WHERE hash = ? AND ${valid}`,
    hash,
    ...validAt(at),
  );
  if (found === undefined) {
    db.run('INSERT INTO discord_wrong_codes (at) VALUES (?)', at);
    return { type: 'unknown', triesLeft: maxWrongCodes - tries - 1 };
  }
  db.run('DELETE FROM discord_codes WHERE user_id = ?', found.userId);
  db.run('DELETE FROM discord_wrong_codes');
  db.run(
    `INSERT OR REPLACE INTO discord_paired (user_id, name, channel_id, message_id, paired_at, welcomed)
      VALUES (?, ?, ?, ?, ?, 0)`,
    found.userId,
    found.name,
    found.channelId,
    found.messageId,
    at,
  );
  return { type: 'paired', person: { ...found, pairedAt: at } };
}

export function removePerson(db: Database, userId: string): boolean {
  const paired = db.run('DELETE FROM discord_paired WHERE user_id = ?', userId);
  const open = db.run('DELETE FROM discord_codes WHERE user_id = ?', userId);
  return paired + open > 0;
}

/** The table stays small: at most `most` rows of a kind come in an hour, and each goes after `everyMs`. */
export function noteRefusal(db: Database, refusal: DiscordRefusal): boolean {
  const { userId, channelId, kind, at, everyMs, most } = refusal;
  db.run(
    'DELETE FROM discord_refusals WHERE kind = ? AND (at <= ? OR at > ?)',
    kind,
    at - Math.max(everyMs, hourMs),
    at + tolerance,
  );
  const known = db.get<{ at: number }>(
    'SELECT at FROM discord_refusals WHERE kind = ? AND user_id = ? AND channel_id = ?',
    kind,
    userId,
    channelId,
  );
  if (known !== undefined && known.at > at - everyMs) return false;
  const recent = db.get<{ count: number }>(
    'SELECT count(*) AS count FROM discord_refusals WHERE kind = ? AND at > ?',
    kind,
    at - hourMs,
  );
  if ((recent?.count ?? 0) >= most) return false;
  db.run(
    'INSERT OR REPLACE INTO discord_refusals (kind, user_id, channel_id, at) VALUES (?, ?, ?, ?)',
    kind,
    userId,
    channelId,
    at,
  );
  return true;
}

const hourMs = 3_600_000;
/** A clock is set back by so much in ordinary life. What is dated later comes from a clock that was wrong. */
const tolerance = 5 * 60_000;

const valid = 'asked_at > ? AND asked_at <= ?';
const validAt = (at: number) => [at - pairingCodeMs, at + tolerance] as const;
