// Puts the program, the demo agent and the library each into a few files, with the packages they use. To find and compile
// hundreds of small modules takes longer than most commands work. A command stays a file of its own, loaded when it runs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** A native module can't be part of a file. */
const notBundled = ['@photostructure/sqlite'];

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
    // Its modules for Node are CommonJS, which can't be part of an ES module when they require one of Node's own.
    alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    metafile: true,
    logLevel: 'warning',
  });
  writeFileSync(join(outdir, 'LICENSES.txt'), licenses(root, Object.keys(metafile.inputs)));
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
