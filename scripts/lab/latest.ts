import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { VendorName } from '../../src/backends/names.js';
import { installCli, isCliInstalled, pinnedVersions, removeCli } from '../install-cli.js';
import { playTakes, type Recording, readPinnedRecordings } from '../record.js';
import { compareVersionsOf, type Decoded, type Drift, onlyAdds } from './drift.js';
import { latestVersion } from './registry.js';
import { replay } from './replay.js';
import { type InstalledCli, summarise, vet } from './vet.js';

export interface LatestOptions {
  /** The CLIs, and where a version is given, that one instead of today's. */
  readonly clis: readonly { readonly name: VendorName; readonly version?: string }[];
  /** Keeps the installed versions in the cache. Otherwise those that this run has installed are removed. */
  readonly keep: boolean;
}

/**
 * Drives today's releases through all scenarios and through the tests of live sessions, and prints what they print
 * differently from the pinned recordings. Returns true if all is as before, or if the CLIs only print more than before.
 */
export async function runLatest({ clis, keep }: LatestOptions): Promise<boolean> {
  const wanted = clis.map(({ name, version = latestVersion(name) }) => ({
    name,
    version,
    wasThere: isCliInstalled(name, version),
  }));
  const installed = wanted.map(({ name, version }) => ({ name, version, path: installCli(name, version) }));
  try {
    // A busy machine is no drift.
    const failures = summarise(await vet(installed, { retries: 1 }));
    const live = await runLiveTests(installed);
    let same = true;
    for (const cli of installed) same = (await compareWithPinned(cli)) && same;
    return failures === 0 && live && same;
  } finally {
    for (const { name, version, wasThere } of wanted) if (!keep && !wasThere) removeCli(name, version);
  }
}

async function compareWithPinned({ name, version, path }: InstalledCli): Promise<boolean> {
  const before: Decoded[] = [];
  for (const recording of readPinnedRecordings(name)) before.push(await decode(recording));
  const after: Decoded[] = [];
  for await (const recording of playTakes(name, version, path)) after.push(await decode(recording));
  const drift = compareVersionsOf(before, after);
  console.log(`\n${name} ${pinnedVersions[name]} → ${version}: ${before.length} recordings compared`);
  for (const line of describeDrift(drift)) console.log(`  ${line}`);
  return onlyAdds(drift);
}

async function decode(recording: Recording): Promise<Decoded> {
  return { recording, events: await replay(recording) };
}

/** What changed, for a reader. */
export function describeDrift({ events, added, removed }: Drift): readonly string[] {
  return [
    ...(events.length === 0 ? ['The events are the same.'] : []),
    ...events.flatMap(({ scenario, diff }) => [
      `Other events in ${scenario}:`,
      ...diff.map((line) => `  ${line}`),
    ]),
    ...list('Printed since, and not read by Turnout:', '+', added),
    ...list('Printed no more:', '-', removed),
  ];
}

function list(title: string, mark: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${mark} ${line}`)];
}

/** The tests of live sessions, with these versions in place of the pinned ones. */
async function runLiveTests(clis: readonly InstalledCli[]): Promise<boolean> {
  const versions = Object.fromEntries(clis.map(({ name, version }) => [name, version]));
  const files = clis.map(({ name }) => `tests/real/${name}-live.real.ts`);
  const vitest = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.real.config.ts', '--retry=1', ...files],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: 'inherit',
      env: { ...process.env, TURNOUT_LAB_VERSIONS: JSON.stringify(versions) },
    },
  );
  const [code] = await once(vitest, 'close');
  return code === 0;
}
