import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { userHome } from '../../config/home-directory.js';
import { TurnoutError } from '../../core/errors.js';
import {
  type ChatFile,
  type ChatFileName,
  chatFileName,
  parseChatFileName,
  readChatFile,
} from './chat-file.js';

/*
 * Keeps Gemini 0.61.0 from destroying conversations. Whoever resumes a session, over ACP or with `--resume`, leaves a
 * stub: a chat file that is named by the minute and the first eight characters of the id, with nothing in it. In the
 * minute in which the session was made that is the conversation's own file, which it empties. And at every start,
 * whatever it is started for, Gemini takes each file without a conversation for a broken one and deletes it, together
 * with all files that have the same eight characters in their name, and with what belongs to the session. (Its
 * setting for that, `general.sessionRetention`, is how long the user wants to keep conversations: not ours to change.)
 *
 * So a conversation gets a name with eight other characters before it is resumed. Gemini finds it all the same, since
 * it looks into the files for the id, and deletes it when it is too old, or when the user wants to.
 *
 * None of this is done for a CLI that runs as another user: its files are that user's, who could put links in their place
 * and have us write elsewhere with our rights. A conversation that Gemini destroys there is told to it anew.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** Must be called before a session is resumed. */
export async function keepConversation(sessionId: string, env: Environment): Promise<void> {
  const shortId = sessionId.slice(0, 8);
  for (const directory of await chatDirectories(env)) {
    const files = await readGroup(directory, shortId);
    for (const file of files) {
      if (file.shortId !== shortId || file.holds === 'stub' || file.sessionId !== sessionId) continue;
      await renameChat(directory, file, sessionId);
    }
    await tidy(directory, await readGroup(directory, shortId));
  }
}

/** Must be called before Gemini starts, and when it has loaded a session: removes the stubs of resumed sessions. */
export async function removeStubs(env: Environment, sessionId?: string): Promise<void> {
  const only = sessionId?.slice(0, 8);
  const sweep = async (directory: string): Promise<void> => {
    const groups = new Map<string, number>();
    for (const file of await chatFiles(directory)) {
      const shortId = plainShortId(file.shortId);
      if (only === undefined || shortId === only) groups.set(shortId, (groups.get(shortId) ?? 0) + 1);
    }
    for (const [shortId, count] of groups) {
      if (count > 1) await tidy(directory, await readGroup(directory, shortId));
    }
  };
  await Promise.all((await chatDirectories(env)).map(sweep));
}

/**
 * The record of a session that was just made has nothing in it yet, so another Gemini that starts in the same directory
 * deletes it, and the messages then go into a file without a beginning. The function that this resolves to writes the
 * record again if it is gone.
 */
export async function rememberRecord(sessionId: string, env: Environment): Promise<() => Promise<void>> {
  for (const directory of await chatDirectories(env)) {
    for (const file of await chatFiles(directory)) {
      if (file.shortId !== sessionId.slice(0, 8)) continue;
      const path = join(directory, chatFileName(file));
      const content = await readFile(path, 'utf8').catch(() => '');
      if (content === '') continue;
      return async () => {
        if (!existsSync(path))
          await writeFile(path, content, { flag: 'wx', mode: 0o600 }).catch(() => undefined);
      };
    }
  }
  return async () => undefined;
}

interface FoundFile extends ChatFileName, ChatFile {}

/** Holds a directory for each project, with its `chats`. */
export function projectsDirectory(env: Environment): string {
  return join(env['GEMINI_CLI_HOME'] || userHome(env), '.gemini', 'tmp');
}

async function chatDirectories(env: Environment): Promise<readonly string[]> {
  const projects = projectsDirectory(env);
  return (await readdir(projects).catch(() => [])).map((project) => join(projects, project, 'chats'));
}

async function chatFiles(directory: string): Promise<readonly ChatFileName[]> {
  const names = await readdir(directory).catch(() => []);
  return names.flatMap((name) => parseChatFileName(name) ?? []);
}

/** The files of the sessions with these eight characters, under both names. */
async function readGroup(directory: string, shortId: string): Promise<readonly FoundFile[]> {
  const group = (await chatFiles(directory)).filter((file) => plainShortId(file.shortId) === shortId);
  const read = group.map(async (file) => {
    const chat = await readChatFile(join(directory, chatFileName(file)));
    return chat === undefined ? [] : [{ ...file, ...chat }];
  });
  return (await Promise.all(read)).flat();
}

/** A stub is removed only if its conversation is there as well: the file of a session that was just made looks the same. */
async function tidy(directory: string, group: readonly FoundFile[]): Promise<void> {
  const conversations = group.filter(
    ({ holds, sessionId }) => holds === 'conversation' && sessionId !== undefined,
  );
  for (const file of group) {
    const path = join(directory, chatFileName(file));
    if (file.holds === 'stub') {
      const same = ({ sessionId }: FoundFile) => file.sessionId === undefined || sessionId === file.sessionId;
      if (conversations.some(same)) await rm(path, { force: true }).catch(() => undefined);
    } else if (file.sessionId === undefined) {
      const kept = { ...file, shortId: keptShortId(file.shortId) };
      const from = conversations.find(
        ({ minute, shortId }) => minute === kept.minute && shortId === kept.shortId,
      );
      if (from !== undefined) await putBehind(join(directory, chatFileName(from)), path);
    }
  }
}

/**
 * A process that had the conversation open when it was renamed went on under the old name. Only the messages that came
 * since are appended: a list of all messages, as the other process knows them, would replace ours.
 */
async function putBehind(conversation: string, rest: string): Promise<void> {
  const aside = `${rest}.turnout-${process.pid}`;
  try {
    await rename(rest, aside);
    const messages = (await readFile(aside, 'utf8')).split('\n').filter((line) => line.startsWith('{"id":'));
    await appendFile(conversation, messages.map((line) => `${line}\n`).join(''));
    await rm(aside, { force: true });
  } catch {
    // The file is where it was, or beside it under a name that Gemini does not look at.
  }
}

async function renameChat(directory: string, file: FoundFile, sessionId: string): Promise<void> {
  const path = (minute: string) =>
    join(directory, chatFileName({ ...file, minute, shortId: keptShortId(file.shortId) }));
  let { minute } = file;
  while (existsSync(path(minute))) minute = minuteBefore(minute);
  await rename(join(directory, chatFileName(file)), path(minute)).catch((cause: unknown) => {
    throw new TurnoutError(
      'crashed',
      `The record of the session ${sessionId} could not be kept: ${String(cause)}`,
      { hint: 'Try again in a minute.', cause },
    );
  });
}

function minuteBefore(minute: string): string {
  const time = Date.parse(`${minute.slice(0, 13)}:${minute.slice(14)}:00Z`);
  return new Date(time - 60_000).toISOString().slice(0, 16).replaceAll(':', '-');
}

const digits = '0123456789abcdef';
const letters = 'ghijklmnopqrstuv';

/** Ids are hexadecimal. The other name has eight characters as well, or the user could not delete the session in Gemini. */
function keptShortId(shortId: string): string {
  return translate(shortId, digits, letters);
}

/** The first characters of the id, whichever name the file has. */
export function plainShortId(shortId: string): string {
  return translate(shortId, letters, digits);
}

function translate(word: string, from: string, to: string): string {
  return [...word].map((character) => to[from.indexOf(character)] ?? character).join('');
}
