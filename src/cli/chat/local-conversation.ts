import { backendNames, readBackendName } from '../../backends/registry.js';
import { isModelName, modelNameExpected } from '../../config/formats.js';
import { errorEvent, interruptedEvent, type PermissionDecision } from '../../core/chat-event.js';
import { describeThrown } from '../../core/describe-thrown.js';
import { failureEvent, TurnoutError } from '../../core/errors.js';
import { permissionModes } from '../../core/permission-mode.js';
import { newestMessages, type SeedMessage, seededPrompt } from '../../core/seeded-prompt.js';
import { shownId } from '../../core/text.js';
import { parseThinking, thinkingExpected } from '../../core/thinking.js';
import { quoteWord } from '../../runner/describe-command.js';
import type { Sessions } from '../../sessions/sessions.js';
import type { BackendSession } from '../../sessions/types.js';
import { KeptTurn } from '../run/kept-turn.js';
import { withLeads } from '../run/where-it-leads.js';
import type { Conversation, ConversationCommand, ConversationStatus, Tell } from './conversation.js';
import { backendOf, type EarlierSession, earlierSessions } from './earlier-sessions.js';
import { type Agent, agentOf, closed, unlessAborted } from './local-agent.js';
import type { PreparedAgent, Wanted } from './open-agent.js';
import { shortPath } from './short-path.js';
import { ownCommands } from './state/commands.js';

export interface LocalSetup {
  readonly sessions: Sessions;
  readonly first: PreparedAgent;
  /** What the first one was opened with. */
  readonly wanted: Wanted;
  /** True if an agent has started this chat. */
  readonly isAgents?: boolean;
  prepare(wanted: Wanted): Promise<PreparedAgent>;
}

/** A conversation with live sessions of this process: one for each CLI that was spoken to. */
export class LocalConversation implements Conversation {
  readonly #setup: LocalSetup;
  readonly #agents = new Map<string, Agent>();
  #current: Agent;
  /** What was said here, for those who have not heard it. */
  #said: SeedMessage[] = [];
  /** True if the session has a past that is not known here. */
  #isResumed: boolean;
  #running: AbortController | undefined;
  /** One turn after the other: a message that waited is said as soon as the end of a turn is told. */
  #last: Promise<void> = Promise.resolve();
  #tell: Tell = () => undefined;

  constructor(setup: LocalSetup) {
    this.#setup = setup;
    this.#isResumed = setup.wanted.sessionId !== undefined || setup.wanted.continueLast === true;
    this.#current = agentOf(setup.first, setup.wanted);
    this.#agents.set(setup.first.backend, this.#current);
  }

  readonly commands = ownCommands;

  get backends(): readonly string[] {
    return backendNames();
  }

  get status(): ConversationStatus {
    const { prepared, model, permissionMode, wanted } = this.#current;
    return {
      backend: prepared.backend,
      model,
      thinking: wanted.thinking === undefined ? undefined : String(wanted.thinking),
      permissionMode,
      steers: prepared.steers,
      cwd: prepared.cwd,
      place: shortPath(prepared.cwd),
      sessionId: this.#sessionId,
    };
  }

