import type { ChatEvent, ToolEndEvent } from '../../core/chat-event.js';
import { duration } from '../../core/format.js';
import { proseLine } from '../../core/text.js';
import { summarizeToolInput } from '../../core/tool-input.js';
import { cutToColumns, widthOf } from '../../core/width.js';

export interface ToolRow {
  readonly text: string;
  readonly failed: boolean;
}

interface RunningTool {
  /** `Bash npm test` */
  readonly words: string;
  readonly since: number;
}

/**
 * What a person at a terminal is told of a turn's tools: a row for each one that has ended (`✓ Bash npm test  12.4 s`), and what is
 * waited for.
 */
export class ToolRows {
  readonly #cwd: string;
  readonly #now: () => number;
  readonly #running = new Map<string, RunningTool>();
  /** The open questions, each with the tool that it is about, if that is known. */
  readonly #questions = new Map<string, string | undefined>();
  readonly #denied = new Set<string | undefined>();
  /** Rows of tools that have ended while a question was open: they would stand in its line. */
  #held: readonly ToolRow[] = [];

  constructor(cwd: string, now: () => number = () => performance.now()) {
    this.#cwd = cwd;
    this.#now = now;
  }

  /** The tool that runs and was begun last; undefined if none runs, or somebody is asked. */
  get running(): string | undefined {
    return this.isAsking ? undefined : [...this.#running.values()].at(-1)?.words;
  }

  get isAsking(): boolean {
    return this.#questions.size > 0;
  }

  /** The rows to print now, each of them no wider than `columns`. */
  see(event: ChatEvent, columns: number): readonly ToolRow[] {
    const rows = [...this.#held, ...this.#rowsOf(event, columns)];
    this.#held = this.isAsking ? rows : [];
    return this.isAsking ? [] : rows;
  }

  #rowsOf(event: ChatEvent, columns: number): readonly ToolRow[] {
    switch (event.type) {
      case 'tool_start': {
        const summary = summarizeToolInput(event.name, event.input, this.#cwd);
        this.#running.set(event.id, { words: proseLine(`${event.name} ${summary}`), since: this.#now() });
        return [];
      }
      case 'tool_end':
        return this.#end(event, columns);
      case 'permission_request':
        this.#questions.set(event.id, event.toolId);
        return [];
      case 'permission_resolved': {
        const toolId = this.#questions.get(event.id);
        this.#questions.delete(event.id);
        if (event.decision === 'deny') this.#denied.add(toolId);
        this.#restart(toolId);
        return [];
      }
      case 'complete':
      case 'error': {
        this.#questions.clear();
        // A tool that was stopped has no end of its own.
        const stopped = [...this.#running.values()].map(({ words }) => row('✗', words, 'stopped', columns));
        this.#running.clear();
        return stopped;
      }
      default:
        return [];
    }
  }

  #end({ id, isError, denied, output }: ToolEndEvent, columns: number): readonly ToolRow[] {
    const tool = this.#running.get(id);
    this.#running.delete(id);
    if (tool === undefined) return [];
    if (denied || (isError && this.#denied.has(id))) return [row('✗', tool.words, 'denied', columns)];
    const took = duration(this.#now() - tool.since);
    if (!isError) return [row('✓', tool.words, took, columns)];
    const last = output.trimEnd().split('\n').at(-1) ?? '';
    const why = cutToColumns(proseLine(last), columns - 2);
    return [row('✗', tool.words, took, columns), ...(why === '' ? [] : [{ text: `  ${why}`, failed: true }])];
  }

  /** The time that a person took to allow a tool is not the tool's. */
  #restart(toolId: string | undefined): void {
    const tool = toolId === undefined ? undefined : this.#running.get(toolId);
    if (toolId !== undefined && tool !== undefined)
      this.#running.set(toolId, { ...tool, since: this.#now() });
  }
}

/** What the tool does gives way, so that the outcome is seen. */
function row(mark: '✓' | '✗', words: string, outcome: string, columns: number): ToolRow {
  const end = `  ${outcome}`;
  const room = Math.max(4, columns - widthOf(end));
  return { text: `${cutToColumns(`${mark} ${words}`, room)}${end}`, failed: mark === '✗' };
}
