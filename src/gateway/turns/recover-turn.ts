import { backendNames } from '../../backends/registry.js';
import type { StoredTurn, ToolRecord } from '../../store/rows.js';
import type { AbandonedTurn, Lease, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import { describeTools, stillBegun } from './tools-begun.js';
import { missedSteps, type TurnOutputs } from './turn-outputs.js';
import type { Settlement } from './verdicts.js';

export interface RecoveryParts {
  readonly store: Store;
  readonly runtime: AgentRuntime;
  readonly outputs: TurnOutputs;
  readonly now: () => number;
}

/**
 * A message that was worked on in so many crashes of the gateway may be their cause. Far above what a machine that is
 * restarted often, or its operator's patience, comes to.
 */
export const maxCrashes = 20;

/** What to do about a turn whose gateway has died: once more when no tool had begun, else its channel is told. */
export async function recoverTurn(
  { lease, turn, events }: AbandonedTurn,
  parts: RecoveryParts,
): Promise<Settlement> {
  const { store, now } = parts;
  const pending = await store.pendingPermissions();
  const asked = pending.filter(({ turnId }) => turnId === turn.id);
  const begun = stillBegun(await toolsOf(lease, turn, parts), asked);
  // By the event: a turn that was killed before it could ask again has not asked itself.
  const isAsking = pending.some(({ eventId }) => turn.eventIds.includes(eventId));
  const crashes = Math.max(0, ...events.map((event) => event.crashes));
  const message = 'The gateway ended while this was being worked on.';
  const error = { code: 'crashed', message } as const;
  // What waits for somebody's answer does nothing meanwhile, and may wait through any number of restarts.
  if (begun.length === 0 && (isAsking || crashes < maxCrashes)) {
    const retry = { at: now(), notBefore: now(), error, free: true, crashed: !isAsking, events: [] };
    return { type: 'postpone', retry };
  }
  const why =
    begun.length > 0
      ? `${message} It is not repeated by itself, because tools had begun:\n${describeTools(begun)}`
      : `${message} That happened ${crashes + 1} times.`;
  const text = `${why}\nSend /retry to run it again.`;
  const messages = [{ role: 'system', text }] as const;
  return { type: 'finish', outcome: { at: now(), state: 'failed', error, messages, events: [] } };
}

/** The noted ones, and those that the agent had announced when there was nobody any more to note them. */
async function toolsOf(
  lease: Lease,
  turn: StoredTurn,
  { store, runtime, outputs, now }: RecoveryParts,
): Promise<readonly ToolRecord[]> {
  const backend = backendNames.find((name) => name === turn.setup?.backend);
  if (backend === undefined) return turn.tools;
  const said = runtime.agents.adapter(backend).decode?.(outputs.lines(turn.id));
  const { tools, entries } = await missedSteps(turn.tools, said, now());
  for (const entry of entries) await store.journal(lease, entry);
  return tools;
}
