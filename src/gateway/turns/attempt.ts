import type { PermissionDecision, PermissionRequestEvent } from '../../core/chat-event.js';
import type { ToolRecord } from '../../store/rows.js';
import { TurnRecorder } from '../archive/turn-recorder.js';
import { toolOf } from './tools-begun.js';

/** The facts about a turn that are known while it runs. */
export class Attempt {
  readonly recorder = new TurnRecorder();
  readonly #tools: ToolRecord[] = [];
  /** Questions that were not answered with yes, each with the tool that it is about, when that was announced before. */
  readonly #unallowed = new Map<string, ToolRecord | undefined>();
  sessionId: string | undefined;
  /** Why a hook has stopped it. */
  blocked: string | undefined;

  toolStarted(tool: ToolRecord): void {
    this.#tools.push(tool);
  }

  toolEnded(id: string, endedAt: number, isError: boolean): void {
    const index = this.#tools.findIndex((tool) => tool.id === id);
    const tool = this.#tools[index];
    if (tool === undefined) return;
    const ended = { ...tool, endedAt, isError };
    this.#tools[index] = ended;
    for (const [question, about] of this.#unallowed) if (about === tool) this.#unallowed.set(question, ended);
  }

  asked(request: PermissionRequestEvent): void {
    const open = this.begun.filter((tool) => tool.endedAt === undefined);
    this.#unallowed.set(request.id, toolOf(request, open));
  }

  answered(id: string, decision: PermissionDecision): void {
    if (decision !== 'deny') this.#unallowed.delete(id);
  }

  /** The tools that have done something, as far as it is known. */
  get begun(): readonly ToolRecord[] {
    const idle = new Set(this.#unallowed.values());
    return this.#tools.filter((tool) => !idle.has(tool));
  }
}
