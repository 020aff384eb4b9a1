import { childEnvironment } from '../../backends/launch/child-environment.js';
import type { Log } from '../../config/log.js';
import { redactText } from '../../config/redact.js';
import { TurnoutError } from '../../core/errors.js';
import { printJson } from '../../core/json.js';
import { setDeadline } from '../../core/wait.js';
import { boundedLine } from '../../sessions/trace-fields.js';
import type { Environment } from '../config.js';
import { checkPrograms } from './check-programs.js';
import { blockable, type HookEvent, type HookPayloads, type HookVerdict, rewrite } from './payloads.js';
import { type Hook, type Hooks, readHooks } from './read-hooks.js';
import { type HookOutcome, runHook } from './run-hook.js';
import { Slots } from './slots.js';

export type { HookEvent, HookPayloads, HookVerdict } from './payloads.js';

export interface HookManagerOptions {
  readonly hooks: Hooks;
  readonly log: Log;
  /** Relative paths begin here, and commands run here. */
  readonly configDir?: string;
  /** Commands inherit it, less our own secrets. */
  readonly env?: Environment;
}

/**
 * Runs the user's hooks at each event of the gateway. A hook may block or rewrite; a hook that fails is logged and
 * changes nothing, unless it is there to decide about tools: then its failure is a refusal.
 */
export class HookManager {
  readonly #hooks: Hooks;
  readonly #log: Log;
  readonly #configDir: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #slots = new Slots(maxAtOnce);
  readonly #running = new Map<AbortController, Promise<unknown>>();
  #closed = false;

  constructor(options: HookManagerOptions) {
    this.#hooks = options.hooks;
    this.#log = options.log;
    this.#configDir = options.configDir ?? '.';
    this.#env = childEnvironment(options.env ?? {});
  }

  /** Rejects with all problems of `hooks.json` and its programs. The file is read once: a change takes a restart. */
  static async load(configDir: string, log: Log, env: Environment): Promise<HookManager> {
    const { hooks, named, problems: wrong } = await readHooks(configDir);
    const problems = [...wrong, ...(await checkPrograms(named, configDir, childEnvironment(env)))];
    if (problems.length > 0) {
      const list = problems.map((problem) => `  - ${problem}`).join('\n');
      throw new TurnoutError('bad_request', `The hooks are wrong:\n${list}`, {
        hint: `Correct them in ${configDir}.`,
      });
    }
    return new HookManager({ hooks, log, configDir, env });
  }

  /** False if `fire` would run nothing. */
  has(event: HookEvent): boolean {
    return !this.#closed && (this.#hooks[event]?.length ?? 0) > 0;
  }

  /** True if no tool may run without the word of a hook. */
  get gatesTools(): boolean {
    return this.#hooks.tool_start?.some((hook) => isBlocking('tool_start', hook)) ?? false;
  }

  /** Runs the event's hooks in their order, each with the payload as the ones before have rewritten it. Never rejects. */
  async fire<E extends HookEvent, P extends HookPayloads[E]>(event: E, payload: P): Promise<HookVerdict<P>> {
    let current = payload;
    for (const hook of this.#hooks[event] ?? []) {
      const blocking = isBlocking(event, hook);
      if (this.#closed && !blocking) continue;
      const log = this.#log.with({ event, hook: nameOf(hook) });
      const outcome = await this.#slots.use(() => this.#run(hook, { ...current, event }));
      if (outcome.type === 'failure') {
        log.warn('hook failed', { why: outcome.why });
        if (outcome.detail) {
          const { line: detail, ...cut } = boundedLine(outcome.detail, redactText);
          log.debug('hook failed', { why: outcome.why, detail, ...cut });
        }
        if (blocking) return { action: 'block', reason: withoutWord(hook, outcome.why) };
        continue;
      }
      const { action, reason, payload: changes } = outcome.answer;
      if (action === 'block') {
        if (blockable.has(event) && hook.blocking !== false)
          return { action, reason: reason?.trim() || 'A hook refused it.' };
        log.warn('hook can not block this event');
        continue;
      }
      const rewritten = rewrite(event, current, changes ?? {});
      if (rewritten.refused.length > 0) {
        log.warn('hook rewrite ignored', { fields: rewritten.refused });
        // The hook has agreed to another call than the one that would be run.
        if (blocking) return { action: 'block', reason: withoutWord(hook, 'wants to change the call') };
      }
      current = rewritten.payload;
    }
    return { action: 'continue', payload: current };
  }

  /** Ends the hooks that run; their events go on as if the hooks had failed. No hook is run after this. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = [...this.#running];
    for (const [controller] of running) controller.abort('was ended: the gateway closes');
    await Promise.all(running.map(([, run]) => run));
  }

  async #run(hook: Hook, payload: object): Promise<HookOutcome> {
    if (this.#closed) return { type: 'failure', why: 'was not run: the gateway closes' };
    const controller = new AbortController();
    const deadline = setDeadline(hook.timeoutMs, () =>
      controller.abort(`took longer than ${hook.timeoutMs} ms`),
    );
    try {
      const input = printJson(payload);
      const run = runHook(hook, input, {
        configDir: this.#configDir,
        env: this.#env,
        signal: controller.signal,
      });
      this.#running.set(controller, run);
      return await run;
    } catch (error) {
      return { type: 'failure', why: 'could not be told', detail: String(error) };
    } finally {
      deadline.cancel();
      this.#running.delete(controller);
    }
  }
}

function isBlocking(event: HookEvent, hook: Hook): boolean {
  return event === 'tool_start' && hook.blocking !== false;
}

function withoutWord(hook: Hook, why: string): string {
  return `The hook ${nameOf(hook)} has to agree to each tool, and could not: it ${why}.`;
}

function nameOf(hook: Hook): string {
  return 'command' in hook ? hook.command[0] : hook.module;
}

/** Each hook is a process: a burst of messages must not become a burst of processes. */
const maxAtOnce = 16;
