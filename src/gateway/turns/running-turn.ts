import type { StoredEvent } from '../../store/rows.js';
import type { Lease } from '../../store/store.js';
import type { AgentTurn } from '../agents/agents.js';
import type { TurnTrees } from '../changes/snapshots.js';
import { Attempt } from './attempt.js';
import { ToolGate } from './tool-gate.js';
import { TurnJournal } from './turn-journal.js';
import type { Asked } from './untold-tools.js';
import type { WorkerParts } from './worker-parts.js';

/** What is known of a turn while its agent works. */
export interface RunningTurn {
  readonly lease: Lease;
  readonly event: StoredEvent;
  readonly attempt: Attempt;
  readonly gate: ToolGate;
  /** A hook that blocks a tool, or a limit, ends the turn like a person does. */
  readonly hookStop: AbortController;
  /** The signal is aborted when a hook, a person or the gateway ends the turn. */
  readonly stopping: AbortSignal;
  /** Messages that are being steered into the turn. */
  readonly steering: Set<Promise<unknown>>;
  readonly journal: TurnJournal;
  /** True while no person waits for the answer: all of its messages come from schedules. */
  mayStaySilent: boolean;
  /** Watches what the turn changes in its work tree. */
  trees?: TurnTrees;
  agent?: AgentTurn;
  asked?: Asked;
}

export function isScheduled({ source }: Pick<StoredEvent, 'source'>): boolean {
  return source === 'heartbeat' || source === 'cron';
}

/** The signal ends the turn from outside. */
export function beginTurn(
  lease: Lease,
  event: StoredEvent,
  signal: AbortSignal,
  parts: WorkerParts,
): RunningTurn {
  const attempt = new Attempt();
  const hookStop = new AbortController();
  const gate = new ToolGate(parts.hooks, { channel: lease.channel, eventId: event.id }, (reason) => {
    attempt.blocked ??= reason;
    hookStop.abort();
  });
  const stopping = AbortSignal.any([signal, hookStop.signal]);
  const journal = new TurnJournal(lease, parts, stopping);
  return {
    ...{ lease, event, attempt, gate, hookStop, stopping, steering: new Set(), journal },
    mayStaySilent: isScheduled(event),
  };
}
