import { installCli } from '../install-cli.js';
import { type Comparison, compare } from './compare.js';
import { type Compared, declaredDifferences } from './declared.js';
import { type Played, playSide } from './play-side.js';
import type { ParityScenario } from './scenario.js';
import { parityScenarios } from './scenarios.js';
import type { SideName, Vendor } from './side.js';

export const comparedWays: readonly Compared[] = [
  'claude live',
  'claude one-shot',
  'codex live',
  'codex one-shot',
];

/** One cell of the table. */
export type Cell =
  | ({ readonly type: 'compared' } & Comparison)
  | { readonly type: 'impossible'; readonly reason: string };

export interface ParityRow {
  readonly scenario: ParityScenario;
  readonly cells: Readonly<Record<Compared, Cell>>;
}

/** Every scenario through the vendors' SDKs and through Turnout, compared. */
export async function runParity(): Promise<readonly ParityRow[]> {
  const played = await playAll();
  return parityScenarios.map((scenario) => ({
    scenario,
    cells: Object.fromEntries(
      comparedWays.map((way) => [way, cellOf(scenario, way, played)]),
    ) as ParityRow['cells'],
  }));
}

type PlayedSides = ReadonlyMap<`${Vendor} ${SideName}`, Played>;

/** The slow ones first. */
const sides: readonly (readonly [Vendor, SideName])[] = [
  ['claude', 'sdk'],
  ['claude', 'one-shot'],
  ['codex', 'sdk'],
  ['claude', 'live'],
  ['codex', 'one-shot'],
  ['codex', 'live'],
];

/** Two at a time: heavy work on few cores. */
async function playAll(): Promise<PlayedSides> {
  const played = new Map<`${Vendor} ${SideName}`, Played>();
  const queue = [...sides];
  const lane = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [vendor, side] = next;
      const possible = parityScenarios.filter((scenario) => whyNot(scenario, vendor, side) === undefined);
      played.set(`${vendor} ${side}`, await playSide(vendor, side, installCli(vendor), possible));
    }
  };
  await Promise.all([lane(), lane()]);
  return played;
}

function whyNot({ notInSdk, liveOnly }: ParityScenario, vendor: Vendor, side: SideName): string | undefined {
  return notInSdk?.[vendor] ?? (side === 'one-shot' ? liveOnly : undefined);
}

function cellOf(scenario: ParityScenario, way: Compared, played: PlayedSides): Cell {
  const [vendor, side] = way.split(' ') as [Vendor, SideName];
  const reason = whyNot(scenario, vendor, side);
  if (reason !== undefined) return { type: 'impossible', reason };
  const factsOf = (name: SideName) => played.get(`${vendor} ${name}`)?.get(scenario.id) ?? [];
  const comparison = compare(factsOf('sdk'), factsOf(side), declaredDifferences, way, scenario.id);
  return { type: 'compared', ...comparison };
}
