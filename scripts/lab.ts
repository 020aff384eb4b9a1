// `npm run lab [-- --cli codex@0.166.0] [--only scenario,…] [--record]`: installs the pinned CLIs outside the package
// and drives each through every scenario. All four at their pinned versions: docs/compatibility.md is written.

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BackendName, backendNames } from '../src/backends/registry.js';
import { compatibilityPage, type VettedCli } from '../src/lab/compatibility.js';
import { type FaceName, faceNames } from '../src/lab/faces.js';
import { runScenarios, type ScenarioResult } from '../src/lab/run-scenarios.js';
import { scenarios } from '../src/lab/scenarios/table.js';
import { installCli, pinnedVersions } from './install-cli.js';
import { record } from './record.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    cli: { type: 'string', multiple: true },
    only: { type: 'string' },
    face: { type: 'string' },
    record: { type: 'boolean' },
  },
});

const wanted = (values.cli ?? [...backendNames]).map(parseCli);
const chosen =
  values.only === undefined ? scenarios : scenarios.filter(({ id }) => values.only?.split(',').includes(id));
if (chosen.length === 0)
  fail(`No scenario is called ${values.only}. There are: ${scenarios.map(({ id }) => id).join(', ')}`);

const start = Date.now();
const installed = wanted.map((cli) => ({ ...cli, path: installCli(cli.name, cli.version) }));
if (values.record) {
  for (const { name, version, path } of installed) {
    console.log(`${name}: ${await record(name, version, path)} recordings`);
  }
  process.exit(0);
}
const faces = faceNames.filter((face) => values.face === undefined || values.face === face);
if (faces.length === 0) fail(`There is no face ${values.face}: ${faceNames.join(', ')}.`);
// The slowest one first, so that it is not left alone at the end.
const jobs = installed.toReversed().flatMap((cli) => faces.map((face) => ({ ...cli, face })));
const results = (await inLanes(2, jobs, vet)).flat();
const vetted = installed.map(
  ({ name, version }): VettedCli => ({
    cli: name,
    version,
    results: results.filter(({ cli }) => cli === name),
  }),
);
const count = (state: ScenarioResult['state']) => results.filter((result) => result.state === state).length;

const whole = values.cli === undefined && values.only === undefined && values.face === undefined;
if (whole) writeFileSync(join(root, 'docs/compatibility.md'), compatibilityPage(vetted, scenarios));
for (const { cli, face, scenario, reason, advice } of results.filter(({ state }) => state === 'failed')) {
  console.log(`\nFAILED ${cli} · ${scenario} (${face})\n  ${reason}\n  ${advice}`);
}
console.log(`\nlab: ${Math.round((Date.now() - start) / 1000)} s`);
console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
process.exitCode = count('failed') === 0 ? 0 : 1;

async function vet({
  name,
  path,
  face,
}: {
  name: BackendName;
  path: string;
  face: FaceName;
}): Promise<readonly ScenarioResult[]> {
  return runScenarios({
    cli: name,
    cliPath: path,
    scenarios: chosen,
    retries: process.env['CI'] ? 1 : 0,
    faces: [face],
    turnout: [process.execPath, join(root, 'dist/cli/main.js')],
    onResult: ({ scenario, face, state, milliseconds, reason }) =>
      console.log(
        `${state.padEnd(7)} ${name.padEnd(8)} ${scenario.padEnd(20)} ${face.padEnd(7)} ${(milliseconds / 1000).toFixed(1).padStart(5)} s${state === 'passed' ? '' : `  ${reason}`}`,
      ),
  });
}

/** Heavy work on few cores: two jobs at a time. */
async function inLanes<T, R>(
  lanes: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const done: R[] = [];
  const queue = [...items.entries()];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        done[next[0]] = await work(next[1]);
    }),
  );
  return done;
}

function parseCli(raw: string): { name: BackendName; version: string } {
  const [name = '', version] = raw.split('@');
  const known = backendNames.find((candidate) => candidate === name);
  if (known === undefined)
    fail(`Unknown CLI ${raw}. Expected ${backendNames.join(', ')}, with or without @version.`);
  return { name: known, version: version ?? pinnedVersions[known] };
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
