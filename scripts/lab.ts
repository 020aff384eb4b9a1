// `npm run lab`: installs the pinned CLIs outside the package, drives each through every scenario, and writes their columns of
// docs/compatibility.md. docs/lab.md tells the options.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type VendorName, vendorNames } from '../src/backends/registry.js';
import { foldResults } from '../src/lab/compatibility.js';
import { faceNames } from '../src/lab/faces.js';
import { scenarios } from '../src/lab/scenarios/table.js';
import { installCli, pinnedVersions } from './install-cli.js';
import { runHistory, today } from './lab/history.js';
import { KeptResultsFile } from './lab/kept-results.js';
import { runLatest } from './lab/latest.js';
import { type InstalledCli, summarise, vet } from './lab/vet.js';
import { record } from './record.js';

const { values } = parseArgs({
  options: {
    cli: { type: 'string', multiple: true },
    only: { type: 'string' },
    face: { type: 'string' },
    record: { type: 'boolean' },
    history: { type: 'string' },
    latest: { type: 'boolean' },
    keep: { type: 'boolean', default: false },
    continue: { type: 'boolean', default: false },
  },
});

const start = Date.now();
const clis = (values.cli ?? [...vendorNames]).map(parseCli);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vettedFile = join(root, 'src/backends/launch/vetted-versions.json');
const kept = new KeptResultsFile(join(root, 'docs'), pinnedVersions, scenarios, vettedFile);
const retries = process.env['CI'] ? 1 : 0;

if (values.history !== undefined) {
  const months = Number(values.history);
  if (!Number.isInteger(months) || months < 1) fail('--history takes a number of months, such as 6.');
  await runHistory({ months, clis, keep: values.keep, resume: values.continue, kept });
} else if (values.latest) {
  const same = await runLatest({ clis, keep: values.keep });
  process.exitCode = same ? 0 : 1;
} else if (values.record) {
  for (const { name, version, path } of clis.map(install))
    console.log(`${name}: ${await record(name, version, path)} recordings`);
} else {
  await vetOnce();
}
console.log(`\nlab: ${Math.round((Date.now() - start) / 1000)} s`);

/** Drives one version of each CLI. A run of all scenarios through all faces updates the column of its version. */
async function vetOnce(): Promise<void> {
  const chosen =
    values.only === undefined
      ? scenarios
      : scenarios.filter(({ id }) => values.only?.split(',').includes(id));
  if (chosen.length === 0)
    fail(`No scenario is called ${values.only}. There are: ${scenarios.map(({ id }) => id).join(', ')}`);
  const faces = faceNames.filter((face) => values.face === undefined || values.face === face);
  if (faces.length === 0) fail(`There is no face ${values.face}: ${faceNames.join(', ')}.`);
  const vetted = await vet(clis.map(install), { scenarios: chosen, faces, retries });
  if (values.only === undefined && values.face === undefined) {
    for (const { name, version, results } of vetted)
      if (kept.hasColumn(name, version)) kept.put(name, version, foldResults(results, today()));
  }
  if (summarise(vetted) > 0) process.exitCode = 1;
}

function install({ name, version = pinnedVersions[name] }: ChosenCli): InstalledCli {
  return { name, version, path: installCli(name, version) };
}

interface ChosenCli {
  readonly name: VendorName;
  readonly version?: string;
}

function parseCli(raw: string): ChosenCli {
  const [name = '', version] = raw.split('@');
  const known = vendorNames.find((candidate) => candidate === name);
  if (known === undefined)
    fail(`Unknown CLI ${raw}. Expected ${vendorNames.join(', ')}, with or without @version.`);
  return version === undefined ? { name: known } : { name: known, version };
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
