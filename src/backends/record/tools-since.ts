import type { RecordEntry, RecordedTool, RecordedTools, RecordQuery } from './types.js';

/** A session's record, or as much of its end as was read. */
export interface SessionRecord {
  readonly entries: readonly RecordEntry[];
  /** False if the beginning was left out because the record is too long. */
  readonly fromStart: boolean;
}

/** The tools of the turn that the query is about. */
export function toolsSince(record: SessionRecord, query: RecordQuery): RecordedTools {
  const first = firstOfTurn(record.entries, query);
  const entries = turnIn(record.entries, first, query);
  const tools = collect(entries).filter(({ name }) => !query.leaveOut?.has(name));
  if (tools.some(({ denied }) => !denied)) return { type: 'tools', tools };
  if (entries.some(({ type }) => type === 'damaged'))
    return unknown("a line of the CLI's own record can't be read");
  if (mayBeginEarlier(record, first, query))
    return unknown("the CLI's own record is too long to be read as far back as this turn's beginning");
  if (entries.at(-1)?.type === 'reply')
    return unknown(
      "the model had answered, and the CLI's own record does not name tools before they have ended",
    );
  return { type: 'tools', tools };
}

/** True if the turn's prompt is in the record, or may be in a part of it that was not read or can't be. */
export function mayHoldPrompt(record: SessionRecord, query: RecordQuery): boolean {
  const first = firstOfTurn(record.entries, query);
  if (mayBeginEarlier(record, first, query)) return true;
  const entries = turnIn(record.entries, first, query);
  if (entries.some((entry) => entry.type === 'damaged' || isPrompt(entry, query.prompt))) return true;
  // Tools without any prompt: this version of the CLI writes prompts down in a way that is not known here.
  return entries.some(({ type }) => type === 'tool') && !record.entries.some(({ type }) => type === 'prompt');
}

/** The entries of the turn, with the damaged ones in front of the first: its prompt may have been among them. */
function turnIn(
  entries: readonly RecordEntry[],
  first: number,
  { since, clockSetBack }: RecordQuery,
): readonly RecordEntry[] {
  if (clockSetBack) return first === -1 ? entries.filter(isDamaged) : entries.slice(first);
  const before = first === -1 ? entries : entries.slice(0, first);
  const lastBefore = before.findLastIndex(({ at }) => at !== undefined && at < since);
  const damaged = before.slice(lastBefore + 1).filter(isDamaged);
  return first === -1 ? damaged : [...damaged, ...entries.slice(first)];
}

function isDamaged({ type }: RecordEntry): boolean {
  return type === 'damaged';
}

/** True if the turn's beginning may be in the part that was left out. */
function mayBeginEarlier(
  { entries, fromStart }: SessionRecord,
  first: number,
  { clockSetBack }: RecordQuery,
): boolean {
  if (fromStart || first > 0) return false;
  return first === 0 || clockSetBack || !entries.some(({ type }) => type === 'prompt');
}

export function unknown(reason: string): RecordedTools & { type: 'unknown' } {
  return { type: 'unknown', reason };
}

/** The index of the turn's first entry; -1 if there is none. */
function firstOfTurn(entries: readonly RecordEntry[], query: RecordQuery): number {
  const { since, prompt, clockSetBack, sessionId } = query;
  if (clockSetBack) return entries.findLastIndex((entry) => isPrompt(entry, prompt));
  const first = entries.findIndex(({ at }) => at !== undefined && at >= since);
  if (first !== -1 || sessionId === undefined || prompt.trim() === '') return first;
  // The clock may have been set back, and have caught up by now. The same words may have been sent before, too: a turn that
  // is wrongly held to have begun its tools is told to the channel, one that is run twice is not.
  const last = entries.findLastIndex(({ type }) => type === 'prompt');
  const entry = entries[last];
  return entry !== undefined && isPrompt(entry, prompt) ? last : -1;
}

/** A CLI may change white space and control characters, and of a very long prompt not all is read. */
function isPrompt(entry: RecordEntry, prompt: string): boolean {
  return entry.type === 'prompt' && bare(entry.text).includes(bare(prompt).slice(0, comparedChars));
}

const comparedChars = 10_000;

function bare(words: string): string {
  return words.replaceAll(/[\s\p{C}]+/gu, '');
}

function collect(entries: readonly RecordEntry[]): readonly RecordedTool[] {
  const tools = new Map<string, RecordedTool>();
  for (const entry of entries) {
    if (entry.type === 'tool') {
      const { id, name, input } = entry;
      const open = { id, name, input, hasEnded: false, denied: false, isError: false };
      if (!tools.has(id)) tools.set(id, open);
    }
    if (entry.type === 'tool_end') {
      const tool = tools.get(entry.id);
      const { isError, denied } = entry;
      if (tool !== undefined) tools.set(entry.id, { ...tool, hasEnded: true, isError, denied });
    }
  }
  return [...tools.values()];
}
