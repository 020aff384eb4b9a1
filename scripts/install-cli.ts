import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinnedVersion } from '../src/backends/launch/vetted.js';
import { backendEntry, type VendorName } from '../src/backends/registry.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The versions that the lab vets, and that the documents speak of. */
export const pinnedVersions: Readonly<Record<VendorName, string>> = {
  claude: newest('claude'),
  codex: newest('codex'),
  gemini: newest('gemini'),
  opencode: newest('opencode'),
};

/** The vendors' SDKs that Turnout is compared with. */
export type SdkName = '@anthropic-ai/claude-agent-sdk' | '@openai/codex-sdk';

export const pinnedSdkVersions: Readonly<Record<SdkName, string>> = JSON.parse(
  readFileSync(join(root, 'scripts/lab-sdk-versions.json'), 'utf8'),
);

function newest(name: VendorName): string {
  const version = pinnedVersion(name);
  if (version === undefined)
    throw new Error(`src/backends/launch/vetted-versions.json has no version of ${name}.`);
  return version;
}

/** The program of one CLI at one version, installed into a cache outside the package when it is not there yet. */
export function installCli(name: VendorName, version: string = pinnedVersions[name]): string {
  const { npmPackage, command } = backendEntry(name);
  if (npmPackage === undefined) throw new Error(`${name} is in no npm package.`);
  const program = join('node_modules', '.bin', command);
  return join(installPackage({ npmPackage, version, as: name, proof: program }), program);
}

/** True if this version of the CLI is in the cache. */
export function isCliInstalled(name: VendorName, version: string): boolean {
  return existsSync(join(cacheDirectory(name, version), 'node_modules', '.bin', backendEntry(name).command));
}

/** Takes one version of a CLI out of the cache. */
export function removeCli(name: VendorName, version: string): void {
  rmSync(cacheDirectory(name, version), { recursive: true, force: true });
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
  const directory = cacheDirectory(as, version);
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
      stdio: ['ignore', 2, 'pipe'],
      encoding: 'utf8',
      shell: process.platform === 'win32',
    },
  );
  // There is no stderr if npm itself is missing.
  const said = npm.stderr ?? '';
  process.stderr.write(said);
  if (npm.status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    const errors = said.split('\n').filter((line) => /^npm (?:error|ERR!) (?!A complete log)/.test(line));
    throw new Error(
      `${npmPackage}@${version} could not be installed: ${errors.slice(0, 2).join('; ') || npm.error}`,
    );
  }
  rmSync(directory, { recursive: true, force: true });
  renameSync(unfinished, directory);
  return directory;
}

function cacheDirectory(as: string, version: string): string {
  const cache = process.env['TURNOUT_LAB_CACHE'] ?? join(homedir(), '.cache', 'turnout-lab');
  return join(cache, `${as}-${version}`);
}
