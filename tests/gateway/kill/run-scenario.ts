import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { judge, type Verdict } from './judge.js';
import { type Load, type SentMessage, sendAll } from './load.js';
import { type Death, MortalGateway, type Surroundings } from './mortal-gateway.js';
import { type EventView, type MessageView, PersistentClient } from './persistent-client.js';
import { seeded } from './seeded.js';

export interface Scenario {
  readonly load: Load;
  readonly settings: Readonly<Record<string, string>>;
  readonly deaths: readonly Death[];
  /** The actions of a person beside sending messages, until the signal is aborted. */
  attend?(client: PersistentClient, signal: AbortSignal): Promise<void>;
  /** Makes the gateway's surroundings what they should be, before its first life; gives further variables for it. */
  prepare?(around: Surroundings): Readonly<Record<string, string>>;
  /** Harms the gateway while it works, and undoes it. Runs beside the load, which is judged when both are over. */
  disturb?(gateway: MortalGateway, client: PersistentClient): Promise<void>;
  /** Undoes what `prepare` did. */
  cleanUp?(): void;
  answers(message: MessageView, sent: readonly SentMessage[]): readonly string[];
}

export interface Outcome extends Verdict {
  readonly kills: number;
  /** The processes that are alive after the gateway was stopped. */
  readonly processesLeft: readonly string[];
  /** The temporary files that nobody will use any more. */
  readonly filesLeft: readonly string[];
  readonly undelivered: number;
  /** The gateway's log, to find the cause of a failure. */
  readonly log: string;
}

/** Sends the load through a gateway that dies as planned, and collects the outcome. */
export async function runScenario(scenario: Scenario): Promise<Outcome> {
  const gateway = await MortalGateway.start(scenario.deaths, scenario.settings, scenario.prepare);
  try {
    const client = new PersistentClient(gateway);
    const over = new AbortController();
    const attending = scenario.attend?.(client, over.signal);
    const [sent] = await Promise.all([
      sendAll(client, scenario.load, seeded(1)),
      scenario.disturb?.(gateway, client),
    ]);
    const undelivered = await untilSettled(client);
    over.abort();
    await attending;

    const eventIds = sent.flatMap(({ eventId, retries }) => [eventId, ...retries]);
    const channels = new Set(sent.map(({ channel }) => channel));
    const verdict = judge({
      sent,
      events: new Map<string, EventView>(
        await Promise.all(eventIds.map(async (id) => [id, await client.event(id)] as const)),
      ),
      conversations: new Map<string, readonly MessageView[]>(
        await Promise.all(
          [...channels].map(async (channel) => [channel, await client.messages(channel)] as const),
        ),
      ),
      agentLog: await readLines(join(gateway.around.agentDirectory, 'log')),
      answers: scenario.answers,
    });
    await gateway.stop();
    if (gateway.fault !== undefined) throw gateway.fault;
    return {
      ...verdict,
      kills: gateway.kills,
      processesLeft: started(gateway),
      filesLeft: await temporaryFiles(gateway.around.home),
      undelivered,
      log: (await readFile(gateway.around.log, 'utf8').catch(() => '')).slice(-20_000),
    };
  } finally {
    await gateway.stop();
    scenario.cleanUp?.();
    await gateway.remove();
  }
}

/**
 * Waits until nothing waits, runs, or is left in the outbox. Gives up after a minute, and returns the number
 * of undelivered messages.
 */
async function untilSettled(client: PersistentClient): Promise<number> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const metrics = await client.metrics().catch(() => new Map<string, number>());
    const value = (name: string) => metrics.get(name) ?? Number.NaN;
    const open = value('turnout_events{state="queued"}') + value('turnout_events{state="running"}');
    const undelivered = value('turnout_undelivered');
    if (open + undelivered === 0 || performance.now() > deadline) return undelivered;
    await sleep(50);
  }
}

async function temporaryFiles(home: string): Promise<readonly string[]> {
  const directories = ['tmp', 'turns'].map((name) => readdir(join(home, name)).catch(() => []));
  return (await Promise.all(directories)).flat();
}

async function readLines(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** Finds the living processes that were started here: by a mark in their environment, or by the directory in their arguments. */
function started({ mark, around }: MortalGateway): readonly string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        return environment.includes(mark) || command.includes(around.agentDirectory)
          ? [`${pid} ${command}`]
          : [];
      } catch {
        return [];
      }
    });
}
