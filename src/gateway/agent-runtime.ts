import type { BackendAdapter, BackendEventResult, EventResult } from '../backends/types.js';
import { type ChatEvent, errorEvent, isTerminal, type TerminalEvent } from '../core/chat-event.js';
import { silenceNote } from '../core/seeded-prompt.js';
import { isSessionId } from '../core/session-id.js';
import type { PromptRecord, StoredSession, TurnSetup } from '../store/rows.js';
import { type AgentRequest, Agents, type AgentTurn } from './agents/agents.js';
import { checkRestrictions, type RestrictionCheck } from './agents/check-restrictions.js';
import { isFromModel, judgeSession, type ResumedAttempt } from './agents/failed-resume.js';
import { type Seed, seededPrompt } from './agents/seed.js';
import type { PendingSession, SessionManager } from './agents/session-manager.js';
import { type Chosen, type TurnSettings, turnSettings } from './agents/turn-settings.js';
import { layoutProblems } from './check-layout.js';
import { configWith, type GatewayConfig } from './config.js';
import type { HookManager } from './hooks/hook-manager.js';
import type { ChannelConfig, MarkdownConfigLoader } from './persona/markdown-config-loader.js';
import type { SystemPromptAssembler } from './persona/system-prompt-assembler.js';

/** Maps a backend's result to the gateway's (R10.3): an error is the text of the result, whatever that is. */
export function mapBackendResult(result: BackendEventResult, targetChannelId: string): EventResult {
  if (result.isError) return { error: result.responseText, targetChannelId };
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
  /** What the senders tell the agent beside their texts: it becomes a part of the system prompt. */
  readonly instructions?: string | undefined;
  /** True if no person waits for the answer: the agent is told how to say nothing. */
  readonly mayStaySilent?: boolean | undefined;
  /** What the kind of its channel says about the channel, for the system prompt. */
  readonly place?: string | undefined;
  /** The settings that were made in the chat. */
  readonly chosen: Chosen;
  /** The reason why no agent is asked. */
  readonly refused?: string | undefined;
  readonly stdoutFile?: string | undefined;
  /** Takes the session that the turn leaves, to be stored with its result. Without it, the session is stored at once. */
  readonly pending?: PendingSession | undefined;
  /** True for a retry of a message: it is not tried once more without its session. */
  readonly isRetry?: boolean | undefined;
  /** True if the message is not retried after this attempt. */
  readonly isLast?: boolean | undefined;
  /** The part of the conversation that the agent has not seen: behind the session that it resumes, or all of it. */
  seed(session: StoredSession | undefined): Promise<Seed>;
}

/** Is called while a turn runs. The promise that it returns is awaited before the next event. */
export interface TurnObserver {
  /** Something about the turn that the channel should know. */
  told(notice: string): Promise<void>;
  began(setup: TurnSetup): Promise<void>;
  saw(event: ChatEvent, turn: AgentTurn, settings: TurnSettings): Promise<void>;
  /**
   * Called when a resumed session has failed and may be damaged. `repeat`: nothing stands against a new session. `forget`:
   * tools may have begun. `keep`: the session works, or the failure has another cause.
   */
  resumeFailed(): Promise<'repeat' | 'forget' | 'keep'>;
  /** Called when the CLI does not have the session to resume. True if it has begun tools all the same, in another one. */
  hasBegunElsewhere?(): Promise<boolean>;
}

export interface RuntimeReport {
  readonly ending: TerminalEvent;
  readonly result: EventResult;
  readonly settings: TurnSettings;
  /** The reason of a hook that stopped the turn before the agent was asked. */
  readonly blocked?: string | undefined;
  /**
   * What becomes of the stored session: `told`, it is replaced by the one that the agent has told, if any; `kept`, it stays,
   * whatever the agent has told; `lost`, it is forgotten for the reason given, and replaced as above.
   */
  readonly session: SessionOutcome;
  /** The id that the agent has told last. */
  readonly sessionId?: string | undefined;
}

export type SessionOutcome =
  | { readonly type: 'told' | 'kept' }
  | { readonly type: 'lost'; readonly sessionId: string; readonly reason: string };

interface AttemptReport extends ResumedAttempt {
  readonly ending: TerminalEvent;
  readonly report: RuntimeReport;
}

