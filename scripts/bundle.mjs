// Puts the program, the demo agent and the library each into a few files, with the packages they use. To find and compile
// hundreds of small modules takes longer than most commands work. A command stays a file of its own, loaded when it runs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

/** A native module can't be part of a file. */
const notBundled = ['@photostructure/sqlite'];

/** discord.js is CommonJS, which can't be part of an ES module when it requires one of Node's own: it is a file of its own. */
const discordFile = 'vendor/discord.cjs';
/** It works without them, and finds them if somebody has installed them. */
const optionalNatives = ['zlib-sync', 'bufferutil', 'utf-8-validate'];

/** The packages that the page contains, which Vite builds. */
const inPage = ['preact', 'marked'];

/** @param {string} root the package @param {string} outdir the compiled modules, three of which are replaced */
export async function bundle(root, outdir) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts', 'src/cli/main.ts', 'src/demo-agent/main.ts'],
    outbase: 'src',
    outdir,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    // As deep as `cli/`: a path that is relative to the module it stands in is the same in both.
    chunkNames: 'chunks/[name]-[hash]',
    external: notBundled,
    // Files and chunks are one folder deep.
    plugins: [elsewhere('discord.js', `../${discordFile}`)],
    // Its modules for Node are CommonJS, which can't be part of an ES module when they require one of Node's own.
    alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    metafile: true,
    logLevel: 'warning',
  });
  const discord = await build({
    absWorkingDir: root,
    // Named one by one, or Node would not see what a minified file of CommonJS exports.
    stdin: {
      contents: `export { ${Object.keys(createRequire(join(root, 'package.json'))('discord.js')).join(', ')} } from 'discord.js'`,
      resolveDir: root,
    },
    outfile: join(outdir, discordFile),
    bundle: true,
    external: optionalNatives,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // Half of its start is reading it.
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    metafile: true,
    logLevel: 'error',
  });
  const inputs = [metafile, discord.metafile].flatMap((one) => Object.keys(one.inputs));
  writeFileSync(join(outdir, 'LICENSES.txt'), licenses(root, inputs));
}

/** Imports of a package become imports of a file, which is not part of the bundle. */
function elsewhere(name, path) {
  return {
    name: `elsewhere:${name}`,
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^${name.replaceAll('.', '\\.')}$`) }, () => ({ path, external: true }));
    },
  };
}

/** The licences of the packages that the files contain: their authors ask that they come along. */
function licenses(root, inputs) {
  const packages = new Set(
    inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  );
  for (const name of inPage) packages.add(name);
  return [...packages]
    .sort()
    .map((name) => `${name}\n\n${licenseOf(join(root, 'node_modules', name))}\n`)
    .join('\n');
}

function licenseOf(directory) {
  const file = readdirSync(directory).find((name) => /^licen[cs]e/i.test(name));
  if (file !== undefined) return readFileSync(join(directory, file), 'utf8').trim();
  const manifest = join(directory, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).license : 'unknown';
}
