import { insteadOfThinking } from '../../backends/launch/thinking.js';
import type { EventBackend } from '../../backends/types.js';
import { whyUnusable } from '../../backends/why-unusable.js';
import { isModelName, modelNameExpected } from '../../config/formats.js';
import { TurnoutError } from '../../core/errors.js';
import { parseThinking } from '../../core/thinking.js';
import type { AgentChoice } from '../../store/rows.js';
import type { ChannelChange, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';

/**
 * The change of the channel for a message that asks for an agent; undefined if that agent answers there already. Rejects, as
 * /backend, /model and /thinking refuse, if it can't be used.
 */
export async function agentChange(
  { runtime, store }: { readonly runtime: AgentRuntime; readonly store: Pick<Store, 'channel'> },
  channel: string,
  wanted: AgentChoice,
): Promise<ChannelChange | undefined> {
  const stored = await store.channel(channel);
  const current = await runtime.settings(channel, stored);
  const adapter = runtime.agents.find(wanted.backend ?? current.backend);
  if (adapter === undefined)
    throw new TurnoutError('bad_request', `There is no backend ${JSON.stringify(wanted.backend)}.`);
  const backend = adapter.name();
  const isOther = backend !== current.backend;
  if (isOther) {
    const missing = await whyUnusable(adapter);
    if (missing !== undefined) throw new TurnoutError('not_installed', missing);
    const restrictions = runtime.checkRestrictions({ ...current, backend });
    if (restrictions.type === 'refused') throw new TurnoutError('bad_request', restrictions.text);
  }
  const model = checkModel(wanted.model);
  const thinking = wanted.thinking === undefined ? undefined : checkThinking(adapter, wanted.thinking);
  const change: ChannelChange = {
    // A model's name means nothing to another vendor, and a depth of thinking something else.
    ...(isOther ? { backend, model: null, thinking: null } : {}),
    ...(model === null && !isOther && stored.model !== undefined ? { model } : {}),
    // The name is for this vendor's CLI: the channel stays with it, whatever the settings say later.
    ...(model && (isOther || model !== current.model) ? { backend, model } : {}),
    ...(thinking !== undefined && (isOther || thinking !== String(current.thinking))
      ? { backend, thinking }
      : {}),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

function checkModel(model: string | null | undefined): string | null | undefined {
  if (!model || (isModelName(model) && !/\s/.test(model))) return model;
  throw new TurnoutError(
    'bad_request',
    `${JSON.stringify(model)} is no model: ${modelNameExpected}, and has no spaces.`,
  );
}

function checkThinking(adapter: EventBackend, wanted: string): string {
  const taken = adapter.capabilities.thinkingDepth ?? [];
  const value = parseThinking(wanted);
  const backend = adapter.name();
  const instead = value === undefined ? undefined : insteadOfThinking(backend, taken, value);
  if (value !== undefined && instead === undefined) return String(value);
  const depths = taken.filter((depth) => depth !== 'tokens').join(', ');
  throw new TurnoutError(
    'bad_request',
    taken.length === 0
      ? `${backend} can't be told how deep to think: its own settings decide.`
      : `${backend} has no depth of thinking ${JSON.stringify(wanted)}: it has ${depths}.`,
  );
}
