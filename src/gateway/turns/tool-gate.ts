import { isDeepStrictEqual } from 'node:util';
import type { PermissionRequestEvent, ToolStartEvent } from '../../core/chat-event.js';
import { isWhole } from '../../core/json.js';
import type { TurnSettings } from '../agents/turn-settings.js';
import type { HookManager } from '../hooks/hook-manager.js';

/** The answer to a permission request. */
export type GateVerdict =
  | { readonly type: 'allow' }
  | { readonly type: 'ask_person' }
  | { readonly type: 'deny'; readonly reason: string };

interface GatedTool {
  readonly name: string;
  readonly input: unknown;
  /** The reason why a hook refuses the tool, once the hooks have decided. */
  readonly refusal: Promise<string | undefined>;
  /** The CLI has asked before it ran the tool. */
  asked: boolean;
}

/** A CLI that asks does so within moments of the tool's announcement. One that has not by then runs the tool. */
const askingMs = 1000;

/**
 * The hooks' word on the tools of one turn. A tool that the CLI asks about is decided on before it runs. A tool that it
 * does not ask about has begun by then: a refusal of that one stops the turn. Hooks are asked once about each tool, when
 * the CLI first names it.
 */
export class ToolGate {
  readonly #hooks: HookManager;
  readonly #facts: { readonly channel: string; readonly eventId: string };
  /** Called with the reason when a tool that can't be refused any more has to end the turn. */
  readonly #stop: (reason: string) => void;
  readonly #tools = new Map<string, GatedTool>();

  constructor(
    hooks: HookManager,
    facts: { readonly channel: string; readonly eventId: string },
    stop: (reason: string) => void,
  ) {
    this.#hooks = hooks;
    this.#facts = facts;
    this.#stop = stop;
  }

  /** The CLI waits for the answer to this. */
  async requested(request: PermissionRequestEvent, settings: TurnSettings): Promise<GateVerdict> {
    const { tool: name, input, toolId } = request;
    const known = toolId === undefined ? undefined : this.#tools.get(toolId);
    if (known !== undefined) known.asked = true;
    const refusal =
      known?.name === name && isSame(known.input, input) ? known.refusal : this.#ask(name, input);
    if (toolId !== undefined && known === undefined)
      this.#tools.set(toolId, { name, input, refusal, asked: true });
    const reason = await refusal;
    if (reason !== undefined) return { type: 'deny', reason };
    if (request.confirmation) return { type: 'allow' };
    if (settings.asksPerson) return { type: 'ask_person' };
    return {
      type: 'deny',
      reason: `The permission mode "${settings.permissionMode}" does not allow this, and nobody is asked.`,
    };
  }

  /** The tool is announced: the CLI may ask about it yet, or may have asked, or runs it already. */
  started({ id, name, input }: ToolStartEvent): void {
    if (this.#tools.has(id)) return;
    const tool = { name, input, refusal: this.#ask(name, input), asked: false };
    this.#tools.set(id, tool);
    void this.#stopIfUnasked(tool, askingMs);
  }

  /** Resolves when the hooks have decided about the tool. */
  async ended(id: string): Promise<void> {
    const tool = this.#tools.get(id);
    if (tool !== undefined) await this.#stopIfUnasked(tool, 0);
  }

  async #stopIfUnasked(tool: GatedTool, patienceMs: number): Promise<void> {
    const reason = await tool.refusal;
    if (reason === undefined || tool.asked) return;
    const stop = () => {
      if (!tool.asked) this.#stop(`${tool.name}: ${reason}`);
    };
    if (patienceMs === 0) stop();
    else setTimeout(stop, patienceMs).unref();
  }

  async #ask(name: string, input: unknown): Promise<string | undefined> {
    const verdict = await this.#hooks.fire('tool_start', { ...this.#facts, name, input });
    // A hook that sees only a part of the input may allow what it would refuse.
    if (this.#hooks.gatesTools && !isWhole(input))
      return 'its input is nested too deep to be shown to a hook';
    return verdict.action === 'block' ? verdict.reason : undefined;
  }
}

/** An input that is nested too deep to be compared is no other's equal. */
function isSame(input: unknown, other: unknown): boolean {
  try {
    return isDeepStrictEqual(input, other);
  } catch {
    return false;
  }
}
