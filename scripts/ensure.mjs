// Makes a clone ready to run: installs what is missing or stale, builds what is missing or stale.
// Plain Node with no dependency, because it runs before there is any.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rebuild = process.argv.includes('--rebuild');
const minimumNode = [20, 19];

requireNode();
await step('node_modules/.turnout-installed', hashOf(['package.json', 'package-lock.json']), install);
await step(
  'dist/.turnout-built',
  hashOf([
    ...['package.json', 'tsconfig.json', 'tsconfig.build.json', 'vite.config.ts'],
    ...['scripts/bundle.mjs', 'scripts/prune-declarations.mjs'],
    ...filesIn('src'),
    ...filesIn('web'),
  ]),
  build,
  rebuild,
);

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1])) return;
  fail(`Turnout needs Node ${minimumNode.join('.')} or newer; this is ${process.version}.`);
}

/** Runs `make` unless the stamp of its last success is still the hash of what it was made from. */
async function step(stamp, hash, make, force = false) {
  const path = join(root, stamp);
  if (!force && existsSync(path) && readFileSync(path, 'utf8') === hash) return;
  await make();
  writeFileSync(path, hash);
}

function install() {
  // Not `npm ci`: it removes all packages first, from under a gateway that runs from this clone. `--no-save` keeps the
  // lock file as it is.
  say('installing dependencies');
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']);
}

async function build() {
  say('building');
  // Beside the old one until it is complete: whoever runs the program meanwhile finds one or the other.
  const [made, old] = ['.build', '.build-old'].map((name) => join(root, `${name}-${process.pid}`));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    run(process.execPath, [compiler, '--project', 'tsconfig.build.json', '--outDir', made]);
    const { bundle } = await import('./bundle.mjs');
    await bundle(root, made);
    const { pruneDeclarations } = await import('./prune-declarations.mjs');
    pruneDeclarations(made);
    // Tests that build have another one, with which the page would be larger.
    process.env['NODE_ENV'] = 'production';
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    run(process.execPath, [vite, 'build', '--outDir', join(made, 'web'), '--logLevel', 'warn']);
    for (const program of ['cli/main.js', 'demo-agent/main.js']) chmodSync(join(made, program), 0o755);
    if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
    renameSync(made, join(root, 'dist'));
  } finally {
    for (const path of [made, old]) rmSync(path, { recursive: true, force: true });
  }
}

function run(command, args) {
  // stdout belongs to what the caller asked for (a turn's answer, a test report): talk on stderr.
  const shell = process.platform === 'win32' && command === 'npm';
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
  if (status !== 0) fail(`\`${command} ${args.join(' ')}\` failed${error ? `: ${error.message}` : ''}.`);
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const file = join(root, path);
    hash.update(`${path}\0`).update(existsSync(file) ? readFileSync(file) : '');
  }
  return hash.update(process.platform + process.arch).digest('hex');
}

function filesIn(directory) {
  return readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

function say(what) {
  process.stderr.write(`turnout: ${what} …\n`);
}

function fail(message) {
  process.stderr.write(`turnout: ${message}\n`);
  process.exit(1);
}
