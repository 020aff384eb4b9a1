import type { JsonObject } from '../output/json.js';
import { number, text } from '../output/read-fields.js';
import { toolsOfTurn, withoutFailure } from '../record/read-records.js';
import type { SessionRecord } from '../record/tools-since.js';
import type { Environment, RecordedTools, RecordQuery } from '../record/types.js';
import { openCodeEntries } from './record-entries.js';
import { databaseFile, isSameDirectory, selectRows } from './session-directory.js';

/** The tools of a turn by OpenCode's database. */
export function recordedTools(query: RecordQuery, env: Environment): Promise<RecordedTools> {
  const read = (ids: readonly string[], since = earliest(query)) =>
    Promise.all(ids.map((id) => readSession(id, since, env)));
  return withoutFailure(() =>
    toolsOfTurn(query, {
      session: async () => {
        const ids = query.sessionId === undefined ? [] : [query.sessionId];
        const recent = await read(ids);
        return recent.some(({ entries, fromStart }) => entries.length > 0 || !fromStart)
          ? recent
          : read(ids, 0);
      },
      candidates: () => newSessions(query, env),
      read,
      place: databaseFile(env),
    }),
  );
}

const mostParts = 2000;

/** In the order of writing, whatever the clock said. A part's texts are cut: a tool's output may be of any size. */
export const partsOfSession = `
  SELECT part.time_created AS at, json_extract(message.data, '$.role') AS role,
    json_extract(part.data, '$.type') AS type, substr(json_extract(part.data, '$.text'), 1, 1000000) AS text,
    json_extract(part.data, '$.tool') AS tool, json_extract(part.data, '$.callID') AS callId,
    json_extract(part.data, '$.state.status') AS status,
    substr(json_extract(part.data, '$.state.input'), 1, 10000) AS input,
    substr(json_extract(part.data, '$.state.error'), 1, 1000) AS error
  FROM part JOIN message ON message.id = part.message_id
  WHERE part.session_id = ? AND part.time_created >= ? ORDER BY part.rowid DESC LIMIT ?`;

async function readSession(sessionId: string, since: number, env: Environment): Promise<SessionRecord> {
  const rows = await selectRows(env, partsOfSession, sessionId, since, mostParts);
  const parts = rows.map((row) => ({ ...part(row), at: number(row['at']) })).reverse();
  return { entries: openCodeEntries(parts), fromStart: rows.length < mostParts };
}

function part({ role, type, text: words, tool, callId, status, input, error }: JsonObject) {
  return { role, type, text: words, tool, callId, status, input, error };
}

async function newSessions(query: RecordQuery, env: Environment): Promise<readonly string[]> {
  const sql = 'SELECT id, directory FROM session WHERE time_created >= ? ORDER BY time_created DESC';
  const rows = await selectRows(env, sql, earliest(query));
  return rows
    .filter((row) => isSameDirectory(text(row['directory']), query.cwd))
    .map((row) => text(row['id']));
}

function earliest({ since, clockSetBack }: RecordQuery): number {
  return clockSetBack ? 0 : since;
}
