import { queueModes } from '../../config/settings.js';
import { count as grouped } from '../../core/format.js';
import { stoppedText } from '../../core/stopped-text.js';
import type { ContextUsed, StoredEvent } from '../../store/rows.js';
import type { AcceptEffect, AcceptOptions, CancelRequest, ChannelChange, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import type { SessionManager } from '../agents/session-manager.js';
import { queueCleared, type Stoppable, type Stopped } from '../turns/verdicts.js';
import { answerQuestion, decidedText, questionLine } from './answer-question.js';
import { chatCommands } from './command-list.js';
import { argumentRefusal, type ImmediateCommand } from './parse-command.js';

/** The plan of a command. Nothing has been done yet: that comes with its acceptance, in one transaction. */
export interface ImmediateResult {
  /** The reply; it may depend on what the command has done. */
  readonly text: string | ((effect: AcceptEffect) => string);
  readonly change?: ChannelChange | undefined;
  readonly cancels?: readonly CancelRequest[] | undefined;
  /** The question that it answers. */
  readonly decides?: AcceptOptions['decides'];
  /** The turn to be stopped once the command is on disk. */
  readonly stops?: Stoppable | undefined;
}

export interface ImmediateCommandParts {
  readonly store: Store;
  readonly runtime: AgentRuntime;
  readonly sessions: SessionManager;
  /** The queue's view of a channel's turns. */
  readonly turns: {
    runningSince(channel: string): number | undefined;
    /** The time when a message that has failed is tried again. */
    retryAt(channel: string): Promise<number | undefined>;
    stoppable(channel: string, reason: Stopped): Promise<Stoppable | undefined>;
  };
  readonly now: () => number;
}

/** Who ends a turn with /stop, if that is known. */
export function byCommand(author: string | undefined): Stopped {
  return { type: 'stopped', by: author ?? '/stop' };
}

/** Of more that wait, commands are not told from messages. */
const maxTold = 1000;

const isBeingWritten =
  'Nothing is left to be stopped here: the turn is over, and its result is being written.';

const helpText = [
  ...chatCommands.map(
    (command) =>
      `/${command.name}${'argument' in command ? ` [${command.argument.replaceAll(' ', '] [')}]` : ''}: ${command.summary}`,
  ),
  'Any other word with a slash goes to the agent.',
].join('\n');

/** The chat commands that don't wait in the queue. */
export class ImmediateCommands {
  readonly #parts: ImmediateCommandParts;

  constructor(parts: ImmediateCommandParts) {
    this.#parts = parts;
  }

  async plan(command: ImmediateCommand, channel: string, author?: string): Promise<ImmediateResult> {
    if (command.name === 'queue') return this.#queue(channel, command.argument);
    if (command.name === 'allow' || command.name === 'deny')
      return this.#answer(channel, command.name, command.argument);
    const refusal = argumentRefusal(command);
    if (refusal !== undefined) return { text: refusal };
    if (command.name === 'help') return { text: helpText };
    return command.name === 'stop' ? this.#stop(channel, author) : this.#status(channel);
  }

  async #answer(channel: string, name: 'allow' | 'deny', argument: string): Promise<ImmediateResult> {
    const { store, now } = this.#parts;
    const answer = answerQuestion(name, argument, await store.pendingOutlines(channel));
    if (answer.type === 'refuse') return { text: answer.text };
    const { question, decision, message } = answer;
    return {
      decides: { id: question.id, decision, message, at: now() },
      text: ({ decided }) =>
        decided === undefined
          ? 'Nothing was done: it was answered already, or its turn has ended.'
          : decidedText(question, decision),
    };
  }

  async #stop(channel: string, author: string | undefined): Promise<ImmediateResult> {
    const stops = await this.#parts.turns.stoppable(channel, byCommand(author));
    const waiting = await this.#parts.store.countWaiting(channel);
    const text = ({ cancelled }: AcceptEffect): string => {
      const left = waiting - cancelled.length;
      const rest = left === 0 ? '' : ` ${count(left)} still waiting: /queue clear drops them.`;
      if (stops?.isOver) return `${isBeingWritten}${rest}`;
      return stops === undefined ? `Nothing is running here.${rest}` : `${stoppedText}${rest}`;
    };
    if (stops?.isOver) return { text };
    return { text, stops, cancels: stops?.cancels };
  }

  async #status(channel: string): Promise<ImmediateResult> {
    const { runtime, store, sessions, turns, now } = this.#parts;
    const settings = await runtime.settings(channel, await store.channel(channel));
    const session = await sessions.get(channel, settings.backend);
    const since = turns.runningSince(channel);
    const waiting = await store.countWaiting(channel);
    const context = await store.contextUsed(channel, settings.backend);
    const notice = await runtime.agents.versionNotice(settings.backend);
    const open = await store.pendingOutlines(channel);
    const asked = open.slice(0, maxShown).map((question) => `asks: ${questionLine(question)}`);
    return {
      text: [
        `backend: ${settings.backend}${settings.live ? ' (live)' : ''}`,
        ...(notice === undefined ? [] : [`version: ${notice}`]),
        `model: ${settings.model ?? 'default'}`,
        `thinking: ${settings.thinking ?? 'default'}`,
        `session: ${session?.sessionId ?? 'none yet'}`,
        ...(context === undefined ? [] : [`context: ${contextInWords(context)}`]),
        `directory: ${settings.cwd}`,
        `turn: ${since === undefined ? `none${await this.#retryDue(channel)}` : `running for ${seconds(now() - since)}`}`,
        `waiting: ${waiting}`,
        `queue mode: ${settings.queueMode}`,
        `permissions: ${settings.permissionMode}`,
        ...asked,
        ...(open.length > maxShown ? [`asks: … (${open.length} in all)`] : []),
        ...(open.length > 0 ? ['/allow [id] or /deny [id] [reason] answers.'] : []),
      ].join('\n'),
    };
  }

  async #retryDue(channel: string): Promise<string> {
    const at = await this.#parts.turns.retryAt(channel);
    return at === undefined ? '' : `, a retry is due in ${seconds(Math.max(0, at - this.#parts.now()))}`;
  }

  async #queue(channel: string, argument: string): Promise<ImmediateResult> {
    const { store, runtime, now } = this.#parts;
    if (argument.toLowerCase() === 'clear') {
      const waiting = await store.waitingOutlines(channel, maxTold);
      const commands = new Set(waiting.filter(({ kind }) => kind === 'command').map(({ id }) => id));
      return {
        cancels: [queueCleared(channel, now())],
        text: ({ cancelled }) => dropped(cancelled, commands),
      };
    }
    const mode = queueModes.find((known) => known === argument.toLowerCase());
    if (mode !== undefined) {
      const text = `Messages that come during a turn: ${mode}.`;
      return { text, change: { queueMode: mode } };
    }
    if (argument !== '') {
      const modes = queueModes.join('|');
      return { text: `/queue shows what waits; /queue clear drops it; /queue <${modes}> sets the mode.` };
    }
    const settings = await runtime.settings(channel, await store.channel(channel));
    const waiting = await store.countWaiting(channel);
    const first = await store.waiting(channel, 10);
    const running =
      this.#parts.turns.runningSince(channel) === undefined
        ? `Nothing is running${await this.#retryDue(channel)}`
        : 'A turn is running';
    const list = first.map((event, index) => `${index + 1}. ${preview(event)}`);
    if (waiting > first.length) list.push('…');
    const head = `${running}; ${waiting} waiting (mode: ${settings.queueMode}).`;
    return { text: [head, ...list].join('\n') };
  }
}

/** So many open questions are named. */
const maxShown = 10;

function contextInWords({ tokens, window }: ContextUsed): string {
  const percent = window === undefined ? '' : ` (${Math.round((100 * tokens) / window)} %)`;
  return `${grouped(tokens)}${window === undefined ? '' : ` of ${grouped(window)}`} tokens${percent}`;
}

function preview(event: StoredEvent): string {
  const line = event.text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`;
}

/** Whoever sends commands does not count them as messages. */
function dropped(cancelled: readonly string[], commands: ReadonlySet<string>): string {
  const ofCommands = cancelled.filter((id) => commands.has(id)).length;
  const messages = cancelled.length - ofCommands;
  const kinds = [
    ...(messages === 0 ? [] : [count(messages)]),
    ...(ofCommands === 0 ? [] : [ofCommands === 1 ? '1 command' : `${ofCommands} commands`]),
  ];
  return kinds.length === 0 ? 'Nothing was waiting.' : `Dropped: ${kinds.join(' and ')}.`;
}

function count(messages: number): string {
  return messages === 1 ? '1 message' : `${messages} messages`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
