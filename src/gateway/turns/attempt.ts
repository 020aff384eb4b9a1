import { isDeepStrictEqual } from 'node:util';
import type { PermissionDecision, PermissionRequestEvent, ToolEndEvent } from '../../core/chat-event.js';
import type { StoredPermission, ToolRecord } from '../../store/rows.js';
import type { PendingSession } from '../agents/session-manager.js';
import { TurnRecorder } from '../archive/turn-recorder.js';
import { type Question, toolOf } from './tools-begun.js';

/** A question without a yes. */
interface OpenQuestion extends Question {
  /** The id of the tool that it is about, if that was announced. */
  about: string | undefined;
  denied: boolean;
}

/** The facts about a turn that are known while it runs. */
export class Attempt {
  readonly recorder = new TurnRecorder();
  readonly #tools = new Map<string, ToolRecord>();
  readonly #notAllowed = new Map<string, OpenQuestion>();
  sessionId: string | undefined;
  /** The session that is stored with the turn's result. */
  readonly pending: PendingSession = {};
  /** The reason why a hook has stopped the turn. */
  blocked: string | undefined;
  /** The limit on permission requests that the turn has gone over. */
  overasked: string | undefined;

  toolStarted(tool: ToolRecord): void {
    this.#tools.set(tool.id, tool);
    // Gemini announces a tool when its question is answered, also one that was denied.
    for (const [id, question] of this.#notAllowed) {
      if (question.about !== undefined) continue;
      if (id !== tool.id && !isSame(question, { tool: tool.name, input: tool.input })) continue;
      question.about = tool.id;
      return;
    }
  }

  toolEnded({ id, isError, denied }: ToolEndEvent, endedAt: number): void {
    const tool = this.#tools.get(id);
    if (tool === undefined) return;
    // A tool that has succeeded was run, whatever was answered.
    if (!isError)
      for (const [question, { about }] of this.#notAllowed)
        if (about === id) this.#notAllowed.delete(question);
    this.#tools.set(id, { ...tool, endedAt, isError, denied: denied ?? this.isDenied(id) });
  }

  permissionAsked({ id, tool, input }: PermissionRequestEvent): void {
    // The same thing is asked for again: the tool that is announced next is about this question, not about the former one.
    for (const [other, question] of this.#notAllowed)
      if (question.about === undefined && isSame(question, { tool, input })) this.#notAllowed.delete(other);
    const open = this.begun.filter(({ endedAt }) => endedAt === undefined);
    this.#notAllowed.set(id, { tool, input, about: toolOf({ tool, input }, open)?.id, denied: false });
  }

  /** Returns the id of the tool that was denied, if it was announced. */
  permissionAnswered(id: string, decision: PermissionDecision): string | undefined {
    const question = this.#notAllowed.get(id);
    if (decision !== 'deny') this.#notAllowed.delete(id);
    else if (question !== undefined) question.denied = true;
    return decision === 'deny' ? question?.about : undefined;
  }

  isDenied(toolId: string): boolean {
    return [...this.#notAllowed.values()].some(({ about, denied }) => denied && about === toolId);
  }

  get tools(): readonly ToolRecord[] {
    return [...this.#tools.values()];
  }

  /** The questions without a yes. */
  get notAllowed(): readonly (Question & Pick<StoredPermission, 'state'>)[] {
    return [...this.#notAllowed.values()].map(({ tool, input, denied }) => ({
      ...{ tool, input },
      state: denied ? 'decided' : 'pending',
    }));
  }

  /** The tools that may have done something. */
  get begun(): readonly ToolRecord[] {
    const notRun = new Set([...this.#notAllowed.values()].map(({ about }) => about));
    return this.tools.filter((tool) => !tool.denied && !notRun.has(tool.id));
  }
}

function isSame(one: Question, other: Question): boolean {
  return one.tool === other.tool && isDeepStrictEqual(one.input, other.input);
}
