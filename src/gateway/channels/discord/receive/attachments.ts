import { createHash, randomBytes } from 'node:crypto';
import { chown, lstat, mkdir, type open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentRoot, removeScratchFiles } from '../../../../backends/launch/scratch-files.js';
import type { Log } from '../../../../config/log.js';
import { interruptedError, TurnoutError } from '../../../../core/errors.js';
import { quoted } from '../../../../core/text.js';
import { waitLimit } from '../../../../core/wait-limit.js';
import type { ProcessUser } from '../../../../process/process-user.js';
import { safeName } from '../safe-name.js';
import {
  type AttachmentLimits,
  checkLimits,
  type FileOrigin,
  plainType,
  type SentAttachment,
} from './attachment-limits.js';
import { DownloadRefused, download } from './download.js';

export const discordOrigins: readonly string[] = [
  'https://cdn.discordapp.com',
  'https://media.discordapp.net',
];

export interface AttachmentParts {
  /** What `attachmentsDirectory` says. */
  readonly directory: string;
  readonly limits: AttachmentLimits;
  /** Where files may be loaded from. */
  readonly origins: readonly string[];
  readonly fetch: typeof fetch;
  readonly log: Log;
  /** The agents' user, if that is another one than ours: the files become that user's. */
  readonly user?: ProcessUser | undefined;
  readonly openFile?: typeof open | undefined;
}

export interface MessageWithAttachments {
  readonly channelId: string;
  readonly id: string;
  readonly attachments: readonly SentAttachment[];
}

export interface Attachments {
  readonly files: readonly SavedAttachment[];
  /** A sentence for each file that could not be had. */
  readonly problems: readonly string[];
}

export interface SavedAttachment {
  readonly origin?: FileOrigin | undefined;
  readonly path: string;
  readonly size: number;
  readonly contentType?: string | undefined;
}

/** The home is closed to another user: the files are where that user's other files for turns are, those of each home apart. */
export function attachmentsDirectory(home: string, user: ProcessUser | undefined): string {
  if (user === undefined) return join(home, 'attachments');
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  return join(agentRoot(), `attachments-${name}`);
}

/**
 * Loads what came with a message into a directory of its own. The directory appears with all its files at once, so that the same
 * message is not loaded again after a crash. What can't be had is told in a sentence. Rejects only if the signal is aborted.
 */
export async function saveAttachments(
  parts: AttachmentParts,
  given: MessageWithAttachments,
  signal: AbortSignal,
): Promise<Attachments> {
  // A message may answer one and pass it on as well.
  const attachments = [...new Map(given.attachments.map((one) => [one.id, one])).values()];
  const message = { ...given, attachments };
  if (attachments.length === 0) return { files: [], problems: [] };
  const folder = folderOf(parts, message);
  const saved = await findSaved(folder, attachments);
  if (saved !== undefined) return saved;
  const partial = `${folder}.part-${randomBytes(4).toString('hex')}`;
  try {
    await makeFolder(parts, partial, message);
    const loaded = await loadAll(parts, message, { partial, folder }, signal);
    if (loaded.files.length > 0) {
      // The folder is handed over last: from then on the user may change what is in it.
      if (parts.user !== undefined) await chown(partial, parts.user.uid, parts.user.gid);
      await rename(partial, folder);
    }
    return loaded;
  } catch (error) {
    if (signal.aborted) throw interruptedError();
    // Somebody else has loaded the same message meanwhile, or nothing can be written here.
    const other = await findSaved(folder, attachments);
    return other ?? { files: [], problems: attachments.map((one) => problemOf(parts, message, one, error)) };
  } finally {
    await removeScratchFiles(partial);
  }
}

/** Ids come from Discord and become a path. */
function folderOf({ directory }: AttachmentParts, { channelId, id }: MessageWithAttachments): string {
  if (![channelId, id].every((one) => /^\d{1,20}$/.test(one)))
    throw new TurnoutError('bad_request', `${JSON.stringify([channelId, id])} are no ids of Discord.`);
  return join(directory, channelId, id);
}

