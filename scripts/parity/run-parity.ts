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
  const [claude, codex] = await Promise.all([playVendor('claude'), playVendor('codex')]);
  const played = { claude, codex };
  return parityScenarios.map((scenario) => ({
    scenario,
    cells: Object.fromEntries(
      comparedWays.map((way) => [way, cellOf(scenario, way, played)]),
    ) as ParityRow['cells'],
  }));
}

type PlayedSides = Readonly<Record<SideName, Played>>;

/** One side after the other: both vendors at once are enough for a small machine. */
async function playVendor(vendor: Vendor): Promise<PlayedSides> {
  const cliPath = installCli(vendor);
  const comparable = parityScenarios.filter(({ notInSdk }) => notInSdk?.[vendor] === undefined);
  const alsoOneShot = comparable.filter(({ liveOnly }) => liveOnly === undefined);
  return {
    sdk: await playSide(vendor, 'sdk', cliPath, comparable),
    live: await playSide(vendor, 'live', cliPath, comparable),
    'one-shot': await playSide(vendor, 'one-shot', cliPath, alsoOneShot),
  };
}

function cellOf(scenario: ParityScenario, way: Compared, played: Record<Vendor, PlayedSides>): Cell {
  const [vendor, side] = way.split(' ') as [Vendor, 'live' | 'one-shot'];
  const reason = scenario.notInSdk?.[vendor] ?? (side === 'live' ? undefined : scenario.liveOnly);
  if (reason !== undefined) return { type: 'impossible', reason };
  const factsOf = (name: SideName) => played[vendor][name].get(scenario.id) ?? [];
  const comparison = compare(factsOf('sdk'), factsOf(side), declaredDifferences, way, scenario.id);
  return { type: 'compared', ...comparison };
}
