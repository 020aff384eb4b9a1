import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { VendorName } from '../../src/backends/names.js';
import { cannotRun, foldResults, type VersionResults } from '../../src/lab/compatibility.js';
import { makeHome } from '../../src/lab/home.js';
import { installCli, isCliInstalled, pinnedVersions, removeCli } from '../install-cli.js';
import type { KeptResultsFile } from './kept-results.js';
import { latestVersion, publishedVersions } from './registry.js';
import { chooseReleases } from './releases.js';
import { summarise, vet } from './vet.js';

export interface HistoryOptions {
  readonly months: number;
  /** The CLIs, and where a version is given, that one only. */
  readonly clis: readonly { readonly name: VendorName; readonly version?: string }[];
  /** Keeps the installed versions in the cache. Otherwise those that this run has installed are removed. */
  readonly keep: boolean;
  /** Leaves out the versions that have run today already. */
  readonly resume: boolean;
  readonly kept: KeptResultsFile;
}

/** Drives the releases of the last months through all scenarios. Each version's results are kept as they come. */
export async function runHistory({ months, clis, keep, resume, kept }: HistoryOptions): Promise<void> {
  for (const { name, version: only } of clis) {
    const also = [pinnedVersions[name], latestVersion(name)];
    const window = chooseReleases(publishedVersions(name), { months, now: new Date(), also });
    kept.keepOnly(name, window);
    for (const version of window.filter((version) => only === undefined || only === version)) {
      if (resume && kept.read()[name]?.[version]?.ranOn === today()) continue;
      console.log(`\n${name} ${version}`);
      const wasThere = isCliInstalled(name, version);
      kept.put(name, version, await drive(name, version));
      if (!keep && !wasThere) removeCli(name, version);
    }
  }
}

async function drive(name: VendorName, version: string): Promise<VersionResults> {
  let path: string;
  try {
    path = installCli(name, version);
    await start(name, path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.log(`can’t run: ${reason}`);
    return cannotRun(reason, today());
  }
  // A busy machine is no broken CLI: in half an hour something else may run too.
  const vetted = await vet([{ name, version, path }], { retries: 1 });
  summarise(vetted);
  return foldResults(
    vetted.flatMap(({ results }) => results),
    today(),
  );
}

/** Rejects if the program does not even tell its version: it is of another platform, or needs another Node. */
async function start(name: VendorName, path: string): Promise<void> {
  const home = await makeHome(name, 'http://127.0.0.1:9');
  try {
    await promisify(execFile)(path, ['--version'], { env: home.env, cwd: home.workingDir, timeout: 60_000 });
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    const said = stderr.trim().split('\n').at(-1);
    throw new Error(`it does not start: ${said || message}`, { cause: error });
  } finally {
    await home.remove();
  }
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
