import { backendNames } from '../../backends/registry.js';
import type { StoredTurn, ToolRecord } from '../../store/rows.js';
import type { AbandonedTurn, Lease, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import { begunTools } from './tools-begun.js';
import { missedSteps, type TurnOutputs } from './turn-outputs.js';
import { abandoned, type Settlement, stoppedBeforeCrash } from './verdicts.js';

export interface RecoveryParts {
  readonly store: Store;
  readonly runtime: AgentRuntime;
  readonly outputs: TurnOutputs;
  readonly now: () => number;
}

/** Settles a turn whose gateway has died, from the journal and from what its agent had printed. */
export async function recoverTurn(
  { lease, turn, events }: AbandonedTurn,
  parts: RecoveryParts,
): Promise<Settlement> {
  const { store, now } = parts;
  const pending = await store.pendingPermissions();
  const asked = pending.filter(({ turnId }) => turnId === turn.id);
  const begun = begunTools(await toolsOf(lease, turn, parts), asked);
  if (turn.stopReason !== undefined) return stoppedBeforeCrash(turn.stopReason, begun, now());
  // The event counts, not the turn: a turn that was killed before it could ask again has asked nothing itself.
  const isAsking = pending.some(({ eventId }) => turn.eventIds.includes(eventId));
  const crashes = Math.max(0, ...events.map((event) => event.crashes));
  return abandoned({ begun, isAsking, crashes, at: now() });
}

/** The tools of the journal, and those that the agent announced after the gateway had died. */
async function toolsOf(
  lease: Lease,
  turn: StoredTurn,
  { store, runtime, outputs, now }: RecoveryParts,
): Promise<readonly ToolRecord[]> {
  const backend = backendNames.find((name) => name === turn.setup?.backend);
  if (backend === undefined) return turn.tools;
  const printed = runtime.agents.adapter(backend).decode?.(outputs.lines(turn.id));
  const { tools, entries } = await missedSteps(turn.tools, printed, now());
  for (const entry of entries) await store.journal(lease, entry);
  return tools;
}
