import type { BackendAdapter, BackendEventResult } from '../backends/types.js';
import { type ChatEvent, errorEvent, isTerminal, type TerminalEvent } from '../core/chat-event.js';
import type { PromptRecord, StoredSession, TurnSetup } from '../store/rows.js';
import { type AgentRequest, Agents, type AgentTurn } from './agents/agents.js';
import { checkRestrictions, type RestrictionCheck } from './agents/check-restrictions.js';
import { type Seed, seededPrompt } from './agents/seed.js';
import type { SessionManager } from './agents/session-manager.js';
import { type Chosen, type TurnSettings, turnSettings } from './agents/turn-settings.js';
import { layoutProblems } from './check-layout.js';
import type { GatewayConfig } from './config.js';
import type { HookManager } from './hooks/hook-manager.js';
import type { ChannelConfig, MarkdownConfigLoader } from './persona/markdown-config-loader.js';
import type { SystemPromptAssembler } from './persona/system-prompt-assembler.js';

/** The outcome of a turn for the one who asked. Never an answer and an error. */
export interface EventResult {
  responseText?: string;
  targetChannelId?: string;
  sessionId?: string;
  error?: string;
}

/** Maps a backend's result to the gateway's (R10.3). */
export function mapBackendResult(result: BackendEventResult, targetChannelId: string): EventResult {
  if (result.isError) return { error: result.responseText || 'unknown error', targetChannelId };
  return {
    targetChannelId,
    ...(result.responseText === undefined ? {} : { responseText: result.responseText }),
    ...(result.sessionId === undefined ? {} : { sessionId: result.sessionId }),
  };
}

export interface RuntimeTurn {
  readonly channel: string;
  readonly source: string;
  readonly eventId: string;
  readonly text: string;
  readonly author?: string | undefined;
  /** The settings that were made in the chat. */
  readonly chosen: Chosen;
  readonly stdoutFile?: string | undefined;
  /** The part of the conversation that the agent has not seen: behind the session that it resumes, or all of it. */
  seed(session: StoredSession | undefined): Promise<Seed>;
}

/** Is called while a turn runs. The promise that it returns is awaited before the next event. */
export interface TurnObserver {
  /** Something about the turn that the channel should know. */
  told(notice: string): Promise<void>;
  began(setup: TurnSetup): Promise<void>;
  saw(event: ChatEvent, turn: AgentTurn, settings: TurnSettings): Promise<void>;
}

export interface RuntimeReport {
  readonly ending: TerminalEvent;
  readonly result: EventResult;
  readonly settings: TurnSettings;
  /** The reason of a hook that stopped the turn before the agent was asked. */
  readonly blocked?: string | undefined;
  /** True if the stored session was of no use: it is to be forgotten, whatever came after. */
  readonly sessionLost: boolean;
}

/** Runs one turn of a channel: persona, hooks, session, agent. It knows no queue and no database. */
export class AgentRuntime {
  readonly #config: GatewayConfig;
  readonly #sessions: SessionManager;
  readonly #loader: MarkdownConfigLoader;
  readonly #assembler: SystemPromptAssembler;
  readonly #hooks: HookManager;
  readonly #agents: Agents;

  /** The parameters are a public contract (R10.1). */
  constructor(
    config: GatewayConfig,
    backend: BackendAdapter,
    sessionManager: SessionManager,
    markdownConfigLoader: MarkdownConfigLoader,
    systemPromptAssembler: SystemPromptAssembler,
    hookManager: HookManager,
    agents: Agents = new Agents(config, backend),
  ) {
    this.#config = config;
    this.#sessions = sessionManager;
    this.#loader = markdownConfigLoader;
    this.#assembler = systemPromptAssembler;
    this.#hooks = hookManager;
    this.#agents = agents;
  }

  get agents(): Agents {
    return this.#agents;
  }

