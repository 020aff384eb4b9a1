import { type VendorName, vendorNames } from '../backends/names.js';
import type { ScenarioResult } from './run-scenarios.js';
import type { Scenario } from './scenario.js';

type State = ScenarioResult['state'];

/** The results of all scenarios with one version of one CLI, through all faces. */
export interface VersionResults {
  /** The day of the run, as 2026-11-17. */
  readonly ranOn: string;
  /** The reason, if the version could not be driven at all: it can't be installed, or it does not start. */
  readonly cannotRun?: string;
  readonly states: Readonly<Record<string, State>>;
  readonly reasons: readonly Reason[];
}

interface Reason {
  readonly scenario: string;
  readonly state: State;
  readonly reason: string;
}

/** All results that are kept, as in docs/compatibility.json. */
export type KeptResults = Readonly<Partial<Record<VendorName, Readonly<Record<string, VersionResults>>>>>;

/** Folds the results of one version: a scenario that fails through one face fails. */
export function foldResults(results: readonly ScenarioResult[], ranOn: string): VersionResults {
  const states: Record<string, State> = {};
  for (const { scenario, state } of results) {
    if (states[scenario] !== 'failed') states[scenario] = state;
  }
  const reasons = new Map<string, Reason>();
  for (const { scenario, state, reason = '' } of results) {
    if (state === 'passed') continue;
    const told = { scenario, state, reason: withoutTraces(reason) };
    reasons.set(JSON.stringify(told), told);
  }
  return { ranOn, states, reasons: [...reasons.values()] };
}

/** A version that could not be driven at all. */
export function cannotRun(reason: string, ranOn: string): VersionResults {
  return { ranOn, cannotRun: withoutTraces(reason), states: {}, reasons: [] };
}

/** Takes out what differs from machine to machine and from run to run: addresses, paths, ids. */
export function withoutTraces(text: string): string {
  return text
    .replaceAll(/https?:\/\/[^\s"'\\)]*/g, '(address)')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
    .replaceAll(/(?<![\w.:/])(?:\/[\w.@+-]+)+\/([\w.@+-]+)/g, '…/$1')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '(id)')
    .replaceAll(/\b(?:ses|msg|prt)_[0-9a-zA-Z]{20,}/g, '(id)');
}

/**
 * Writes the page that shows which version of which CLI passes which scenario: one table of the pinned versions, and one for
 * each CLI with all versions that results are kept of.
 */
export function compatibilityPage(
  kept: KeptResults,
  pinned: Readonly<Record<VendorName, string>>,
  scenarios: readonly Scenario[],
): string {
  const today = vendorNames.flatMap((cli) => column(`${cli} ${pinned[cli]}`, kept[cli]?.[pinned[cli]]));
  return [
    '# Compatibility',
    '',
    'Written by `npm run lab`: the vendors’ own CLIs, driven through `turnout run` and through the library against a',
    'scripted model on loopback. Vet another version with `npm run lab -- --cli codex@<version>`.',
    '',
    'A version is **vetted** if it passed every scenario below that its CLI can do, through both ways, before a release of',
    'Turnout, and is then listed in `src/backends/launch/vetted-versions.json`; the first one is pinned: it is the one that',
    'every message names to install. Another version may work as well: turns with it carry a notice, until',
    '`turnout doctor --deep` has passed with it on your machine, which is remembered in `checked-versions.json` in',
    '`TURNOUT_HOME`.',
    '',
    '## The pinned versions',
    '',
    table(
      today,
      scenarios.map(({ id, title }) => [id, `**${id}**: ${title}`]),
    ),
    '',
    ...reasonsOf(today),
    '## Older and newer ones',
    '',
    'Written by `npm run lab -- --history 6`: the newest release of each of the last six months, the pinned one, and the',
    'one that was the newest on the day of the run.',
    '',
    ...vendorNames.flatMap((cli) => history(cli, kept[cli] ?? {}, scenarios)),
  ].join('\n');
}

interface Column {
  readonly name: string;
  readonly results: VersionResults;
}

function column(name: string, results: VersionResults | undefined): readonly Column[] {
  return results === undefined ? [] : [{ name, results }];
}

function history(
  cli: VendorName,
  versions: Readonly<Record<string, VersionResults>>,
  scenarios: readonly Scenario[],
): readonly string[] {
  const columns = Object.entries(versions).flatMap(([version, results]) => column(version, results));
  if (columns.length === 0) return [];
  const rows = scenarios.map(({ id }) => [id, id] as const);
  return [`### ${cli}`, '', table(columns, rows), '', ...reasonsOf(columns)];
}

function table(
  columns: readonly Column[],
  scenarios: readonly (readonly [id: string, title: string])[],
): string {
  const header = ['scenario', ...columns.map(({ name }) => name)];
  const rows = scenarios.map(([id, title]) => [title, ...columns.map(({ results }) => cell(results, id))]);
  return [header, header.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

function cell({ cannotRun, states }: VersionResults, scenario: string): string {
  if (cannotRun !== undefined) return 'can’t run';
  const state = states[scenario];
  return state === undefined
    ? 'not run'
    : { passed: 'yes', failed: '**fails**', skipped: 'not possible' }[state];
}

/** The reasons, one line for each: what many scenarios or versions share is told once. */
function reasonsOf(columns: readonly Column[]): readonly string[] {
  const namesOf = new Map<string, Set<string>>();
  for (const { name, results } of columns) {
    for (const told of tellReasons(results)) addTo(namesOf, told, name);
  }
  const lines = [...namesOf].map(([told, names]) => `- ${[...names].join(', ')}: ${told}`);
  return lines.length === 0 ? [] : ['What does not hold, and why:', '', ...lines, ''];
}

function tellReasons({ cannotRun, reasons }: VersionResults): readonly string[] {
  if (cannotRun !== undefined) return [`can’t run: ${oneLine(cannotRun)}`];
  const scenariosOf = new Map<string, Set<string>>();
  for (const { scenario, state, reason } of reasons)
    addTo(scenariosOf, `(${state}): ${oneLine(reason)}`, scenario);
  return [...scenariosOf].map(([told, scenarios]) => `${[...scenarios].join(', ')} ${told}`);
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
