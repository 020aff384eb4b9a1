import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackage } from './install-cli.js';

interface NodeVersions {
  /** Beside the one that `npm test` is run with. */
  readonly tested: readonly string[];
  /** Too old for Turnout: it must say so. */
  readonly refused: string;
}

const scripts = dirname(fileURLToPath(import.meta.url));

export const nodeVersions: NodeVersions = JSON.parse(
  readFileSync(join(scripts, 'node-versions.json'), 'utf8'),
);

/**
 * The program of one Node, installed into the cache of the lab when it is not there yet. The package `node` would fetch
 * it in a script at its installation: the package of the platform is the program, and has no script.
 */
export function installNode(version: string): string {
  const npmPackage = `node-${process.platform}-${process.arch}`;
  const program = join('node_modules', npmPackage, 'bin', 'node');
  const directory = installPackage({
    npmPackage,
    version,
    as: 'node',
    proof: program,
    flags: ['--ignore-scripts'],
  });
  return join(directory, program);
}
