import type { RunningProcess } from '../../../process/start-process.js';
import type { LiveEvent } from '../../live/types.js';
import type { JsonObject } from '../../output/json.js';
import { objects } from '../../output/read-fields.js';

/**
 * The traces that a session leaves in its process and that `/clear` does not take away (2.1.325): rules that were allowed for
 * good, background tasks, timers, whatever an MCP server remembers. A process with such traces serves no other session.
 */
export class Footprint {
  #traces = false;
  #ranCommands = false;

  /** A rule was added, or the agent went on by itself. */
  leaveTrace(): void {
    this.#traces = true;
  }

  observe(message: JsonObject, events: readonly LiveEvent[]): void {
    if (message['subtype'] === 'background_tasks_changed' && objects(message['tasks']).length > 0) {
      this.#traces = true;
    }
    // A resumed session begins with one for each task that its last process left unfinished, and with a turn about them.
    if (message['subtype'] === 'task_notification') this.#traces = true;
    for (const event of events) {
      if (event.type !== 'tool_start') continue;
      if (event.name === 'Bash') this.#ranCommands = true;
      else if (!withoutTraces.has(event.name)) this.#traces = true;
    }
  }

  /** True if another session can have the process: it is asked whether a command has left something running. */
  async isClean(process: Pick<RunningProcess, 'isAlone'>): Promise<boolean> {
    if (this.#traces) return false;
    return !this.#ranCommands || (await process.isAlone());
  }
}

const withoutTraces: ReadonlySet<string> = new Set([
  'Read',
  'Edit',
  'Write',
  'NotebookEdit',
  'Glob',
  'Grep',
  'WebFetch',
  'WebSearch',
  'ToolSearch',
]);
