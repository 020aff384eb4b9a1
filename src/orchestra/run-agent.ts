import type { BackendAdapterConfig } from '../backends/types.js';
import { type ChatEvent, type ErrorCode, type ErrorEvent, notice } from '../core/chat-event.js';
import { failureEvent, TurnoutError } from '../core/errors.js';
import { checkOptions } from '../runner/check-options.js';
import { runnerBackend } from '../runner/runner-config.js';
import { codexSdk, settingsOwner } from '../runner/runner-names.js';
import { sessionOptions } from '../runner/session-options.js';
import type { Sessions } from '../sessions/sessions.js';
import type { BackendSession } from '../sessions/types.js';
import { unattendedPrompt } from './instructions.js';
import type { ConfigFor } from './resolve-agent.js';
import type { AgentStep, ResolvedStep } from './types.js';
import { fill, type Values } from './variables.js';

export interface AgentSettings {
  readonly sessions: Sessions;
  readonly configFor: ConfigFor;
  readonly cwd: string;
  readonly nonce: string | undefined;
  readonly values: Values;
}

/** The agent of one step: each prompt begins a new conversation, or goes on with the last one. */
export class StepAgent {
  readonly #step: ResolvedStep;
  readonly #run: AgentStep;
  readonly #settings: AgentSettings;
  /** The conversation to go on with, if the step has only one. */
  #sessionId: string | undefined;
  #session: BackendSession | undefined;
  /** `unproven` until something of the model was heard over the CLI's long-lived mode. */
  #mode: 'unproven' | 'live' | 'one-shot';

  constructor(step: ResolvedStep, run: AgentStep, settings: AgentSettings, sessionId: string | undefined) {
    this.#step = step;
    this.#run = run;
    this.#settings = settings;
    this.#sessionId = step.fresh ? undefined : sessionId;
    this.#mode = run.live ? 'unproven' : 'one-shot';
  }

  /**
   * Runs one turn. A conversation that the CLI has lost is begun anew, unless tools have begun all the same. If the CLI's
   * long-lived mode does not work at all, the CLI is started for each turn from then on: a chain that is slower in the morning is
   * better than one that stands still. Each of the two happens once at most, because it takes its own cause away.
   */
  async *send(prompt: string, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    for (let again = true; again; ) {
      again = false;
      let toolsBegun = false;
      for await (const event of this.#turn(prompt, signal)) {
        toolsBegun ||= event.type === 'tool_start';
        if (this.#mode === 'unproven' && isFromModel(event)) this.#mode = 'live';
        const isFresh = event.type === 'error' && !toolsBegun;
        const change = isFresh ? await this.#otherWay(event, signal) : undefined;
        again ||= change !== undefined;
        yield change ?? event;
      }
      if (again) await this.close();
    }
  }

  /** True if the CLI tells each message as a whole, and not word by word. */
  get tellsWholeMessages(): boolean {
    const { backend } = this.#run;
    return this.#mode === 'one-shot' && !runnerBackend(backend, this.#config()).capabilities.textDeltas;
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  async *#turn(prompt: string, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    try {
      const session = await this.#open(signal);
      for await (const event of session.send(prompt, { signal })) {
        // Nobody can be asked. The mode has allowed all that it allows by now.
        if (event.type === 'permission_request') {
          await session.answerPermission(event.id, 'deny', unattended).catch(() => undefined);
        }
        if (event.type === 'complete' && !this.#step.fresh) this.#sessionId = event.sessionId;
        yield event;
      }
    } catch (error) {
      if (!(error instanceof TurnoutError)) throw error;
      yield failureEvent(error);
    } finally {
      if (this.#step.fresh || this.#mode !== 'live') await this.close();
    }
  }

  async #open(signal: AbortSignal): Promise<BackendSession> {
    if (this.#session !== undefined) return this.#session;
    const { sessions, cwd, nonce, values } = this.#settings;
    const { backend, options } = this.#run;
    const systemPrompt = unattendedPrompt(options.systemPrompt ?? '', nonce);
    const config = this.#config();
    const rawArgs = options.rawArgs?.map((arg) => fill(arg, values));
    const whole = { ...options, rawArgs, systemPrompt, cwd, sessionId: this.#sessionId, timeoutMs: 0 };
    const made = sessionOptions(backend, whole, config, this.#mode !== 'one-shot');
    // A registered backend is left to the sessions: they share a warm process only if nobody brings an adapter along.
    const own = backend === codexSdk ? { adapter: runnerBackend(backend, made.config) } : {};
    this.#session = await sessions.open({ ...made, ...own }, { signal });
    return this.#session;
  }

  /** A run of an agent may take hours: its silence and its tools have clocks, and the chain has a budget. */
  #config(): BackendAdapterConfig {
    return { ...this.#settings.configFor(settingsOwner(this.#run.backend)), queryTimeoutMs: 0 };
  }

  /** Changes to another way to run the turn, if the failure asks for one. Returns what to tell about it. */
  async #otherWay({ code, message }: ErrorEvent, signal: AbortSignal): Promise<ChatEvent | undefined> {
    if (signal.aborted) return undefined;
    const { backend, options } = this.#run;
    if (code === 'session_not_found' && this.#sessionId !== undefined) {
      this.#sessionId = undefined;
      return notice('warning', `${backend} has lost the conversation (${message}): a new one is begun.`);
    }
    if (this.#mode !== 'unproven' || !notLive.has(code)) return undefined;
    const refused = await checkOptions(backend, { ...options, prompt: 'x' }, 'one-shot').then(
      () => false,
      () => true,
    );
    if (refused) return undefined;
    this.#mode = 'one-shot';
    return notice(
      'warning',
      `${backend} can't be kept running here (${message}): it is started for each run instead.`,
    );
  }
}

/** Failures before a word of the model that can come from the long-lived mode itself. */
const notLive: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'crashed',
  'parse',
  'unsupported',
  'timeout',
  'unknown',
]);

const unattended = 'Nobody can be asked: this agent runs unattended.';

function isFromModel({ type }: ChatEvent): boolean {
  return type === 'text' || type === 'thinking' || type === 'tool_start' || type === 'complete';
}
