import type { Store } from '../store/store.js';
import type { Agents } from './agents/agents.js';
import { type Counter, type Histogram, Metrics } from './metrics.js';
import type { EventQueue } from './queue/event-queue.js';
import type { Settlement } from './turns/verdicts.js';

/** The counts that `/metrics` shows of the gateway's work. */
export class GatewayMetrics {
  readonly registry = new Metrics();
  readonly #received: Counter;
  readonly #turns: Counter;
  readonly #seconds: Histogram;
  readonly #tokens: Counter;
  readonly #cost: Counter;

  constructor() {
    const { registry } = this;
    this.#received = registry.counter('turnout_messages_received_total', 'Messages, by source.', {
      labelled: true,
    });
    this.#turns = registry.counter('turnout_turns_total', 'Turns, by how they ended.', { labelled: true });
    this.#seconds = registry.histogram(
      'turnout_turn_seconds',
      'How long turns took.',
      [0.1, 0.5, 1, 5, 15, 60, 300, 1800],
    );
    this.#tokens = registry.counter('turnout_tokens_total', 'Tokens, by direction.', { labelled: true });
    this.#cost = registry.counter('turnout_cost_usd_total', 'Cost, where a CLI tells it.');
  }

  /** Adds the numbers that are read whenever somebody asks for them. */
  addGauges(store: Store, queue: EventQueue, agents: Agents): void {
    const { registry } = this;
    registry.gauge('turnout_events', 'Events on disk, by state.', async () => {
      const { events } = await store.counts();
      return Object.entries(events).map(([state, count]) => [{ state }, count] as const);
    });
    registry.gauge('turnout_undelivered', 'Messages in the outbox.', async () => {
      return (await store.counts()).undelivered;
    });
    registry.gauge('turnout_permissions_pending', 'Permission requests without an answer.', async () => {
      return (await store.counts()).pendingPermissions;
    });
    registry.gauge('turnout_turns_running', 'Turns that run now.', () => queue.size);
    registry.gauge('turnout_cli_processes', 'Live processes of agent CLIs.', () => agents.processes);
    registry.gauge('turnout_resident_bytes', 'Memory of the gateway itself.', () =>
      process.memoryUsage.rss(),
    );
  }

  received(source: string): void {
    this.#received.inc({ source });
  }

  settled(settlement: Settlement, ms: number | undefined): void {
    const state = settlement.type === 'postpone' ? 'postponed' : settlement.outcome.state;
    this.#turns.inc({ state });
    if (ms !== undefined) this.#seconds.observe(ms / 1000);
    const { usage } = settlement.type === 'postpone' ? settlement.retry : settlement.outcome;
    this.#tokens.inc({ direction: 'in' }, usage?.inputTokens ?? 0);
    this.#tokens.inc({ direction: 'out' }, usage?.outputTokens ?? 0);
    this.#cost.inc({}, usage?.costUsd ?? 0);
  }
}