  /** The settings that a turn of the channel would be run with now. */
  async settings(channel: string, chosen: Chosen): Promise<TurnSettings> {
    return turnSettings(this.#config, await this.#loader.load(channel), chosen, this.#hooks.gatesTools);
  }

  async run(turn: RuntimeTurn, observer: TurnObserver, signal: AbortSignal): Promise<RuntimeReport> {
    const files = await this.#loader.load(turn.channel);
    const settings = turnSettings(this.#config, files, turn.chosen, this.#hooks.gatesTools);
    const restrictions = this.checkRestrictions(settings);
    const refused =
      unusable(settings) ??
      this.#exposed(settings) ??
      (restrictions.type === 'refused' ? restrictions.text : undefined);
    if (refused !== undefined) return this.#ended(turn, settings, errorEvent('bad_request', refused));
    if (restrictions.type === 'dropped') await observer.told(restrictions.text);

    const stored = await this.#sessions.get(turn.channel, settings.backend);
    // Another directory is another session: what was said comes along from the archive.
    const session = stored?.cwd === settings.cwd ? stored : undefined;
    const first = await this.#attempt(turn, settings, files, session, observer, signal);
    const lost = first.ending.type === 'error' && first.ending.code === 'session_not_found';
    if (session === undefined || !lost || first.toolsBegun) return first.report;

    const second = await this.#attempt(turn, settings, files, undefined, observer, signal);
    return { ...second.report, sessionLost: true };
  }

  async #attempt(
    turn: RuntimeTurn,
    settings: TurnSettings,
    files: ChannelConfig,
    session: StoredSession | undefined,
    observer: TurnObserver,
    signal: AbortSignal,
  ): Promise<{ report: RuntimeReport; ending: TerminalEvent; toolsBegun: boolean }> {
    const assembled = this.#assembler.assemble(files);
    const seed = await turn.seed(session);
    const verdict = await this.#hooks.fire('turn_start', {
      channel: turn.channel,
      source: turn.source,
      eventId: turn.eventId,
      backend: settings.backend,
      prompt: turn.text,
      systemPrompt: assembled.text,
    });
    if (verdict.action === 'block') {
      const ending = errorEvent('bad_request', `Blocked by a hook: ${verdict.reason}`);
      const report = { ...this.#ended(turn, settings, ending), blocked: verdict.reason };
      return { report, ending, toolsBegun: false };
    }
    const request: AgentRequest = {
      channel: turn.channel,
      backend: settings.backend,
      prompt: seededPrompt(seed, verdict.payload.prompt),
      systemPrompt: verdict.payload.systemPrompt,
      cwd: settings.cwd,
      sessionId: session?.sessionId,
      model: settings.model,
      permissionMode: settings.permissionMode,
      allowedTools: this.#agents.adapter(settings.backend).capabilities.allowedTools
        ? settings.tools
        : undefined,
      live: settings.live,
      confirmTools: settings.confirmTools,
      stdoutFile: turn.stdoutFile,
    };
    await observer.began(setupOf(request, { ...assembled.record, seededMessages: seed.messages.length }));

    let toolsBegun = false;
    let ending: TerminalEvent = errorEvent('crashed', `${settings.backend} ended the turn without a result`);
    const running = this.#agents.run(request, signal);
    for await (const event of running.events) {
      toolsBegun ||= event.type === 'tool_start';
      if (isTerminal(event)) ending = event;
      await observer.saw(event, running, settings);
    }
    return { report: this.#ended(turn, settings, ending), ending, toolsBegun };
  }

  #ended(turn: RuntimeTurn, settings: TurnSettings, ending: TerminalEvent): RuntimeReport {
    const result = mapBackendResult(foldEnding(ending), turn.channel);
    return { ending, result, settings, sessionLost: false };
  }

  /** A `cwd` that came after the start, in which the gateway's own files are. */
  #exposed({ cwd }: TurnSettings): string | undefined {
    return cwd === this.#config.workingDir
      ? undefined
      : layoutProblems(this.#config, cwd, 'the cwd of this channel')[0];
  }

  /** A restriction is never dropped in silence. */
  checkRestrictions(settings: TurnSettings): RestrictionCheck {
    const { capabilities } = this.#agents.adapter(settings.backend);
    return checkRestrictions(this.#config, settings, capabilities);
  }
}

/** A setting that could not be read may have been a restriction. */
function unusable({ unusable: problems }: TurnSettings): string | undefined {
  if (problems.length === 0) return undefined;
  const list = problems.map((problem) => `- ${problem}`).join('\n');
  return `The settings of this channel are wrong, and no turn is run without what they may restrict:\n${list}\nCorrect the file in CONFIG_DIR: it counts from the next message on.`;
}

function foldEnding(ending: TerminalEvent): BackendEventResult {
  if (ending.type === 'error') return { isError: true, responseText: ending.message };
  return { isError: false, responseText: ending.text, sessionId: ending.sessionId };
}

function setupOf(request: AgentRequest, prompt: PromptRecord): TurnSetup {
  const { backend, model, cwd, live, sessionId } = request;
  return { backend, model, cwd, live, resumed: sessionId, prompt };
}
