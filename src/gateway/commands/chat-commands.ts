import { type BackendName, backendNames } from '../../backends/registry.js';
import { isModelName } from '../../config/formats.js';
import { queueModes } from '../../config/settings.js';
import { TurnoutError } from '../../core/errors.js';
import type { StoredEvent, UsageRow } from '../../store/rows.js';
import type { ChannelChange, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import type { SessionManager } from '../agents/session-manager.js';
import { queueCleared } from '../turns/verdicts.js';
import type { Command } from './parse-command.js';

/** The result of a command: a reply, perhaps with a change of the channel; or the prompt of earlier events, run again. */
export type CommandResult =
  | { readonly type: 'reply'; readonly text: string; readonly change?: ChannelChange | undefined }
  | { readonly type: 'prompt'; readonly text: string; readonly retried: readonly string[] };

export interface CommandParts {
  readonly store: Store;
  readonly runtime: AgentRuntime;
  readonly sessions: SessionManager;
  /** The queue's view of a channel's turns. */
  readonly turns: {
    runningSince(channel: string): number | undefined;
    /** The time when a message that has failed is tried again. */
    retryAt(channel: string): Promise<number | undefined>;
    stop(channel: string, by: string): Promise<boolean>;
  };
  readonly now: () => number;
}

/** The chat commands of every kind of channel. */
export class ChatCommands {
  readonly #parts: CommandParts;

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  async run(command: Command, channel: string): Promise<CommandResult> {
    const { name, argument } = command;
    switch (name) {
      case 'backend':
        return this.#backend(channel, argument);
      case 'model':
        return this.#model(channel, argument);
      case 'queue':
        return this.#queue(channel, argument);
      case 'new':
        return refuseArgument(command) ?? this.#new();
      case 'stop':
        return refuseArgument(command) ?? this.#stop(channel);
      case 'status':
        return refuseArgument(command) ?? this.#status(channel);
      case 'retry':
        return refuseArgument(command) ?? this.#retry(channel);
      case 'usage':
        return refuseArgument(command) ?? this.#usage(channel);
    }
  }

  async #backend(channel: string, wanted: string): Promise<CommandResult> {
    const { runtime, store } = this.#parts;
    const current = await runtime.settings(channel, await store.channel(channel));
    if (wanted === '') {
      return reply(`${current.backend} answers here. /backend <${backendNames.join('|')}> changes it.`);
    }
    const backend = backendNames.find((known) => known === wanted);
    if (backend === undefined) {
      return reply(`There is no backend ${JSON.stringify(wanted)}: choose ${backendNames.join(', ')}.`);
    }
    if (backend === current.backend) return reply(`${backend} answers here already.`);
    const missing = await this.#whyMissing(backend);
    if (missing !== undefined) return reply(`${current.backend} goes on answering. ${missing}`);
    const restrictions = runtime.checkRestrictions({ ...current, backend });
    if (restrictions.type === 'refused')
      return reply(`${current.backend} goes on answering. ${restrictions.text}`);
    const aloud = restrictions.type === 'dropped' ? ` ${restrictions.text}` : '';
    const text = `${backend} answers from here on, in place of ${current.backend}. It is told what was said so far.${aloud}`;
    // A model's name means nothing to another vendor.
    return { type: 'reply', text, change: { backend, model: null } };
  }

  async #whyMissing(backend: BackendName): Promise<string | undefined> {
    try {
      await this.#parts.runtime.agents.adapter(backend).locate();
      return undefined;
    } catch (error) {
      if (error instanceof TurnoutError) return error.explanation;
      throw error;
    }
  }

  async #model(channel: string, wanted: string): Promise<CommandResult> {
    const { runtime, store } = this.#parts;
    const current = await runtime.settings(channel, await store.channel(channel));
    const now = current.model ?? 'its own default';
    if (wanted === '') {
      return reply(`${current.backend} uses ${now}. /model <name> changes it, /model default takes it back.`);
    }
    if (/\s/.test(wanted)) return reply('A model’s name has no spaces: /model <name>.');
    if (!isModelName(wanted)) {
      return reply('A model’s name does not begin with "-": nothing was changed.');
    }
    if (wanted === 'default') {
      return { type: 'reply', text: 'The model is the default again.', change: { model: null } };
    }
    return {
      type: 'reply',
      text: `${current.backend} uses ${wanted} from here on.`,
      // The name is for this vendor's CLI: the channel stays with it, whatever the settings say later.
      change: { backend: current.backend, model: wanted },
    };
  }

  #new(): CommandResult {
    const text = 'A new conversation: what was said before is in the archive only.';
    return { type: 'reply', text, change: { newConversation: true } };
  }

  async #stop(channel: string): Promise<CommandResult> {
    const stopped = await this.#parts.turns.stop(channel, '/stop');
    const waiting = await this.#parts.store.countWaiting(channel);
    const rest = waiting === 0 ? '' : ` ${count(waiting)} still waiting: /queue clear drops them.`;
    return reply(stopped ? `Stopped.${rest}` : `Nothing is running here.${rest}`);
  }

  async #status(channel: string): Promise<CommandResult> {
    const { runtime, store, sessions, turns, now } = this.#parts;
    const settings = await runtime.settings(channel, await store.channel(channel));
    const session = await sessions.get(channel, settings.backend);
    const since = turns.runningSince(channel);
    const waiting = await store.countWaiting(channel);
    return reply(
      [
        `backend: ${settings.backend}${settings.live ? ' (live)' : ''}`,
        `model: ${settings.model ?? 'default'}`,
        `session: ${session?.sessionId ?? 'none yet'}`,
        `directory: ${settings.cwd}`,
        `turn: ${since === undefined ? `none${await this.#retryDue(channel)}` : `running for ${seconds(now() - since)}`}`,
        `waiting: ${waiting}`,
        `queue mode: ${settings.queueMode}`,
        `permissions: ${settings.permissionMode}`,
      ].join('\n'),
    );
  }

  async #retryDue(channel: string): Promise<string> {
    const at = await this.#parts.turns.retryAt(channel);
    return at === undefined ? '' : `, a retry is due in ${seconds(Math.max(0, at - this.#parts.now()))}`;
  }

  async #retry(channel: string): Promise<CommandResult> {
    const { store } = this.#parts;
    const event = await store.lastUnanswered(channel);
    if (event === undefined) return reply('There is nothing to try again: the last message was answered.');
    // Messages that were collected into one turn are tried again together.
    const ids = (await store.turns(event.id)).at(-1)?.eventIds ?? [event.id];
    const events = await Promise.all(ids.map((id) => store.event(id)));
    const texts = events.flatMap((one) => (one?.kind === 'prompt' ? [one.text] : []));
    return { type: 'prompt', text: texts.join('\n\n'), retried: ids };
  }

  async #queue(channel: string, argument: string): Promise<CommandResult> {
    const { store, runtime, now } = this.#parts;
    if (argument === 'clear') {
      const dropped = await store.cancelWaiting(queueCleared(channel, now()));
      return reply(dropped.length === 0 ? 'Nothing was waiting.' : `Dropped: ${count(dropped.length)}.`);
    }
    const mode = queueModes.find((known) => known === argument);
    if (mode !== undefined) {
      const text = `Messages that come during a turn: ${mode}.`;
      return { type: 'reply', text, change: { queueMode: mode } };
    }
    if (argument !== '') {
      return reply(
        `/queue shows what waits; /queue clear drops it; /queue <${queueModes.join('|')}> sets the mode.`,
      );
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
    return reply([head, ...list].join('\n'));
  }

  async #usage(channel: string): Promise<CommandResult> {
    const rows = await this.#parts.store.usage({ channel, by: 'backend' });
    if (rows.length === 0) return reply('No turn has been run here yet.');
    return reply(rows.map(usageLine).join('\n'));
  }
}

function reply(text: string): CommandResult {
  return { type: 'reply', text };
}

/** `/new feature: …` is more likely meant as a prompt than as a command: nothing is done. */
function refuseArgument({ name, argument }: Command): CommandResult | undefined {
  if (argument === '') return undefined;
  return reply(
    `/${name} takes nothing behind it, and nothing was done. To send this as a prompt, put a space in front.`,
  );
}

function usageLine(row: UsageRow): string {
  const cached = row.cachedInputTokens === 0 ? '' : ` (${row.cachedInputTokens} from a cache)`;
  const cost = row.costUsd === 0 ? '' : `, $${row.costUsd.toFixed(4)}`;
  const turns = row.turns === 1 ? '1 turn' : `${row.turns} turns`;
  return `${row.key}: ${turns}, ${row.inputTokens} tokens in${cached}, ${row.outputTokens} out${cost}`;
}

function preview(event: StoredEvent): string {
  const line = event.text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`;
}

function count(messages: number): string {
  return messages === 1 ? '1 message' : `${messages} messages`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
