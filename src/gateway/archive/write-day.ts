import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { channelDirectory } from '../channels/channel-directory.js';
import { type DaySource, readDay } from './read-day.js';
import type { BetweenPages } from './read-pages.js';
import { renderDayHeader, renderEntry } from './render-markdown.js';

/** So much text is gathered for one write to the file. */
const chunkCharacters = 64 * 1024;

/**
 * Makes a channel's page of a day anew from the rows. Whoever reads it meanwhile sees the old page or the new one.
 * A page takes no more memory than its largest turn. If `between` throws, the old page stays.
 */
export async function writeDay(
  store: DaySource,
  directory: string,
  channel: string,
  day: string,
  between?: BetweenPages | undefined,
): Promise<void> {
  const folder = join(directory, channelDirectory(channel));
  const file = join(folder, `${day}.md`);
  const unfinished = `${file}.tmp`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // The file is not synced: after a power cut the days of the last minutes are written again (ArchiveWriter's checkpoint).
  const handle = await open(unfinished, 'w', 0o600);
  let isEmpty = true;
  try {
    let text = '';
    for await (const piece of dayAsMarkdown(store, channel, day, between)) {
      isEmpty = false;
      text += piece;
      if (text.length < chunkCharacters) continue;
      await handle.appendFile(text);
      text = '';
    }
    await handle.appendFile(text);
    await handle.close();
    if (!isEmpty) await rename(unfinished, file);
  } finally {
    await handle.close().catch(() => undefined);
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
}

/** Yields the page's text piece by piece; nothing for a day without entries. */
export async function* dayAsMarkdown(
  store: DaySource,
  channel: string,
  day: string,
  between?: BetweenPages | undefined,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const entry of readDay(store, channel, day, between)) {
    if (isFirst) yield renderDayHeader(channel, day);
    isFirst = false;
    yield renderEntry(entry);
  }
}
