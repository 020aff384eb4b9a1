import { spawnSync } from 'node:child_process';
import { backendEntry, type VendorName } from '../../src/backends/registry.js';
import type { PublishedAt } from './releases.js';

/** The version that `npm install` takes today. */
export function latestVersion(cli: VendorName): string {
  return askRegistry(cli, 'dist-tags.latest') as string;
}

export function publishedVersions(cli: VendorName): PublishedAt {
  return askRegistry(cli, 'time') as PublishedAt;
}

function askRegistry(cli: VendorName, field: string): unknown {
  const { npmPackage } = backendEntry(cli);
  if (npmPackage === undefined) throw new Error(`${cli} is in no npm package.`);
  const npm = spawnSync('npm', ['view', npmPackage, field, '--json', '--loglevel=error'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) throw new Error(`npm can’t tell ${field} of ${npmPackage}: ${npm.stderr.trim()}`);
  return JSON.parse(npm.stdout);
}
