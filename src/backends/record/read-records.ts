import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isShortage } from '../../core/errors.js';
import { late, within } from '../../core/wait.js';
import { isMissing, readTail } from './read-tail.js';
import { mayHoldPrompt, type SessionRecord, toolsSince, unknown } from './tools-since.js';
import { noTools, type RecordEntry, type RecordedTools, type RecordQuery } from './types.js';

/** A record on a disk that does not answer must not hold up the channel for ever. */
const patienceMs = 10_000;

/** Of the new sessions in a directory so many are looked at, the newest first. */
const mostCandidates = 50;

/** How a vendor's records are found and read. */
export interface RecordFiles {
  /** The directory of all records, which is there as soon as the CLI has kept one. */
  readonly directory: string;
  /** The files of a session: several if it was renamed or goes on in another one. */
  ofSession(sessionId: string): Promise<readonly string[]>;
  /** The files that a new session in the query's directory may be in. */
  candidates(): Promise<readonly string[]>;
  entries(lines: readonly string[]): readonly RecordEntry[];
}

/** Answers the query from records that are files of JSON lines. */
export async function toolsInFiles(query: RecordQuery, files: RecordFiles): Promise<RecordedTools> {
  return withoutFailure(async () => {
    const { sessionId } = query;
    const paths = sessionId === undefined ? [] : await files.ofSession(sessionId);
    return toolsOfTurn(query, {
      session: () => readAll(paths, files),
      candidates: async () => {
        const others = (await files.candidates()).filter((path) => !paths.includes(path));
        return newest(others, query);
      },
      read: (looked) => readAll(looked, files),
      place: files.directory,
    });
  });
}

export interface RecordPlaces {
  /** The records of the session that the query names. */
  session(): Promise<readonly SessionRecord[]>;
  /** Where a new session in the query's directory may be, the newest first. */
  candidates(): Promise<readonly string[]>;
  read(looked: readonly string[]): Promise<readonly SessionRecord[]>;
  /** The path under which the CLI keeps all of them. */
  readonly place: string;
}

/** Looks for the turn in its session, and in new ones too if the CLI has not named it and it does not hold the prompt. */
export async function toolsOfTurn(query: RecordQuery, places: RecordPlaces): Promise<RecordedTools> {
  const { sessionId, ...nameless } = query;
  const records = sessionId === undefined ? [] : await places.session();
  const known = records.map((record) => toolsSince(record, query));
  const isHere = sessionId !== undefined && query.isNamed === true;
  if (isHere || records.some((record) => mayHoldPrompt(record, query))) return merge(known);
  if (query.unheard && !(await isThere(places.place)))
    return merge([
      ...known,
      unknown(`the CLI keeps no record that can be read here (there is no ${places.place})`),
    ]);
  return merge([...known, await toolsByPrompt(await places.candidates(), nameless, places)]);
}

/** Looks for the turn in the records of new sessions, the newest first. */
async function toolsByPrompt(
  candidates: readonly string[],
  query: RecordQuery,
  { read }: Pick<RecordPlaces, 'read'>,
): Promise<RecordedTools> {
  const records = await read(candidates.slice(0, mostCandidates));
  const found = records
    .filter((record) => mayHoldPrompt(record, query))
    .map((record) => toolsSince(record, query))
    .map((each) => (query.prompt.trim() === '' && hasBegun(each) ? unknown(ofAnother) : each));
  if (candidates.length > mostCandidates)
    found.push(
      unknown(`the CLI has begun more than ${mostCandidates} sessions since, and not all of them were read`),
    );
  return merge(found);
}

/**
 * A record that can't be read says nothing; it is no reason to fail. Rejects only if the machine has run out of something, or
 * its disk fails: it may be read later.
 */
export async function withoutFailure(look: () => Promise<RecordedTools>): Promise<RecordedTools> {
  try {
    const found = await within(patienceMs, look());
    return found === late
      ? unknown(`the CLI's own record was not read within ${patienceMs / 1000} s`)
      : found;
  } catch (error) {
    if (isShortage(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    return unknown(`the CLI's own record can't be read (${why})`);
  }
}

/** The names in a directory; none if it is not there. */
export async function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

/** The paths of all that is below a directory. */
export async function pathsBelow(directory: string): Promise<readonly string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return found.map(({ parentPath, name }) => join(parentPath, name));
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
}

async function readAll(paths: readonly string[], files: RecordFiles): Promise<readonly SessionRecord[]> {
  const records: SessionRecord[] = [];
  for (const path of paths) {
    const tail = await readTail(path);
    if (tail !== undefined) records.push({ entries: files.entries(tail.lines), fromStart: tail.fromStart });
  }
  return records;
}

/** The files that were written to since the turn began, the newest first. */
async function newest(
  paths: readonly string[],
  { since, clockSetBack }: RecordQuery,
): Promise<readonly string[]> {
  const looks = paths.map(async (path) => {
    const found = await stat(path).catch((error: unknown) => {
      if (isShortage(error)) throw error;
    });
    return { path, at: found?.mtimeMs ?? 0 };
  });
  return (await Promise.all(looks))
    .filter(({ at }) => clockSetBack || at >= since)
    .sort((one, other) => other.at - one.at)
    .map(({ path }) => path);
}

const ofAnother =
  'a session in its directory has begun tools since, and it is not known whether that was this turn';

function hasBegun(found: RecordedTools): boolean {
  return found.type === 'tools' && found.tools.some(({ denied }) => !denied);
}

/** Tools that are known to have begun count more than a record that does not tell. */
function merge(found: readonly RecordedTools[]): RecordedTools {
  const tools = found.flatMap((each) => (each.type === 'tools' ? each.tools : []));
  if (found.some(hasBegun)) return { type: 'tools', tools };
  return (
    found.find(({ type }) => type === 'unknown') ?? (tools.length > 0 ? { type: 'tools', tools } : noTools)
  );
}
