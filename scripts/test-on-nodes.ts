// Runs the tests on other versions of Node: the last one has all of `npm test`, and the programs with sockets, terminals and many
// processes. Those between it and the oldest one, on which everything else runs, have what depends on Node: the store with its own
// SQLite, the processes, the backends.
// The store is tried with the SQLite package, too, which these versions would not choose. An old Node must be refused in a
// sentence. Versions can be named, and the last of them counts as the last: `npm run test:nodes -- 24.21.0`.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNode, nodeVersions } from './install-node.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ofNode = ['tests/contract', 'tests/unit/process', 'tests/unit/core', 'tests/gateway/feed'];
const programsOfNode = [
  'tests/cli',
  'tests/host',
  'tests/gateway/turns',
  'tests/gateway/feed',
  'tests/unit/runner',
];
const storeSuites = ['tests/contract/sqlite-store.contract.test.ts', 'tests/unit/store', 'tests/unit/sqlite'];

refuseOldNode();
const named = process.argv.slice(2);
const versions = named.length > 0 ? named : nodeVersions.tested;
for (const version of versions) testOn(version, version === versions.at(-1));

function testOn(version: string, isLast: boolean): void {
  const node = installNode(version);
  const started = performance.now();
  say(`${isLast ? 'all tests' : 'what depends on it'} on Node ${version} …`);
  if (isLast) {
    run(node, 'npm', ['test']);
    run(node, 'npm', ['run', 'test:programs', '--', ...programsOfNode]);
  } else run(node, 'npx', ['vitest', 'run', ...ofNode, ...storeSuites]);
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
