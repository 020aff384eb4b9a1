import type { Agent } from '../agent.js';
import type { Conversation } from '../conversation.js';
import { newConversation } from '../open-conversation.js';
import type { Output } from '../output.js';
import { namesIn } from '../permissions.js';
import { initLine } from '../plain-lines.js';
import { clearedLine, type TurnEnding } from '../result-line.js';
import { takeTurn } from '../take-turn.js';
import { UsageMeter } from '../usage-meter.js';
import { tellHooks, watchByClient } from './call-hooks.js';
import { Client } from './client.js';
import { answerControl } from './control.js';
import type { Hook } from './hooks.js';
import { Inbox, type Job } from './inbox.js';
import {
  type ControlAnswer,
  controlResponseLine,
  lifecycleLine,
  modeLine,
  replayLine,
  resetLine,
} from './live-lines.js';
import { permitByClient } from './permit-by-client.js';
import type { Fields, UserMessage } from './read-messages.js';

/** The settings that a client can change while the process runs. They outlive `/clear`. */
export interface LiveSettings {
  model: string;
  permissionMode: string;
  systemPrompt: string;
  snapshot: boolean;
  hooks: readonly Hook[];
  /** The tools that may be used without asking. */
  readonly allowed: Set<string>;
}

/** The conversation of one process, with its settings. */
export class LiveSession {
  readonly output: Output;
  readonly inbox = new Inbox();
  readonly client: Client;
  readonly settings: LiveSettings;
  readonly #agent: Agent;
  #conversation: Conversation;
  #meter: UsageMeter;
  /** True if the last result is an error. */
  hasFailed = false;

  constructor(agent: Agent, conversation: Conversation) {
    const { options, around, output, model, systemPrompt } = agent;
    this.#agent = agent;
    this.#conversation = conversation;
    this.#meter = new UsageMeter(around.price);
    this.output = output;
    this.client = new Client(output);
    this.settings = {
      model,
      permissionMode: options.permissionMode,
      systemPrompt,
      snapshot: options.systemPromptSnapshot,
      hooks: [],
      allowed: new Set(namesIn(options.allowedTools)),
    };
  }

  get id(): string {
    return this.#conversation.id;
  }

  get cwd(): string {
    return this.#agent.around.cwd;
  }

  get replaysMessages(): boolean {
    return this.#agent.options.replaysMessages;
  }

  /** Runs turn after turn, until there will be no more messages. */
  async answerAll(): Promise<void> {
    for await (const job of this.inbox) {
      const { message } = job;
      if (message.id !== undefined) await this.output.line(lifecycleLine(this.id, message.id, 'started'));
      const isClear = message.typed && /^\/clear(?:\s|$)/.test(message.prompt);
      const ending = isClear ? await this.#clear(job) : await this.#answer(job);
      this.hasFailed = ending.type !== 'answered' && ending.type !== 'cleared';
      const state = ending.type === 'interrupted' ? 'cancelled' : 'completed';
      if (message.id !== undefined) await this.output.line(lifecycleLine(this.id, message.id, state));
    }
  }

  async control(requestId: string, request: Fields): Promise<void> {
    const before = this.settings.permissionMode;
    const answer = answerControl(request, this, this.#agent);
    if (request['subtype'] === 'cancel_async_message' && isTakenBack(answer)) {
      await this.output.line(lifecycleLine(this.id, String(request['message_uuid']), 'cancelled'));
    }
    // After an interrupt nothing is awaited before this line: the turn's last lines come after it.
    await this.output.line(controlResponseLine(requestId, answer));
    if (this.settings.permissionMode !== before) await this.tellMode();
  }

  async tellMode(): Promise<void> {
    await this.output.line(modeLine(this.id, this.settings.permissionMode));
  }

  /** Stops the running turn, which is the last one. */
  leave(): void {
    this.inbox.stopCurrent();
    this.inbox.drop();
  }

  async #answer({ message, stop }: Job): Promise<TurnEnding> {
    await tellHooks(this, 'UserPromptSubmit', { prompt: message.prompt }, stop.signal);
    const { model, permissionMode, systemPrompt, snapshot } = this.settings;
    const { ending, conversation } = await takeTurn(this.#agent, {
      prompt: message.prompt,
      conversation: this.#conversation,
      systemPrompt,
      snapshot,
      model,
      permissionMode,
      permit: permitByClient(this, this.#agent, stop.signal),
      watcher: watchByClient(this, stop.signal),
      meter: this.#meter,
      signal: stop.signal,
      userMessages: idsOf(message),
      isSomebodyWaiting: () => !this.inbox.isEmpty,
      replay: this.replaysMessages ? replayLine(this.id, message) : undefined,
    });
    this.#conversation = conversation;
    return ending;
  }

  async #clear({ message, stop }: Job): Promise<TurnEnding> {
    const { output } = this;
    const { around, mcpServers, tools } = this.#agent;
    const { model, permissionMode } = this.settings;
    await tellHooks(this, 'SessionEnd', { reason: 'clear' }, stop.signal);
    await output.line(resetLine(this.id));
    this.#conversation = newConversation();
    await tellHooks(this, 'SessionStart', { source: 'clear' }, stop.signal);
    this.#meter = new UsageMeter(around.price);
    const userMessages = idsOf(message);
    const speaker = { sessionId: this.id, cwd: around.cwd, model, permissionMode, tools, mcpServers };
    await output.line(initLine({ ...speaker, inputTokens: 0, userMessages }));
    if (this.replaysMessages) await output.line(replayLine(this.id, message));
    await output.line(clearedLine({ sessionId: this.id, model, userMessages, meter: this.#meter }));
    return { type: 'cleared' };
  }
}

function isTakenBack(answer: ControlAnswer): boolean {
  return answer.type === 'success' && answer.response['cancelled'] === true;
}

function idsOf({ id }: UserMessage): readonly string[] {
  return id === undefined ? [] : [id];
}
