import { backendNames } from '../../backends/registry.js';
import type { StoredPermission, StoredTurn } from '../../store/rows.js';
import type { AbandonedTurn, Lease, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import { begunTools } from './tools-begun.js';
import { type Begun, nothingBegun, toolsOnRecord } from './tools-on-record.js';
import { type MissedSteps, missedSteps, type TurnOutputs } from './turn-outputs.js';
import { abandoned, type Settlement } from './verdicts.js';

export interface RecoveryParts {
  readonly store: Store;
  readonly runtime: AgentRuntime;
  readonly outputs: TurnOutputs;
  readonly now: () => number;
}

/** Settles a turn whose gateway has died, from the journal, from what its agent had printed, and from the agent's record. */
export async function recoverTurn(
  { lease, turn, events }: AbandonedTurn,
  parts: RecoveryParts,
): Promise<Settlement> {
  const { store, now } = parts;
  const pending = await store.pendingPermissions();
  const questions = await store.questions(turn.id);
  const notAllowed = questions.filter(({ state, decision }) => state === 'pending' || decision === 'deny');
  // Only a prompt's own text is in the record: `/retry` runs another one's.
  const last = events.at(-1);
  const prompt = last?.kind === 'prompt' ? last.text : '';
  const begun = await begunIn({ lease, turn, notAllowed, prompt }, parts);
  // The event counts, not the turn: a turn that was killed before it could ask again has asked nothing itself.
  const isAsking = pending.some(({ eventId }) => turn.eventIds.includes(eventId));
  const crashes = Math.max(0, ...events.map((event) => event.crashes));
  return abandoned({ ...begun, isAsking, crashes, at: now() });
}

interface Recovered {
  readonly lease: Lease;
  readonly turn: StoredTurn;
  /** The questions of the turn that nobody has answered with a yes. */
  readonly notAllowed: readonly StoredPermission[];
  readonly prompt: string;
}

async function begunIn(recovered: Recovered, parts: RecoveryParts): Promise<Begun> {
  const { turn, notAllowed, prompt } = recovered;
  const { runtime, outputs, now } = parts;
  const { tools, answered, sessionId } = await knownSteps(recovered, parts);
  const begun = begunTools(tools, notAllowed);
  // Without a setup the agent was not asked.
  if (begun.length > 0 || turn.setup === undefined) return { begun };
  if (outputs.hasToolNote(turn.id)) return { begun, doubt: 'one was announced when the disk took no notes' };
  if (answered) return nothingBegun;
  return toolsOnRecord({ turn, sessionId, notAllowed, known: tools, prompt, now: now() }, runtime.agents);
}

/** The steps of the journal, and those that the agent printed after the gateway had died. */
async function knownSteps(
  { lease, turn }: Recovered,
  { store, runtime, outputs, now }: RecoveryParts,
): Promise<Omit<MissedSteps, 'entries'>> {
  const backend = backendNames.find((name) => name === turn.setup?.backend);
  if (backend === undefined) return { tools: turn.tools, answered: false };
  const printed = runtime.agents.adapter(backend).decode?.(outputs.lines(turn.id));
  const { entries, ...known } = await missedSteps(turn.tools, printed, now());
  for (const entry of entries) await store.journal(lease, entry);
  return known;
}
