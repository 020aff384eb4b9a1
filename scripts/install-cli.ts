import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BackendName, backends } from '../src/backends/registry.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The versions that the lab vets, and that the documents speak of. */
export const pinnedVersions: Readonly<Record<BackendName, string>> = JSON.parse(
  readFileSync(join(root, 'scripts/lab-versions.json'), 'utf8'),
);

/** The vendors' SDKs that Turnout is compared with. */
export type SdkName = '@anthropic-ai/claude-agent-sdk' | '@openai/codex-sdk';

export const pinnedSdkVersions: Readonly<Record<SdkName, string>> = JSON.parse(
  readFileSync(join(root, 'scripts/lab-sdk-versions.json'), 'utf8'),
);

/** The program of one CLI at one version, installed into a cache outside the package when it is not there yet. */
export function installCli(name: BackendName, version: string = pinnedVersions[name]): string {
  const { npmPackage, command } = backends[name];
  const program = join('node_modules', '.bin', command);
  return join(installPackage({ npmPackage, version, as: name, proof: program }), program);
}

/**
 * The directory of a vendor's SDK, in the same cache. Without the CLI that it brings along (200 MB each): it is to be
 * pointed at the one that Turnout drives.
 */
export function installSdk(npmPackage: SdkName, version: string = pinnedSdkVersions[npmPackage]): string {
  const module = join('node_modules', npmPackage);
  const as = npmPackage.replace(/^@.*\//, '');
  const flags = ['--omit=optional'];
  return join(
    installPackage({ npmPackage, version, as, proof: join(module, 'package.json'), flags }),
    module,
  );
}

interface WantedPackage {
  readonly npmPackage: string;
  readonly version: string;
  /** The name of its place in the cache. */
  readonly as: string;
  /** A file of it: it is there when it is installed. */
  readonly proof: string;
  readonly flags?: readonly string[];
}

/** An npm package at one version, in a directory of its own in the cache. */
export function installPackage({ npmPackage, version, as, proof, flags = [] }: WantedPackage): string {
  const cache = process.env['TURNOUT_LAB_CACHE'] ?? join(homedir(), '.cache', 'turnout-lab');
  const directory = join(cache, `${as}-${version}`);
  if (existsSync(join(directory, proof))) return directory;
  process.stderr.write(`lab: installing ${npmPackage}@${version} …\n`);
  // Under another name until it is complete: a broken install is never taken for a good one.
  const unfinished = `${directory}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'package.json'), '{"private": true}\n');
  const npm = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', ...flags, `${npmPackage}@${version}`],
    {
      cwd: unfinished,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    },
  );
  if (npm.status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new Error(`${npmPackage}@${version} could not be installed: see npm's message above.`);
  }
  rmSync(directory, { recursive: true, force: true });
  renameSync(unfinished, directory);
  return directory;
}
