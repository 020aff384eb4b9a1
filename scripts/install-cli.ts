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

/** The program of one CLI at one version, installed into a cache outside the package when it is not there yet. */
export function installCli(name: BackendName, version: string = pinnedVersions[name]): string {
  const { npmPackage, command } = backends[name];
  const cache = process.env['TURNOUT_LAB_CACHE'] ?? join(homedir(), '.cache', 'turnout-lab');
  const directory = join(cache, `${name}-${version}`);
  const program = join(directory, 'node_modules', '.bin', command);
  if (existsSync(program)) return program;
  process.stderr.write(`lab: installing ${npmPackage}@${version} …\n`);
  // Under another name until it is complete: a broken install is never taken for a good one.
  const unfinished = `${directory}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'package.json'), '{"private": true}\n');
  const npm = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', `${npmPackage}@${version}`],
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
  return program;
}