/** Runs one turn of a channel: persona, hooks, session, agent. It knows no queue and no database, and of the backend only its interface (R10.2). */
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
    agents?: Agents,
  ) {
    this.#config = configWith(config, backend);
    this.#sessions = sessionManager;
    this.#loader = markdownConfigLoader;
    this.#assembler = systemPromptAssembler;
    this.#hooks = hookManager;
    this.#agents = agents ?? new Agents(this.#config, backend);
  }

  get agents(): Agents {
    return this.#agents;
  }

  /** The settings that a turn of the channel would be run with now. */
  async settings(channel: string, chosen: Chosen): Promise<TurnSettings> {
    return turnSettings(this.#config, await this.#loader.load(channel), chosen, this.#hooks.gatesTools);
  }

  async run(turn: RuntimeTurn, observer: TurnObserver, signal: AbortSignal): Promise<RuntimeReport> {
    const report = await this.#run(turn, observer, signal);
    await this.#storeSession(turn, report);
    return report;
  }

  async #run(turn: RuntimeTurn, observer: TurnObserver, signal: AbortSignal): Promise<RuntimeReport> {
    const files = await this.#loader.load(turn.channel);
    const settings = turnSettings(this.#config, files, turn.chosen, this.#hooks.gatesTools);
    const restrictions = this.checkRestrictions(settings);
    const refused =
      turn.refused ??
      unusable(settings) ??
      (await this.#exposed(settings)) ??
      (restrictions.type === 'refused' ? restrictions.text : undefined);
    if (refused !== undefined) return this.#ended(turn, settings, errorEvent('bad_request', refused));
    if (restrictions.type === 'dropped') await observer.told(restrictions.text);

    const stored = await this.#sessions.get(turn.channel, settings.backend);
    // Another directory is another session: what was said comes along from the archive.
    const session = stored?.cwd === settings.cwd && isSessionId(stored.sessionId) ? stored : undefined;
    const attempt = (resumed: StoredSession | undefined) =>
      this.#attempt(turn, settings, files, resumed, observer, signal);
    const first = await attempt(session);
    if (session === undefined || first.ending.type !== 'error' || signal.aborted) return first.report;
    const state = judgeSession(first, first.ending);
    if (state === 'fine') return first.report;

    const lost = { type: 'lost', sessionId: session.sessionId, reason: first.ending.message } as const;
    if (state === 'lost') {
      // What the model has said or done stands: the turn is not run again, and the next message begins anew.
      const stands = first.modelHeard || (await observer.hasBegunElsewhere?.()) === true;
      const last = stands ? first : await attempt(undefined);
      return { ...last.report, session: lost };
    }
    // A resume that hangs may do so for the network's sake: only the last one counts, and the next message begins anew.
    if (state === 'hung' && !turn.isLast) return first.report;
    const next = await observer.resumeFailed();
    if (next === 'keep') return first.report;
    if (next === 'forget' || state === 'hung') return { ...first.report, session: lost };
    if (turn.isRetry) return { ...first.report, session: { type: 'kept' } };

    const second = await attempt(undefined);
    if (second.modelHeard) return { ...second.report, session: lost };
    // The new session failed too: nothing is proven against the old one, and the turn has failed as it did at first.
    const { report } = isNews(second.report) ? second : first;
    return { ...report, session: { type: 'kept' } };
  }

  async #attempt(
    turn: RuntimeTurn,
    settings: TurnSettings,
    files: ChannelConfig,
    session: StoredSession | undefined,
    observer: TurnObserver,
    signal: AbortSignal,
  ): Promise<AttemptReport> {
    const assembled = this.#assembler.assemble(files, turn.place);
    const seed = await turn.seed(session);
    const verdict = await this.#hooks.fire('turn_start', {
      channel: turn.channel,
      source: turn.source,
      eventId: turn.eventId,
      backend: settings.backend,
      prompt: turn.text,
      systemPrompt: withInstructions(assembled.text, turn.instructions),
    });
    if (verdict.action === 'block') {
      const ending = errorEvent('bad_request', `Blocked by a hook: ${verdict.reason}`);
      const report = { ...this.#ended(turn, settings, ending), blocked: verdict.reason };
      return { report, ending, resumed: false, modelHeard: false };
    }
    const adapter = this.#agents.adapter(settings.backend);
    const { prompt } = verdict.payload;
    const request: AgentRequest = {
      channel: turn.channel,
      backend: settings.backend,
      prompt: seededPrompt(seed, turn.mayStaySilent ? `${silenceNote}\n\n${prompt}` : prompt),
      systemPrompt: verdict.payload.systemPrompt,
      cwd: settings.cwd,
      sessionId: session?.sessionId,
      model: settings.model,
      thinking: settings.thinking,
      permissionMode: settings.permissionMode,
      allowedTools: adapter.capabilities.allowedTools ? settings.tools : undefined,
      // A backend without a long-lived mode runs each turn by itself.
      live: settings.live && adapter.live !== undefined,
      confirmTools: settings.confirmTools,
      stdoutFile: turn.stdoutFile,
    };
    await observer.began(
      setupOf(request, {
        ...assembled.record,
        seededMessages: seed.messages.length,
        ...(prompt === turn.text ? {} : { isChanged: true }),
      }),
    );

    let sessionId: string | undefined;
    let modelHeard = false;
    let ending: TerminalEvent = errorEvent('crashed', `${settings.backend} ended the turn without a result`);
    const running = this.#agents.run(request, signal);
    for await (const event of running.events) {
      modelHeard ||= isFromModel(event);
      if (event.type === 'session' || event.type === 'complete') sessionId = event.sessionId || sessionId;
      if (isTerminal(event)) ending = event;
      await observer.saw(event, running, settings);
    }
    const { resumed } = running;
    const report = { ...this.#ended(turn, settings, ending), sessionId };
    return { report, ending, resumed, modelHeard };
  }

  /** R10.4: stores the id that the agent has told, unless the CLI can't find it or it is the one that is given up. */
  async #storeSession(
    turn: RuntimeTurn,
    { ending, session, sessionId, settings }: RuntimeReport,
  ): Promise<void> {
    // With the turn's result, `verdicts.ts` has it forgotten.
    if (session.type === 'lost' && turn.pending === undefined)
      await this.#sessions.forget(turn.channel, settings.backend);
    if (ending.type === 'error' && ending.code === 'session_not_found') return;
    if (session.type === 'kept' || (session.type === 'lost' && session.sessionId === sessionId)) return;
    const { backend, cwd } = settings;
    const stored = await this.#sessions.get(turn.channel, backend);
    const seen = stored?.sessionId === sessionId ? (stored?.seen ?? 0) : 0;
    await this.#sessions.set({ channel: turn.channel, backend, sessionId, cwd, seen }, turn.pending);
  }

  #ended(turn: RuntimeTurn, settings: TurnSettings, ending: TerminalEvent): RuntimeReport {
    const result = mapBackendResult(foldEnding(ending), turn.channel);
    return { ending, result, settings, session: { type: 'told' } };
  }

  /** A `cwd` that came after the start, in which the gateway's own files are. */
  async #exposed({ cwd }: TurnSettings): Promise<string | undefined> {
    if (cwd === this.#config.workingDir) return undefined;
    return (await layoutProblems(this.#config, cwd, 'the cwd of this channel'))[0];
  }

  /** A restriction is never dropped in silence. */
  checkRestrictions(settings: TurnSettings): RestrictionCheck {
    const { capabilities } = this.#agents.adapter(settings.backend);
    return checkRestrictions(this.#config, settings, capabilities);
  }
}

/** The instructions stand behind the persona, under a heading like its files do. */
function withInstructions(persona: string, instructions: string | undefined): string {
  if (instructions === undefined) return persona;
  const section = `# Instructions of this request\n\n${instructions}`;
  return persona === '' ? section : `${persona}\n\n${section}`;
}

/** A setting that could not be read may have been a restriction. */
function unusable({ unusable: problems }: TurnSettings): string | undefined {
  if (problems.length === 0) return undefined;
  const list = problems.map((problem) => `- ${problem}`).join('\n');
  return `The settings of this channel are wrong, and no turn is run without what they may restrict:\n${list}\nCorrect the file in CONFIG_DIR: it counts from the next message on.`;
}

/** True if an attempt without the session ended in a way that counts more than the failure before it. */
function isNews({ ending, blocked }: RuntimeReport): boolean {
  return blocked !== undefined || (ending.type === 'error' && ending.retryable);
}

function foldEnding(ending: TerminalEvent): BackendEventResult {
  if (ending.type === 'error') return { isError: true, responseText: ending.message };
  const { text: responseText, sessionId } = ending;
  return { isError: false, responseText, ...(sessionId === '' ? {} : { sessionId }) };
}

function setupOf(request: AgentRequest, prompt: PromptRecord): TurnSetup {
  const { backend, model, cwd, live, sessionId, permissionMode } = request;
  const asks = permissionMode === 'ask' ? ({ asks: true } as const) : {};
  return { backend, model, cwd, live, resumed: sessionId, ...asks, prompt };
}
