import { backendNames } from '../../backends/registry.js';
import type { StoredTurn } from '../../store/rows.js';
import type { AbandonedTurn, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import { begunTools } from './tools-begun.js';
import { type MissedSteps, missedSteps, type TurnOutputs } from './turn-outputs.js';
import { abandoned, type Settlement, stoppedBeforeCrash } from './verdicts.js';

export interface RecoveryParts {
  readonly store: Store;
  readonly runtime: AgentRuntime;
  readonly outputs: TurnOutputs;
  readonly now: () => number;
}

/**
 * Settles a turn whose gateway has died, from the journal and from what its agent had printed. May be called again for the
 * same turn when the store has failed.
 */
export async function recoverTurn(
  { lease, turn, events }: AbandonedTurn,
  parts: RecoveryParts,
  signal?: AbortSignal,
): Promise<Settlement> {
  const { store, outputs, now } = parts;
  const { tools, entries } = await toolsOf(turn, parts, signal);
  if (entries.length > 0) {
    // The output may be what fills the disk: its space is given back before anything is written.
    await outputs.condense(turn.id, entries);
    await Promise.all(entries.map((entry) => store.journal(lease, entry)));
  }
  const pending = await store.pendingPermissions();
  const asked = pending.filter(({ turnId }) => turnId === turn.id);
  const begun = begunTools(tools, asked);
  if (turn.stopReason !== undefined) return stoppedBeforeCrash(turn.stopReason, begun, now());
  // The event counts, not the turn: a turn that was killed before it could ask again has asked nothing itself.
  const isAsking = pending.some(({ eventId }) => turn.eventIds.includes(eventId));
  const crashes = Math.max(0, ...events.map((event) => event.crashes));
  return abandoned({ begun, isAsking, crashes, at: now() });
}

/** The tools of the journal, and those that the agent announced after the gateway had died. */
async function toolsOf(
  turn: StoredTurn,
  { runtime, outputs, now }: RecoveryParts,
  signal: AbortSignal | undefined,
): Promise<MissedSteps> {
  const backend = backendNames.find((name) => name === turn.setup?.backend);
  if (backend === undefined) return { tools: turn.tools, entries: [] };
  const adapter = runtime.agents.adapter(backend);
  const printed = outputs.events(turn.id, (lines) => adapter.decode?.(lines), signal);
  return missedSteps(turn.tools, printed, now());
}
