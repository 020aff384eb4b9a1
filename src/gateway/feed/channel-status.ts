import type { Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import type { ChannelStatus } from '../channels/types.js';

export interface StatusParts {
  readonly store: Store;
  readonly runtime: AgentRuntime;
  /** The tool that runs in the turn, if one does. */
  runningTool(channel: string): string | undefined;
}

/** So many of the waiting messages are shown. */
const shownWaiting = 50;

export async function channelStatus(channel: string, parts: StatusParts): Promise<ChannelStatus> {
  const { store, runtime } = parts;
  const state = await store.channel(channel);
  const settings = await runtime.settings(channel, state);
  const [turn, waiting, waitingCount, pending, firstPrompt, context, steers] = await Promise.all([
    store.runningTurn(channel),
    store.waitingOutlines(channel, shownWaiting),
    store.countWaiting(channel),
    store.pendingOutlines(channel),
    store.firstPrompt(channel),
    store.contextUsed(channel, settings.backend),
    settings.live && runtime.agents.steers(settings.backend),
  ]);
  const { backend, model, thinking, permissionMode, queueMode, cwd } = settings;
  return {
    channel,
    title: state.title,
    firstPrompt,
    archived: state.archived,
    ...{ backend, model, permissionMode, queueMode, steers, cwd },
    thinking: thinking === undefined ? undefined : String(thinking),
    context,
    running: turn === undefined ? undefined : { turn, tool: parts.runningTool(channel) },
    waiting,
    waitingCount,
    permissions: pending,
  };
}
