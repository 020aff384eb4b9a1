import type { PermissionDecision, PermissionRequestEvent } from '../../core/chat-event.js';
import type { ToolRecord } from '../../store/rows.js';
import { TurnRecorder } from '../archive/turn-recorder.js';
import { toolOf } from './tools-begun.js';

/** The facts about a turn that are known while it runs. */
export class Attempt {
  readonly recorder = new TurnRecorder();
  readonly #tools: ToolRecord[] = [];
  /** Questions without a yes, each with the tool that it is about if that was announced before. */
  readonly #notAllowed = new Map<string, ToolRecord | undefined>();
  sessionId: string | undefined;
  /** The reason why a hook has stopped the turn. */
  blocked: string | undefined;
  /** The limit on permission requests that the turn has gone over. */
  overasked: string | undefined;

  toolStarted(tool: ToolRecord): void {
    this.#tools.push(tool);
  }

  toolEnded(id: string, endedAt: number, isError: boolean): void {
    const index = this.#tools.findIndex((tool) => tool.id === id);
    const tool = this.#tools[index];
    if (tool === undefined) return;
    const ended = { ...tool, endedAt, isError };
    this.#tools[index] = ended;
    for (const [question, about] of this.#notAllowed)
      if (about === tool) this.#notAllowed.set(question, ended);
  }

  permissionAsked(request: PermissionRequestEvent): void {
    const open = this.begun.filter((tool) => tool.endedAt === undefined);
    this.#notAllowed.set(request.id, toolOf(request, open));
  }

  permissionAnswered(id: string, decision: PermissionDecision): void {
    if (decision !== 'deny') this.#notAllowed.delete(id);
  }

  /** The tools that may have done something. */
  get begun(): readonly ToolRecord[] {
    const notRun = new Set(this.#notAllowed.values());
    return this.#tools.filter((tool) => !notRun.has(tool));
  }
}
