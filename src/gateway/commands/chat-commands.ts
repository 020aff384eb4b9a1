import { insteadOfThinking } from '../../backends/launch/thinking.js';
import {
  type AnyBackendName,
  backendNames,
  findBackendName,
  guessBackendName,
} from '../../backends/registry.js';
import { whyUnusable } from '../../backends/why-unusable.js';
import { isModelName, modelNameExpected } from '../../config/formats.js';
import { TurnoutError } from '../../core/errors.js';
import { count } from '../../core/format.js';
import { parseThinking } from '../../core/thinking.js';
import type { UsageRow } from '../../core/usage-row.js';
import type { ChannelState, StoredEvent } from '../../store/rows.js';
import type { ChannelChange, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import { instructionsOf } from '../turns/instructions-of.js';
import { promptOf } from '../turns/prompt-of.js';
import { argumentRefusal, type Command, type QueuedCommand } from './parse-command.js';

/** The result of a command: a reply, perhaps with a change of the channel; or the prompt of earlier events, run again. */
export type CommandResult =
  | { readonly type: 'reply'; readonly text: string; readonly change?: ChannelChange | undefined }
  | {
      readonly type: 'prompt';
      readonly again: Pick<StoredEvent, 'text' | 'instructions'>;
      readonly retried: readonly string[];
    };

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
      case 'thinking':
        return this.#thinking(channel, argument);
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
    const stored = await store.channel(channel);
    const current = await runtime.settings(channel, stored);
    if (wanted === '') {
      const notice = await runtime.agents.versionNotice(current.backend);
      const text = `${current.backend} answers here. /backend <${backendNames().join('|')}> changes it.`;
      return reply(aloud(text, [notice]));
    }
    const backend = findBackendName(wanted);
    if (backend === undefined) {
      const valid = backendNames().join(', ');
      const guess = guessBackendName(wanted);
      const meant = guess === undefined ? '' : ` Did you mean ${guess}?`;
      return reply(`There is no backend ${JSON.stringify(wanted)}: choose ${valid}.${meant}`);
    }
    if (backend === current.backend) return reply(`${backend} answers here already.`);
    const missing = await this.#whyMissing(backend);
    if (missing !== undefined) return reply(`${current.backend} goes on answering. ${missing}`);
    const restrictions = runtime.checkRestrictions({ ...current, backend });
    if (restrictions.type === 'refused')
      return reply(`${current.backend} goes on answering. ${restrictions.text}`);
    const dropped = restrictions.type === 'dropped' ? restrictions.text : undefined;
    const text = `${backend} answers from here on, in place of ${current.backend}. It is told what was said so far.`;
    const notes = [
      ...[takenBack(current.backend, stored), dropped, runtime.agents.settingsLeftOut(backend)],
      await runtime.agents.versionNotice(backend),
    ];
    // A model's name means nothing to another vendor, and a depth of thinking something else.
    const change = { backend, model: null, thinking: null };
    return { type: 'reply', text: aloud(text, notes), change };
  }

  async #whyMissing(backend: AnyBackendName): Promise<string | undefined> {
    try {
      return await whyUnusable(this.#parts.runtime.agents.adapter(backend));
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
      return reply(`A${modelNameExpected.slice(1)}: nothing was changed.`);
    }
    if (wanted.toLowerCase() === 'default') {
      return { type: 'reply', text: 'The model is the default again.', change: { model: null } };
    }
    return {
      type: 'reply',
      text: `${current.backend} uses ${wanted} from here on.`,
      // The name is for this vendor's CLI: the channel stays with it, whatever the settings say later.
      change: { backend: current.backend, model: wanted },
    };
  }

  async #thinking(channel: string, wanted: string): Promise<CommandResult> {
    const { runtime, store } = this.#parts;
    const { backend, thinking = 'its own default' } = await runtime.settings(
      channel,
      await store.channel(channel),
    );
    const taken = runtime.agents.adapter(backend).capabilities.thinkingDepth ?? [];
    if (taken.length === 0)
      return reply(`${backend} can't be told how deep to think: its own settings decide.`);
    const values = taken.map((value) => (value === 'tokens' ? '<tokens>' : value)).join('|');
    if (wanted === '')
      return reply(
        `${backend} thinks at ${thinking}. /thinking <${values}> changes it, /thinking default takes it back.`,
      );
    if (wanted.toLowerCase() === 'default')
      return {
        type: 'reply',
        text: 'The depth of thinking is the default again.',
        change: { thinking: null },
      };
    const value = parseThinking(wanted);
    if (value === undefined || insteadOfThinking(backend, taken, value) !== undefined)
      return reply(
        `${backend} has no depth ${JSON.stringify(wanted)}: choose ${values}. Nothing was changed.`,
      );
    return {
      type: 'reply',
      text: `${backend} thinks at ${value} from here on.`,
      // The depth is one of this vendor's CLI: the channel stays with it, whatever the settings say later.
      change: { backend, thinking: String(value) },
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
    const prompts = events.filter((one) => one !== undefined).filter(({ kind }) => kind === 'prompt');
    const again = { text: promptOf(prompts), instructions: instructionsOf(prompts) };
    return { type: 'prompt', again, retried: ids };
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

function aloud(text: string, notes: readonly (string | undefined)[]): string {
  return [text, ...notes.filter((note) => note !== undefined)].join(' ');
}

/** Names what /model and /thinking have set for the backend that answered before. */
function takenBack(backend: AnyBackendName, set: ChannelState): string | undefined {
  const lost = [
    ...(set.model === undefined ? [] : [`/model ${set.model}`]),
    ...(set.thinking === undefined ? [] : [`/thinking ${set.thinking}`]),
  ];
  if (lost.length === 0) return undefined;
  const [was, is] = lost.length === 1 ? ['was', 'is'] : ['were', 'are'];
  return `${lost.join(' and ')} ${was} for ${backend} and ${is} taken back: set again what is wanted here.`;
}

function refuseArgument(command: Command): CommandResult | undefined {
  const refusal = argumentRefusal(command);
  return refusal === undefined ? undefined : reply(refusal);
}

function usageLine(row: UsageRow): string {
  const cached = row.cachedInputTokens === 0 ? '' : ` (${count(row.cachedInputTokens)} from a cache)`;
  const cost = row.costUsd === 0 ? '' : `, $${row.costUsd.toFixed(4)}`;
  const turns = row.turns === 1 ? '1 turn' : `${row.turns} turns`;
  return `${row.key}: ${turns}, ${count(row.inputTokens)} tokens in${cached}, ${count(row.outputTokens)} out${cost}`;
}
