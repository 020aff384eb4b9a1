import type { DiscordLimits, DiscordTurn, OverLimit } from '../discord/people.js';
import type { Database } from './database.js';

/**
 * Windows that glide. Each also ends a window's length in the future: after a clock was set back, what is dated later counts for
 * no longer than two windows, and what is dated wildly later not at all.
 */
export function countTurn(db: Database, turn: DiscordTurn, limits: DiscordLimits): OverLimit | undefined {
  if (db.get('SELECT 1 FROM discord_turns WHERE message_id = ?', turn.messageId) !== undefined)
    return undefined;
  const over = findOver(db, turn, limits);
  if (over !== undefined) return over;
  db.run('DELETE FROM discord_turns WHERE at <= ? OR at >= ?', turn.at - 2 * dayMs, turn.at + dayMs);
  db.run(
    'INSERT INTO discord_turns (message_id, user_id, channel_id, at) VALUES (?, ?, ?, ?)',
    turn.messageId,
    turn.userId,
    turn.channelId,
    turn.at,
  );
  return undefined;
}

export function senderOf(db: Database, messageId: string): string | undefined {
  const query = 'SELECT user_id FROM discord_turns WHERE message_id = ?';
  return db.get<{ user_id: string }>(query, messageId)?.user_id;
}

export function spendReached(
  db: Database,
  message: Omit<DiscordTurn, 'userId'>,
  limits: DiscordLimits,
): OverLimit | undefined {
  const { userSpendPerDay, channelSpendPerDay } = limits;
  const turn = { ...message, userId: senderOf(db, message.messageId) ?? '' };
  return findOver(db, turn, {
    userTurnsPerHour: 0,
    channelTurnsPerHour: 0,
    userSpendPerDay,
    channelSpendPerDay,
  });
}

function findOver(db: Database, turn: DiscordTurn, limits: DiscordLimits): OverLimit | undefined {
  const checks: readonly [keyof DiscordLimits, () => number | undefined][] = [
    ['userTurnsPerHour', () => turnsFull(db, 'user_id', turn.userId, turn.at, limits.userTurnsPerHour)],
    [
      'channelTurnsPerHour',
      () => turnsFull(db, 'channel_id', turn.channelId, turn.at, limits.channelTurnsPerHour),
    ],
    ['userSpendPerDay', () => spent(userCosts(db, turn), turn.at, limits.userSpendPerDay)],
    ['channelSpendPerDay', () => spent(channelCosts(db, turn), turn.at, limits.channelSpendPerDay)],
  ];
  for (const [limit, check] of checks) {
    const until = limits[limit] > 0 ? check() : undefined;
    if (until !== undefined) return { limit, until };
  }
  return undefined;
}

/** The time at which the turn that fills the hour leaves it; undefined if there is room. */
function turnsFull(
  db: Database,
  column: 'user_id' | 'channel_id',
  id: string,
  at: number,
  most: number,
): number | undefined {
  const filling = db.get<{ at: number }>(
    `SELECT at FROM discord_turns WHERE ${column} = ? AND at > ? AND at < ? ORDER BY at DESC LIMIT 1 OFFSET ?`,
    id,
    at - hourMs,
    at + hourMs,
    most - 1,
  );
  return filling === undefined ? undefined : filling.at + hourMs;
}

interface Cost {
  readonly at: number;
  readonly usd: number;
}

/** Oldest first. A turn that answers several people's messages is shared by them. */
function userCosts(db: Database, { userId, at }: DiscordTurn): readonly Cost[] {
  return db.all<Cost>(
    `SELECT turns.ended_at AS at, turns.cost_usd * count(*)
          / (SELECT count(*) FROM turn_members AS all_members WHERE all_members.turn_seq = turns.seq) AS usd
      FROM discord_turns
      JOIN events ON events.channel = 'discord:' || discord_turns.channel_id AND events.source = 'discord'
        AND events.message_id = discord_turns.message_id
      JOIN turn_members ON turn_members.event_seq = events.seq
      JOIN turns ON turns.seq = turn_members.turn_seq
      WHERE discord_turns.user_id = ? AND turns.cost_usd > 0 AND turns.ended_at > ? AND turns.ended_at < ?
      GROUP BY turns.seq ORDER BY turns.ended_at`,
    userId,
    at - dayMs,
    at + dayMs,
  );
}

function channelCosts(db: Database, { channelId, at }: DiscordTurn): readonly Cost[] {
  return db.all<Cost>(
    `SELECT ended_at AS at, cost_usd AS usd FROM turns
      WHERE channel = 'discord:' || ? AND cost_usd > 0 AND ended_at > ? AND ended_at < ? ORDER BY ended_at`,
    channelId,
    at - dayMs,
    at + dayMs,
  );
}

/** The time at which enough of it is a day old; undefined if there is room. */
function spent(costs: readonly Cost[], at: number, most: number): number | undefined {
  let sum = costs.reduce((total, { usd }) => total + usd, 0);
  if (sum < most) return undefined;
  for (const cost of costs) {
    sum -= cost.usd;
    if (sum < most) return cost.at + dayMs;
  }
  return at + dayMs;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