/** Within the message's folder. Files may have the same name, and an edit may remove one of them: each has a folder of its own. */
function pathOf({ id, name }: SentAttachment): string {
  if (!/^\d{1,20}$/.test(id))
    throw new TurnoutError('bad_request', `${JSON.stringify(id)} is no id of Discord.`);
  return join(id, safeName(name));
}

/** Another user passes through the folders above, and can't list them. */
async function makeFolder(
  { directory, user }: AttachmentParts,
  folder: string,
  { channelId }: MessageWithAttachments,
) {
  const mode = user === undefined ? 0o700 : 0o711;
  await mkdir(directory, { recursive: true, mode });
  await mkdir(join(directory, channelId), { recursive: true, mode });
  await mkdir(folder, { mode: 0o700 });
}

async function findSaved(
  folder: string,
  attachments: readonly SentAttachment[],
): Promise<Attachments | undefined> {
  const there = await lstat(folder).catch(() => undefined);
  if (!there?.isDirectory()) return undefined;
  const files: SavedAttachment[] = [];
  const problems: string[] = [];
  for (const attachment of attachments) {
    const path = join(folder, pathOf(attachment));
    const file = await lstat(path).catch(() => undefined);
    if (file?.isFile()) files.push(savedFile(attachment, path, file.size));
    else problems.push(sentence(attachment, 'it could not be loaded when the message came'));
  }
  return { files, problems };
}

async function loadAll(
  parts: AttachmentParts,
  message: MessageWithAttachments,
  place: { readonly partial: string; readonly folder: string },
  stop: AbortSignal,
): Promise<Attachments> {
  const { limits, user } = parts;
  const timed = waitLimit(limits.timeoutMs, [stop]);
  const { signal } = timed;
  const files: SavedAttachment[] = [];
  const problems: string[] = [];
  let room = limits.maxTotalBytes;
  for (const attachment of message.attachments) {
    const name = pathOf(attachment);
    const path = join(place.partial, name);
    try {
      checkLimits(attachment, limits, { taken: files.length, room });
      const maxBytes = Math.min(limits.maxBytes, room);
      await mkdir(dirname(path), { mode: 0o700 });
      const size = await download({ ...parts, url: attachment.url, path, maxBytes, signal });
      if (user !== undefined) for (const one of [path, dirname(path)]) await chown(one, user.uid, user.gid);
      room -= size;
      files.push(savedFile(attachment, join(place.folder, name), size));
    } catch (error) {
      if (stop.aborted) throw error;
      await rm(dirname(path), { force: true, recursive: true });
      problems.push(problemOf(parts, message, attachment, signal.aborted ? timeUp : error));
    }
  }
  timed.release();
  return { files, problems };
}

function savedFile({ contentType, origin }: SentAttachment, path: string, size: number): SavedAttachment {
  const type = plainType(contentType);
  return {
    ...{ path, size },
    ...(type === undefined ? {} : { contentType: type }),
    ...(origin === undefined ? {} : { origin }),
  };
}

/** The address is not logged: it lets everybody load the file. */
function problemOf(
  { log, limits }: AttachmentParts,
  { channelId, id }: MessageWithAttachments,
  attachment: SentAttachment,
  error: unknown,
): string {
  const fields = { discordChannel: channelId, discordMessage: id, error };
  if (error instanceof DownloadRefused) {
    log.info('a file of a message was not taken', fields);
    return sentence(attachment, error.message);
  }
  log.warn('a file of a message could not be loaded', fields);
  if (error === timeUp) return sentence(attachment, `it took longer than ${limits.timeoutMs / 1000} s`);
  return sentence(
    attachment,
    isFull(error)
      ? 'the disk of the gateway is full'
      : 'it could not be loaded; the log of the gateway says why',
  );
}

const timeUp = new Error('the time for the files of a message was up');

function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}

function sentence({ name }: SentAttachment, reason: string): string {
  return `The file ${quoted(name)} is not there: ${reason}.`;
}
