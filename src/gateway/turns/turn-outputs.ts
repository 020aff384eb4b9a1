import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatEvent } from '../../core/chat-event.js';
import type { ToolRecord } from '../../store/rows.js';
import type { JournalEntry } from '../../store/store.js';

/**
 * The output of one-shot agents, a file for each turn. A pipe is gone with its reader: a gateway that is killed after a CLI
 * has announced a tool, and before the journal has it, would never know, and run the turn again.
 */
export class TurnOutputs {
  readonly #directory: string;
  #directoryMade: Promise<unknown> | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Undefined if the directory can't be made: the pipe has to do. */
  async fileFor(turnId: string): Promise<string | undefined> {
    try {
      this.#directoryMade ??= mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await this.#directoryMade;
      return this.#file(turnId);
    } catch {
      this.#directoryMade = undefined;
      return undefined;
    }
  }

  /** Yields nothing if there is no file: a live session, or a turn that had not come so far. */
  async *lines(turnId: string): AsyncGenerator<string> {
    const file = await open(this.#file(turnId)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) return;
    try {
      yield* file.readLines();
    } finally {
      await file.close();
    }
  }

  /**
   * Notes that a tool has begun when the journal can't be written: by a file that is empty, because a disk that is full
   * takes a name where it takes no data. False if that fails too.
   */
  async noteTool(turnId: string): Promise<boolean> {
    return writeFile(this.#toolNote(turnId), '', { mode: 0o600 }).then(
      () => true,
      () => false,
    );
  }

  hasToolNote(turnId: string): boolean {
    return existsSync(this.#toolNote(turnId));
  }

  /** A file that can't be removed is in nobody's way: `sweep` tries again at the next start. */
  async remove(turnId: string): Promise<void> {
    for (const file of [this.#file(turnId), this.#toolNote(turnId)])
      await rm(file, { force: true }).catch(() => undefined);
  }

  /** Removes the files that a killed gateway left, except those of unsettled turns. */
  async sweep(unsettled: readonly string[]): Promise<void> {
    const kept = new Set(unsettled.flatMap((turnId) => [this.#file(turnId), this.#toolNote(turnId)]));
    const names = await readdir(this.#directory).catch(() => []);
    const files = names.map((name) => join(this.#directory, name)).filter((file) => !kept.has(file));
    await Promise.all(files.map((file) => rm(file, { force: true }).catch(() => undefined)));
  }

  #file(turnId: string): string {
    return join(this.#directory, `${turnId}.out`);
  }

  #toolNote(turnId: string): string {
    return join(this.#directory, `${turnId}.tool-begun`);
  }
}

export interface MissedSteps {
  /** All tools of the turn. */
  readonly tools: readonly ToolRecord[];
  /** The entries that the journal lacks. */
  readonly entries: readonly JournalEntry[];
  /** True if the agent has printed its answer: then all its tools are known. */
  readonly answered: boolean;
  /** The session that the agent has printed. */
  readonly sessionId?: string | undefined;
}

/** Compares the steps that an agent has printed with those of the journal. */
export async function missedSteps(
  journaled: readonly ToolRecord[],
  printed: AsyncIterable<ChatEvent> | undefined,
  at: number,
): Promise<MissedSteps> {
  const tools = new Map(journaled.map((tool) => [tool.id, tool]));
  const entries: JournalEntry[] = [];
  let answered = false;
  let sessionId: string | undefined;
  for await (const event of printed ?? []) {
    if (event.type === 'tool_start' && !tools.has(event.id)) {
      const { id, name, input } = event;
      tools.set(id, { id, name, input, startedAt: at });
      entries.push({ type: 'tool_started', id, name, input, at });
    }
    if (event.type === 'tool_end') {
      const { id, isError, denied } = event;
      const tool = tools.get(id);
      if (tool === undefined || tool.endedAt !== undefined) continue;
      tools.set(id, { ...tool, endedAt: at, isError, denied });
      entries.push({ type: 'tool_ended', id, isError, denied, at });
    }
    if (event.type === 'session') sessionId = event.sessionId;
    answered ||= event.type === 'complete';
  }
  return { tools: [...tools.values()], entries, answered, sessionId };
}
