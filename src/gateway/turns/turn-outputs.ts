import { constants, existsSync } from 'node:fs';
import { access, mkdir, open, readdir, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatEvent } from '../../core/chat-event.js';
import { printJson } from '../../core/json.js';
import { defaultMaxLineBytes } from '../../process/split-lines.js';
import { FileTail } from '../../process/tail-file.js';
import type { ToolRecord } from '../../store/rows.js';
import type { JournalEntry } from '../../store/store.js';

/**
 * The output of one-shot agents, a file for each turn. A pipe is gone with its reader: a gateway that is killed after a CLI
 * has announced a tool, and before the journal has it, would never know, and run the turn again.
 */
export class TurnOutputs {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #warn: (directory: string, error: unknown) => void;
  #warned = false;

  /**
   * `maxBytes`: an agent that has printed more in one turn is ended (MAX_OUTPUT_MB). `warn` is called when the directory
   * can't be used any more.
   */
  constructor(
    directory: string,
    maxBytes = Number.POSITIVE_INFINITY,
    warn: (directory: string, error: unknown) => void = () => {},
  ) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    this.#warn = warn;
  }

  /** Makes the directory anew if somebody has removed it. Undefined if it can't be used: the pipe has to do. */
  async fileFor(turnId: string): Promise<string | undefined> {
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await access(this.#directory, constants.W_OK | constants.X_OK);
      this.#warned = false;
      return this.#file(turnId);
    } catch (error) {
      if (!this.#warned) this.#warn(this.#directory, error);
      this.#warned = true;
      return undefined;
    }
  }

  /** Yields nothing if there is no file: a live session, or a turn that had not come so far. */
  async *lines(turnId: string, options: LineOptions = {}): AsyncGenerator<string> {
    const file = new FileTail(this.#file(turnId), { maxLineBytes: options.maxLineBytes });
    file.childExited();
    try {
      for await (const batch of file.batches()) {
        options.signal?.throwIfAborted();
        const began = performance.now();
        for (const { text, truncated } of batch) {
          if (truncated) options.onCut?.();
          yield text;
        }
        // The reader keeps this process busy; the other channels get as much of its time.
        const busyMs = performance.now() - began;
        if (busyMs > longestBusyMs) await sleep(Math.min(busyMs, 100));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** The steps that the agent printed, as far as its output can be read. */
  async *events(
    turnId: string,
    decode: (lines: AsyncIterable<string>) => AsyncIterable<ChatEvent> | undefined,
    signal?: AbortSignal,
  ): AsyncGenerator<ChatEvent> {
    yield* this.#keptSteps(turnId);
    let cut = await this.#cutToLimit(turnId);
    const onCut = () => {
      cut = true;
    };
    for await (const event of decode(this.lines(turnId, { signal, onCut })) ?? []) yield event;
    // A part that is too long to be read may have announced anything.
    if (cut) yield { type: 'tool_start', id: 'unreadable', name: 'unknown', input: unreadable };
  }

  /**
   * Leaves nothing of an output but these steps, which the journal lacks, and so gives its space back. They are written over
   * its beginning, which takes no room on a full disk; as long as the rest is not cut off, it is read as before.
   */
  async condense(turnId: string, steps: readonly JournalEntry[]): Promise<void> {
    if (steps.length === 0) return this.remove(turnId);
    try {
      const file = await open(this.#file(turnId), 'r+');
      try {
        const text = Buffer.from(steps.map((step) => `${stepMark}${printStep(step)}\n`).join(''));
        if (text.length > (await file.stat()).size) return;
        await file.write(text, 0, text.length, 0);
        await file.sync();
        await file.truncate(text.length);
      } finally {
        await file.close();
      }
    } catch {
      // The output is as good a record, only a larger one. A live turn has none.
    }
  }

  /**
   * Gives back what an agent has printed beyond the limit, before the rest is read: its gateway was dead by then and could not
   * end it, and the disk may be full. True if there was such a part.
   */
  async #cutToLimit(turnId: string): Promise<boolean> {
    try {
      if ((await stat(this.#file(turnId))).size <= this.#maxBytes) return false;
      await truncate(this.#file(turnId), this.#maxBytes);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  /** True if an agent that prints now finds no room. */
  async isDiskFull(): Promise<boolean> {
    const facts = await statfs(this.#directory).catch(() => undefined);
    return facts !== undefined && facts.bavail * facts.bsize < fullBytes;
  }

  async *#keptSteps(turnId: string): AsyncGenerator<ChatEvent> {
    for await (const line of this.lines(turnId)) {
      if (!line.startsWith(stepMark)) return;
      yield JSON.parse(line.slice(stepMark.length)) as ChatEvent;
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

export interface LineOptions {
  readonly signal?: AbortSignal | undefined;
  readonly maxLineBytes?: number | undefined;
  /** Called for each line that is longer than the limit, and comes without its end. */
  readonly onCut?: (() => void) | undefined;
}

/** Less is not worth a pause. */
const longestBusyMs = 5;

/** No line of a CLI begins like this, and no decoder takes it for more than noise. */
const stepMark = 'turnout-step ';
const unreadable = `its output has a line of more than ${defaultMaxLineBytes / 1024 ** 2} MiB, or is over MAX_OUTPUT_MB`;

/** Less room than this is none: a file system keeps some of it for itself. */
const fullBytes = 1024 ** 2;

/** An input of which only the beginning is kept, so that the steps of an output are shorter than the output. */
function printStep(step: JournalEntry): string {
  if (step.type === 'tool_ended') {
    const { id, isError, denied } = step;
    return printJson({ type: 'tool_end', id, isError, denied });
  }
  if (step.type !== 'tool_started') return 'null';
  const { id, name, input } = step;
  const json = printJson(input);
  return printJson({ type: 'tool_start', id, name, input: json.length <= 100 ? input : json.slice(0, 100) });
}

/** More tools than these of one turn are not told apart any more. */
const maxMissedTools = 2000;

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
    if (event.type === 'tool_start' && !tools.has(event.id) && tools.size < maxMissedTools) {
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
