import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dayMs, dayOf, startOfDay } from '../../core/format.js';
import type { Store } from '../../store/store.js';

export interface RetentionOptions {
  readonly store: Pick<Store, 'prune'>;
  /** `<home>/archive` */
  readonly directory: string;
  /** 0 keeps everything. */
  readonly days: number;
  readonly now: number;
  /** Removes the files that came with messages of channels before a time, and returns how many messages it were. */
  readonly removeAttachments?: ((before: number) => Promise<number>) | undefined;
}

export interface Removed {
  readonly events: number;
  readonly messages: number;
  readonly pages: number;
  /** Messages whose files are gone. */
  readonly attachments: number;
}

/** A message's id is known for so many more days: a client that repeats it late is not answered a second time. */
const keyDays = 30;

/**
 * Removes rows and pages that are older than so many days. The cut is the beginning of a day, so that no page is left
 * with a part of its rows.
 */
export async function applyRetention(options: RetentionOptions): Promise<Removed> {
  const { store, directory, days, now, removeAttachments } = options;
  if (days <= 0) return { events: 0, messages: 0, pages: 0, attachments: 0 };
  const before = startOfDay(dayOf(now)) - days * dayMs;
  const rows = await store.prune({ before, keysBefore: before - keyDays * dayMs });
  const pages = await removePages(directory, dayOf(before));
  return { ...rows, pages, attachments: (await removeAttachments?.(before)) ?? 0 };
}

async function removePages(directory: string, before: string): Promise<number> {
  let removed = 0;
  for (const channel of await listing(directory)) {
    const folder = join(directory, channel);
    const pages = await listing(folder);
    const old = pages.filter((name) => isPage.test(name) && name.slice(0, 10) < before);
    for (const name of old) await rm(join(folder, name), { force: true });
    removed += old.filter((name) => name.endsWith('.md')).length;
    // The folder may hold something else, or something new: that is no error.
    if (old.length === pages.length) await rmdir(folder).catch(() => undefined);
  }
  return removed;
}

const isPage = /^\d{4}-\d{2}-\d{2}\.md(\.tmp)?$/;

async function listing(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
