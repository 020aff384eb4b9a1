import type { ChatEvent } from '../../core/chat-event.js';
import type { WorkTreeFiles } from '../../process/work-tree-files.js';
import type { ChannelDigest, StoredTurn } from '../../store/rows.js';
import type { Store } from '../../store/store.js';
import type { ChannelSummary, Reports } from '../channels/lookups.js';
import { keptFor } from './kept-for.js';
import { type BackendListParts, listBackends } from './list-backends.js';
import { PermissionPreviews } from './permission-previews.js';
import { readStatistics } from './read-statistics.js';
import { searchMessages } from './search-messages.js';

export interface ReportParts extends BackendListParts {
  readonly store: Store;
  /** The backend that a turn of the channel would be run with now. */
  backendOf(channel: string): Promise<string>;
  readonly workTrees: WorkTreeFiles;
  readonly now: () => number;
}

const waitingShown = 200;
/** The look for four CLIs takes milliseconds, and every request in OpenAI's form needs it. */
const backendsKeptMs = 3000;
/** The most JSON that the events of one answer are made of. */
const maxEventCharacters = 8 * 1024 * 1024;

/** Overviews of what the store holds, for whoever looks at the gateway from outside. */
export function createReports(parts: ReportParts): Reports {
  const { store } = parts;
  const previews = new PermissionPreviews(parts);

  async function channels({ search, archived, limit, signal }: Parameters<Reports['channels']>[0]) {
    // Which of the found ones are archived is known later only: so all are looked for.
    const most = archived === undefined ? limit : Number.POSITIVE_INFINITY;
    const found = search === undefined ? undefined : await searchMessages(store, search, most, { signal });
    const only = found === undefined ? undefined : [...found.keys()];
    const digests = await store.channelDigests({ only, archived, limit });
    return Promise.all(
      digests.map(async (digest) => ({
        ...summaryOf(digest),
        backend: await parts.backendOf(digest.channel),
        found: found?.get(digest.channel),
      })),
    );
  }

  async function turns(eventId: string) {
    const event = await store.event(eventId);
    if (event === undefined) return undefined;
    const read: (StoredTurn & { readonly events: readonly ChatEvent[] })[] = [];
    const all = await store.turns(eventId);
    for (const turn of all) {
      // One by one, so that others get their turn between two long ones.
      const events = await store.turnEvents(turn.id, Math.ceil(maxEventCharacters / all.length));
      read.push({ ...turn, events });
    }
    return read;
  }

  return {
    channels,
    turns,
    queue: async () => ({
      counts: await store.counts(),
      running: await store.running(),
      waiting: await store.waitingEverywhere(waitingShown),
    }),
    usage: (query) => store.usage(query),
    statistics: (query, signal) => readStatistics(store, query, { signal }),
    backends: keptFor(backendsKeptMs, () => listBackends(parts)),
    preview: (permission) => previews.of(permission),
  };
}

function summaryOf(digest: ChannelDigest): Omit<ChannelSummary, 'backend' | 'found'> {
  const { pendingPermissions: permissions, ...same } = digest;
  return { ...same, permissions };
}