  async open(tell: Tell): Promise<void> {
    this.#tell = tell;
    for (const text of this.#current.prepared.warnings) await tell({ type: 'note', text, warning: true });
    const { sessionId: known } = this.#setup.wanted;
    // It is read sooner than the CLI is started.
    if (known !== undefined) await this.#recall(known);
    const session = await this.#opened(this.#current);
    this.#sessionId = session.sessionId;
    if (session.sessionId === undefined || !this.#isResumed) return;
    if (known === undefined) await this.#recall(session.sessionId);
    await tell({ type: 'note', text: `Going on with session ${shownId(session.sessionId)}.` });
  }

  say(prompt: string): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#last = this.#last.then(() => this.#say(prompt, running));
    return this.#last;
  }

  async #say(prompt: string, running: AbortController): Promise<void> {
    const agent = this.#current;
    const unseen = newestMessages(this.#said.slice(agent.seen));
    const place = this.#said.push({ part: 'prompt', text: prompt, failed: true }) - 1;
    const kept = this.#keptTurn(agent, prompt);
    let answer = '';
    let begun = false;
    let failed = true;
    try {
      const session = await unlessAborted(this.#opened(agent), running.signal);
      if (session === undefined) return await this.#tell({ type: 'agent', event: interruptedEvent });
      for await (const event of session.send(seededPrompt({ messages: unseen }, prompt), {
        signal: running.signal,
      })) {
        if (event.type === 'session') {
          agent.model = event.model ?? agent.model;
          this.#sessionId = event.sessionId;
          await this.#tell({ type: 'status', status: this.status });
        } else if (event.type === 'tool_start') answer = '';
        else if (event.type === 'text') answer += event.text;
        else if (event.type === 'complete') {
          answer = event.text;
          failed = false;
        }
        begun ||= event.type !== 'error';
        kept.see(event);
        const shown =
          event.type === 'permission_request' ? await withLeads(event, agent.prepared.cwd) : event;
        await this.#tell({ type: 'agent', event: shown });
      }
    } catch (error) {
      const failure =
        error instanceof TurnoutError ? failureEvent(error) : errorEvent('unknown', describeThrown(error));
      await this.#tell({ type: 'agent', event: failure });
    } finally {
      if (this.#running === running) this.#running = undefined;
      const { backend } = agent.prepared;
      this.#said[place] = { part: 'prompt', text: prompt, failed };
      if (answer !== '') this.#said.push({ part: 'answer', text: answer, failed, backend });
      // A session that has begun with the message has it in its own history.
      if (begun) agent.seen = this.#said.length;
    }
  }

  async steer(text: string): Promise<boolean> {
    if (this.#running === undefined) return false;
    const session = await this.#current.session.catch(() => undefined);
    const taken = (await session?.steer(text)) ?? false;
    if (taken) this.#said.push({ part: 'prompt', text, failed: false });
    return taken;
  }

  async interrupt(): Promise<void> {
    this.#running?.abort();
  }

  async answer(id: string, decision: PermissionDecision, message?: string): Promise<void> {
    const session = await this.#current.session;
    await session.answerPermission(
      id,
      decision,
      decision === 'deny' ? (message ?? 'The user said no.') : undefined,
    );
  }

  async command(command: ConversationCommand, argument: string): Promise<string> {
    const done = await this.#commands[command](argument);
    await this.#tell({ type: 'status', status: this.status });
    return done;
  }

  async handOn(text: string): Promise<void> {
    throw new TurnoutError('unsupported', `${text} is not possible here.`);
  }

  sessions(): Promise<readonly EarlierSession[]> {
    const { prepared } = this.#current;
    return earlierSessions(prepared, prepared.adapter, this.#sessionId);
  }

  /** Shows what was said last in a session, unless somebody speaks already: it would look like the answer. */
  async #recall(sessionId: string): Promise<void> {
    const { adapter, cwd } = this.#current.prepared;
    // It is never worth an error.
    const exchange = await adapter.lastExchange?.(sessionId, cwd).catch(() => undefined);
    if (exchange === undefined || this.#running !== undefined) return;
    await this.#tell({ type: 'said', text: exchange.prompt });
    if (exchange.answer !== undefined) await this.#tell({ type: 'answered', text: exchange.answer });
  }

  async close(): Promise<string | undefined> {
    this.#running?.abort();
    const goesOn = this.#said.length > 0 && this.#sessionId !== undefined;
    const { backend } = this.#current.prepared;
    await this.#setup.sessions.close();
    for (const { prepared } of this.#agents.values()) await prepared.remove();
    return goesOn ? `turnout chat -b ${backend} --resume ${quoteWord(this.#sessionId ?? '')}` : undefined;
  }

  #sessionId: string | undefined;

  readonly #commands: Readonly<Record<ConversationCommand, (argument: string) => Promise<string>>> = {
    backend: (name) => this.#handOver(readBackendName(name, '/backend')),
    model: (name) => this.#setModel(name),
    permissions: (name) => this.#setPermissionMode(name),
    thinking: (depth) => this.#setThinking(depth),
    new: async () => {
      await this.#begin({ ...this.#current.wanted, ...this.#kept(), sessionId: undefined });
      this.#isResumed = false;
      return 'This is a new conversation.';
    },
    resume: async (sessionId) => {
      const { prepared, wanted } = this.#current;
      const backend = backendOf(sessionId, prepared.home) ?? prepared.backend;
      const isOther = backend !== prepared.backend;
      // A model is one CLI's.
      const same = isOther ? { permissionMode: this.#chosenMode() } : { ...wanted, ...this.#kept() };
      await this.#begin({ ...same, backend, sessionId });
      this.#sessionId = sessionId;
      this.#isResumed = true;
      await this.#recall(sessionId);
      return `Going on with session ${shownId(sessionId)}${isOther ? ` of ${backend}` : ''}.`;
    },
  };

  async #handOver(backend: string): Promise<string> {
    if (backend === this.#current.prepared.backend) return `${backend} answers already.`;
    const known = this.#agents.get(backend);
    const agent = known ?? (await this.#prepared({ backend, permissionMode: this.#chosenMode() }));
    try {
      const session = await this.#opened(agent);
      await this.#keepMode(agent, session);
      this.#sessionId = session.sessionId;
    } catch (error) {
      if (known === undefined) await agent.prepared.remove();
      throw error;
    }
    this.#agents.set(backend, agent);
    this.#current = agent;
    const unseen = this.#said.length - agent.seen;
    const earlier = this.#isResumed ? ' What was said before this chat it does not know.' : '';
    if (unseen === 0) return `${backend} answers from here on.${earlier}`;
    return `${backend} answers from here on. With your next message it is told what was said so far (${unseen} ${unseen === 1 ? 'message' : 'messages'}).${earlier}`;
  }

  /** Whoever is handed the conversation back may do what the one before it may. */
  async #keepMode(agent: Agent, session: BackendSession): Promise<void> {
    const mode = this.#chosenMode();
    if (mode === undefined || mode === agent.permissionMode) return;
    await session.setPermissionMode(mode);
    agent.permissionMode = mode;
  }

  async #setModel(model: string): Promise<string> {
    if (!isModelName(model)) throw new TurnoutError('bad_request', `/model ${model}: ${modelNameExpected}`);
    const session = await this.#opened(this.#current);
    try {
      await session.setModel(model);
      this.#current.model = model;
      this.#current.wanted = { ...this.#current.wanted, model };
    } catch (error) {
      if (!(error instanceof TurnoutError) || error.code !== 'unsupported') throw error;
      await this.#reopen({ ...this.#current.wanted, ...this.#kept(), model });
    }
    return `The model is ${model} from here on.`;
  }

  async #setPermissionMode(name: string): Promise<string> {
    const mode = permissionModes.find((known) => known === name.toLowerCase());
    if (mode === undefined)
      throw new TurnoutError(
        'bad_request',
        `/permissions ${name}: expected one of ${permissionModes.join(', ')}.`,
      );
    const session = await this.#opened(this.#current);
    await session.setPermissionMode(mode);
    this.#current.permissionMode = mode;
    return `The permission mode is ${mode} from here on.`;
  }

  async #setThinking(depth: string): Promise<string> {
    const thinking = parseThinking(depth);
    if (thinking === undefined)
      throw new TurnoutError('bad_request', `/thinking ${depth}: ${thinkingExpected}, show or hide.`);
    await this.#reopen({ ...this.#current.wanted, ...this.#kept(), thinking });
    return `It thinks ${thinking} from here on.`;
  }

  /** A new conversation, or another one: nobody knows anything of it yet but who has it in a session. */
  async #begin(wanted: Wanted): Promise<void> {
    await this.#replace(wanted);
    for (const [name, agent] of this.#agents) {
      if (agent === this.#current) continue;
      await closed(agent);
      this.#agents.delete(name);
    }
    this.#said = [];
    this.#current.seen = 0;
  }

  /** The same session with other options. */
  async #reopen(wanted: Wanted): Promise<void> {
    const { seen, model } = this.#current;
    const sessionId = this.#sessionId;
    await this.#replace({ ...wanted, sessionId });
    this.#sessionId = sessionId;
    this.#current.seen = seen;
    // The CLI's own default is told with the next message only.
    this.#current.model ??= model;
  }

  /** What can't be opened leaves everything as it was. */
  async #replace(wanted: Wanted): Promise<void> {
    const before = this.#current;
    const { backend = before.prepared.backend } = wanted;
    const agent = await this.#prepared({ ...wanted, backend, continueLast: undefined });
    try {
      const session = await this.#opened(agent);
      this.#sessionId = session.sessionId;
    } catch (error) {
      await agent.prepared.remove();
      throw error;
    }
    await closed(before);
    this.#agents.delete(before.prepared.backend);
    this.#current = agent;
    this.#agents.set(agent.prepared.backend, agent);
  }

  /** The session comes into the index of sessions, for `--continue`; what an agent runs is no session of a person's. */
  #keptTurn({ prepared }: Agent, prompt: string): KeptTurn {
    const { home, backend, cwd } = prepared;
    return new KeptTurn({ home: this.#setup.isAgents ? undefined : home, backend, cwd, prompt });
  }

  async #prepared(wanted: Wanted): Promise<Agent> {
    const prepared = await this.#setup.prepare(wanted);
    for (const text of prepared.warnings) await this.#tell({ type: 'note', text, warning: true });
    return agentOf(prepared, wanted);
  }

  async #opened(agent: Agent): Promise<BackendSession> {
    try {
      return await agent.session;
    } catch {
      agent.session = agent.prepared.open();
      return agent.session;
    }
  }

  /** What was chosen in the chat. */
  #kept(): Pick<Wanted, 'model' | 'permissionMode'> {
    return { model: this.#current.wanted.model, permissionMode: this.#chosenMode() };
  }

  #chosenMode(): Wanted['permissionMode'] {
    return permissionModes.find((known) => known === this.#current.permissionMode);
  }
}
