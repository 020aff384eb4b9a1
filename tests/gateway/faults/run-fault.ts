import { setTimeout as sleep } from 'node:timers/promises';
import type { Work } from '../kill/load.js';
import type { EventView } from '../kill/persistent-client.js';
import { type Outcome, runScenario } from '../kill/run-scenario.js';
import { quickAgent } from '../kill/scenarios.js';
import { type Fault, usualWork } from './faults.js';
import { Harm } from './harm.js';

export interface FaultOutcome extends Outcome {
  /** Answers of `/readyz` that were not true. */
  readonly untrueReadiness: readonly string[];
  /** The second gateways that began to listen beside the first one. */
  readonly secondOwners: readonly string[];
  /** The number of hostile messages. */
  readonly hostile: number;
  /** Those of them that did not end as failed. */
  readonly blocked: readonly string[];
  /** The starts of the gateway that failed while nothing could be written. */
  readonly restarts: number;
}

export interface HarmfulRun {
  readonly size: { readonly channels: number; readonly perChannel: number };
  work(index: number): Work;
  readonly pauseMs: number;
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly restartsAfterFailure?: boolean;
  readonly happen: Fault['happen'];
}

/** Sends a load through a gateway to which the fault happens. */
export function runFault(fault: Fault): Promise<FaultOutcome> {
  const works = usualWork(fault);
  return runWithHarm({
    size: { channels: 8, perChannel: 10 },
    work: (index) => works[index % works.length] ?? 'plain',
    pauseMs: 1200,
    settings: fault.settings,
    happen: fault.happen,
  });
}

/** Sends a load through a gateway that is harmed meanwhile. */
export async function runWithHarm(run: HarmfulRun): Promise<FaultOutcome> {
  const harm = new Harm();
  const ends: EventView[] = [];
  let restarts = 0;
  const quick = quickAgent(run.size, run.work, { pauseMs: run.pauseMs });
  const outcome = await runScenario({
    ...quick,
    settings: { ...quick.settings, ...run.settings },
    prepare: (around) => harm.prepare(around),
    cleanUp: () => harm.cleanUp(),
    disturb: (gateway, client) =>
      harm.watched(gateway, async () => {
        gateway.restartsAfterFailure = run.restartsAfterFailure ?? false;
        // It works by then.
        await gateway.address().then(() => sleep(500));
        await run.happen(harm, gateway, client);
        restarts = gateway.restarts;
        for (const event of harm.hostileEvents) ends.push(await client.ended(event));
      }),
  });
  return {
    ...outcome,
    restarts,
    untrueReadiness: harm.untrueReadiness,
    secondOwners: harm.secondOwners,
    hostile: ends.length,
    blocked: ends
      .filter(({ state }) => state !== 'failed')
      .map(({ eventId, state }) => `${eventId} ${state}`),
  };
}
