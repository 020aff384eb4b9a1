import { backendNames } from '../backends/registry.js';
import type { StoredTurn, ToolRecord } from '../store/records.js';
import type { AbandonedTurn, Lease, Store } from '../store/types.js';
import type { AgentRuntime } from './agent-runtime.js';
import { maxRetries } from './attempt.js';
import type { Settlement } from './settlement.js';
import { describeTools, stillBegun } from './tools-begun.js';
import { missedSteps, type TurnOutputs } from './turn-outputs.js';

export interface RecoveryParts {
  readonly store: Store;
  readonly runtime: AgentRuntime;
  readonly outputs: TurnOutputs;
  readonly now: () => number;
}

/** What to do about a turn whose gateway has died: once more when no tool had begun, else its channel is told. */
export async function recoverTurn(
  { lease, turn, events }: AbandonedTurn,
  parts: RecoveryParts,
): Promise<Settlement> {
  const { store, now } = parts;
  const pending = (await store.pendingPermissions()).filter((asked) => asked.turnId === turn.id);
  const begun = stillBegun(await toolsOf(lease, turn, parts), pending);
  const attempts = Math.max(0, ...events.map((event) => event.attempts));
  const message = 'The gateway ended while this was being worked on.';
  const error = { code: 'crashed', message } as const;
  if (begun.length === 0 && attempts <= maxRetries) {
    return { type: 'postpone', retry: { at: now(), notBefore: now(), error, events: [] } };
  }
  const why =
    begun.length > 0
      ? `${message} It is not repeated by itself, because tools had begun:\n${describeTools(begun)}`
      : `${message} That happened ${attempts} times.`;
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
