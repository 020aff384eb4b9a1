import { type BackendName, backendNames } from '../../backends/registry.js';
import { isModelName } from '../../config/formats.js';
import { TurnoutError } from '../../core/errors.js';
import type { UsageRow } from '../../store/rows.js';
import type { ChannelChange, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import { argumentRefusal, type Command, type QueuedCommand } from './parse-command.js';

/** The result of a command: a reply, perhaps with a change of the channel; or the prompt of earlier events, run again. */
export type CommandResult =
  | { readonly type: 'reply'; readonly text: string; readonly change?: ChannelChange | undefined }
  | { readonly type: 'prompt'; readonly text: string; readonly retried: readonly string[] };

export interface CommandParts {
  readonly store: Store;
  readonly runtime: AgentRuntime;
}

/** The chat commands of every kind of channel that wait in the queue like a prompt. */
export class ChatCommands {
  readonly #parts: CommandParts;

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  async run(command: QueuedCommand, channel: string): Promise<CommandResult> {
    const { name, argument } = command;
    switch (name) {
      case 'backend':
        return this.#backend(channel, argument);
      case 'model':
        return this.#model(channel, argument);
      case 'new':
        return refuseArgument(command) ?? this.#new();
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

  async #usage(channel: string): Promise<CommandResult> {
    const rows = await this.#parts.store.usage({ channel, by: 'backend' });
    if (rows.length === 0) return reply('No turn has been run here yet.');
    return reply(rows.map(usageLine).join('\n'));
  }
}

function reply(text: string): CommandResult {
  return { type: 'reply', text };
}

function refuseArgument(command: Command): CommandResult | undefined {
  const refusal = argumentRefusal(command);
  return refusal === undefined ? undefined : reply(refusal);
}

function usageLine(row: UsageRow): string {
  const cached = row.cachedInputTokens === 0 ? '' : ` (${row.cachedInputTokens} from a cache)`;
  const cost = row.costUsd === 0 ? '' : `, $${row.costUsd.toFixed(4)}`;
  const turns = row.turns === 1 ? '1 turn' : `${row.turns} turns`;
  return `${row.key}: ${turns}, ${row.inputTokens} tokens in${cached}, ${row.outputTokens} out${cost}`;
}
