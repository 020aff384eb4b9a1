import type { StoredPermission, StoredTurn } from '../../store/rows.js';
import type { AbandonedTurn, Store } from '../../store/store.js';
import type { AgentRuntime } from '../agent-runtime.js';
import { promptOf } from './prompt-of.js';
import { begunTools, hasOnlyRead } from './tools-begun.js';
import { type Begun, nothingBegun, toolsOnRecord } from './tools-on-record.js';
import { type MissedSteps, missedSteps, type TurnOutputs } from './turn-outputs.js';
import { abandoned, type Settlement, stoppedBeforeCrash } from './verdicts.js';

export interface RecoveryParts {
  readonly store: Store;
  readonly runtime: AgentRuntime;
  readonly outputs: TurnOutputs;
  readonly now: () => number;
}

/**
 * Settles a turn whose gateway has died, from the journal, from what its agent had printed, and from the agent's own record.
 * May be called again for the same turn when the store has failed, or the machine had run out of something.
 */
export async function recoverTurn(
  { lease, turn, events }: AbandonedTurn,
  parts: RecoveryParts,
  signal?: AbortSignal,
): Promise<Settlement> {
  const { store, outputs, now } = parts;
  const steps = await knownSteps(turn, parts, signal);
  if (steps.entries.length > 0) {
    // The output may be what fills the disk: its space is given back before anything is written.
    await outputs.condense(turn.id, steps.entries);
    await Promise.all(steps.entries.map((entry) => store.journal(lease, entry)));
  }
  const pending = await store.pendingOutlines(turn.channel);
  const questions = await store.questions(turn.id);
  const notAllowed = questions.filter(({ state, decision }) => state === 'pending' || decision === 'deny');
  // Only a prompt's own text is in the record: `/retry` runs another one's.
  const last = events.at(-1);
  const prompt = last?.kind === 'prompt' ? promptOf([last]) : '';
  // The event counts, not the turn: a turn that was killed before it could ask again has asked nothing itself.
  const isAsking = pending.some(({ eventId }) => turn.eventIds.includes(eventId));
  const begun =
    turn.stopReason === undefined
      ? await begunIn({ turn, steps, notAllowed, prompt, isAsking }, parts)
      : { begun: begunTools(steps.tools, notAllowed) };
  // All this may have taken long, and somebody may have stopped the turn meanwhile.
  const stopReason = (await store.running(turn.channel)).find(({ id }) => id === turn.id)?.stopReason;
  if (stopReason !== undefined) return stoppedBeforeCrash(stopReason, begun.begun, now());
  const crashes = Math.max(0, ...events.map((event) => event.crashes));
  return abandoned({ ...begun, isAsking, crashes, at: now() });
}

interface Recovered {
  readonly turn: StoredTurn;
  readonly steps: MissedSteps;
  /** The questions of the turn that nobody has answered with a yes. */
  readonly notAllowed: readonly StoredPermission[];
  readonly prompt: string;
  readonly isAsking: boolean;
}

async function begunIn(recovered: Recovered, parts: RecoveryParts): Promise<Begun> {
  const { turn, steps, notAllowed, prompt, isAsking } = recovered;
  const { runtime, outputs, now } = parts;
  const { tools, answered, sessionId } = steps;
  const begun = begunTools(tools, notAllowed);
  // Without a setup the agent was not asked.
  if (turn.setup === undefined) return { begun };
  const reading = isAsking ? runtime.agents.find(turn.setup.backend)?.readingTools : undefined;
  const leaveOut = hasOnlyRead(tools, begun, reading) ? reading : undefined;
  if (begun.length > 0 && leaveOut === undefined) return { begun };
  if (outputs.hasToolNote(turn.id))
    return { begun: [], doubt: 'one was announced when the disk took no notes' };
  if (answered) return nothingBegun;
  // What a one-shot agent prints is in a file, and one that asks begins nothing without an answer, which is on disk.
  const unheard = turn.setup.live && turn.setup.asks !== true;
  const look = { turn, sessionId, notAllowed, known: tools, prompt, unheard, now: now(), leaveOut };
  return toolsOnRecord(look, runtime.agents);
}

/** The steps of the journal, and those that the agent printed after the gateway had died. */
async function knownSteps(
  turn: StoredTurn,
  { runtime, outputs, now }: RecoveryParts,
  signal: AbortSignal | undefined,
): Promise<MissedSteps> {
  const adapter = turn.setup && runtime.agents.find(turn.setup.backend);
  if (adapter === undefined) return { tools: turn.tools, entries: [], answered: false };
  const printed = outputs.events(turn.id, (lines) => adapter.decode?.(lines), signal);
  return missedSteps(turn.tools, printed, now());
}
