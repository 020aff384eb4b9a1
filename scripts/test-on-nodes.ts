// Runs the tests on other versions of Node: `npm test` as it is on each, then the suites of the store with the SQLite package,
// which these versions would not choose, and on the last one `npm run test:programs`. An old Node must be refused in a sentence. Versions can be named:
// `npm run test:nodes -- 24.21.0`.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNode, nodeVersions } from './install-node.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const storeSuites = ['tests/contract/sqlite-store.contract.test.ts', 'tests/unit/store', 'tests/unit/sqlite'];

refuseOldNode();
const named = process.argv.slice(2);
const versions = named.length > 0 ? named : nodeVersions.tested;
for (const version of versions) testOn(version, version === versions.at(-1));

function testOn(version: string, isLast: boolean): void {
  const node = installNode(version);
  const started = performance.now();
  say(`npm test on Node ${version} …`);
  run(node, 'npm', ['test']);
  if (isLast) run(node, 'npm', ['run', 'test:programs']);
  say(`the store on Node ${version} with the package in place of node:sqlite …`);
  run(node, 'npx', ['vitest', 'run', ...storeSuites], { TURNOUT_SQLITE: 'package' });
  say(`Node ${version} is green, after ${Math.round((performance.now() - started) / 1000)} s`);
}

function refuseOldNode(): void {
  const version = nodeVersions.refused;
  const { status, stderr } = spawnSync(installNode(version), [join(root, 'dist/cli/main.js'), 'gateway'], {
    encoding: 'utf8',
  });
  if (status === 1 && /^turnout: Turnout needs Node [\d.]+ or newer; this is [\d.]+\.\n$/.test(stderr))
    return;
  fail(`Node ${version} was not refused in one sentence (exit ${status}):\n${stderr}`);
}

/** The children of npm and of the tests find this Node on the PATH, before all others. */
function run(node: string, command: string, args: readonly string[], env: Record<string, string> = {}): void {
  const path = dirname(node) + delimiter + (process.env['PATH'] ?? '');
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env, PATH: path },
  });
  if (status !== 0) fail(`${command} ${args.join(' ')} failed on ${node}`);
}

function say(what: string): void {
  process.stderr.write(`nodes: ${what}\n`);
}

function fail(message: string): never {
  say(message);
  process.exit(1);
}
