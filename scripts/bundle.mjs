// Puts the program, the demo agent and the library each into a few files, with the packages they use. To find and compile
// hundreds of small modules takes longer than most commands work. A command stays a file of its own, loaded when it runs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';

const programs = ['index', 'cli/main', 'demo-agent/main', 'process/work-tree/reader'];

/**
 * The module whose static imports are one file, shared by all that runs turns. Otherwise what two commands share is a file for
 * each set of commands that share it: `turnout run` would load sixty.
 */
const ofTurns = /\/src\/cli\/run\/run\.ts$/;

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
  const run = await bundleRun(root, outdir);
  const bundled = await rolldown({
    ...inputOptions(root),
    input: Object.fromEntries(programs.map((name) => [name, join(root, 'src', `${name}.ts`)])),
    plugins: [
      nodesOwn,
      // Files and chunks are one folder deep.
      elsewhere('discord.js', `../${discordFile}`),
      inPlaceOf(join(root, 'src/cli/run/load-run.ts'), join(root, 'src/cli/run/load-compiled-run.ts')),
    ],
    transform: { target: 'node20', define: { runFile: JSON.stringify(run.file) } },
    // A name of a module of Node that nobody uses is left out.
    treeshake: { propertyReadSideEffects: false },
  });
  const { output } = await bundled.write({
    dir: outdir,
    format: 'esm',
    entryFileNames: '[name].js',
    // As deep as `cli/`: a path that is relative to the module it stands in is the same in both.
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: false,
    codeSplitting: { groups: [{ name: 'turn', test: ofTurns }] },
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
  const modules = [...run.output, ...output].flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const inputs = [...modules.map((id) => relative(root, id)), ...Object.keys(discord.metafile.inputs)];
  writeFileSync(join(outdir, 'LICENSES.txt'), licenses(root, inputs));
}

/**
 * `turnout run` once more, by itself and as CommonJS: only that can be loaded as V8 has compiled it before
 * (src/cli/run/load-compiled-run.ts). The process of that command uses nothing of the other bundle, or there would be two of
 * everything.
 */
async function bundleRun(root, outdir) {
  const bundled = await rolldown({
    ...inputOptions(root),
    input: { run: join(root, 'src/cli/run/run.ts') },
    transform: { target: 'node20' },
  });
  const { output } = await bundled.write({
    dir: join(outdir, 'run'),
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    comments: false,
    codeSplitting: { groups: [{ name: 'turn', test: ofTurns }] },
  });
  for (const { fileName, code } of output) writeFileSync(join(outdir, 'run', fileName), inAscii(code));
  const file = output.find(({ name }) => name === 'turn');
  if (!['main', 'page'].every((name) => file?.exports.includes(name)))
    throw new Error('The bundle of `turnout run` does not export its command.');
  return { output, file: file.fileName };
}

/** V8 reads text of one byte a character in half of the time. Without comments all other characters are in literals. */
function inAscii(code) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  return code.replace(/[^\x00-\x7f]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function inputOptions(root) {
  return {
    cwd: root,
    external: notBundled,
    // Its modules for Node are CommonJS, which can't be part of an ES module when they require one of Node's own.
    resolve: { alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') } },
    platform: 'node',
    checks: { pluginTimings: false },
  };
}

/**
 * Node's own modules are asked for by a call, and only for the names that are used. An `import` reads every name of the module
 * and loads what stands behind each: 4 ms of a short command, for streams of files and web crypto.
 */
const nodesOwn = {
  name: 'nodes-own',
  resolveId: { filter: { id: /^node:/ }, handler: (id) => ({ id: `\0${id}`, moduleSideEffects: false }) },
  load: {
    filter: { id: /^\0node:/ },
    async handler(id) {
      const name = id.slice(1);
      const names = Object.keys(await import(name)).filter((each) => each !== 'default');
      return [
        `const all = process.getBuiltinModule(${JSON.stringify(name)});`,
        'export default all;',
        ...names.map((each) => `export const ${each} = all.${each};`),
      ].join('\n');
    },
  },
};

/** One module of ours in the place of another. */
function inPlaceOf(module, other) {
  return {
    name: `in-place-of:${module}`,
    async resolveId(id, importer) {
      if (importer === undefined || !id.startsWith('.')) return undefined;
      const found = await this.resolve(id, importer, { skipSelf: true });
      return found?.id === module ? { id: other } : undefined;
    },
  };
}

/** Imports of a package become imports of a file, which is not part of the bundle. */
function elsewhere(name, path) {
  return {
    name: `elsewhere:${name}`,
    resolveId: (id) => (id === name ? { id: path, external: true } : undefined),
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
