import type { Stats } from 'node:fs';
import type { Script } from 'node:vm';
import type { Command } from '../command/command-page.js';

/** The name of the file of `turnout run`, which is CommonJS, in `run/` beside `cli/`. The bundler puts it in. */
declare const runFile: string;

/**
 * Loads `turnout run` as V8 has compiled it at an earlier run, from `cache` in TURNOUT_HOME. To compile it again would take a
 * third of the time that a short turn takes beside its CLI. (Node 22's own `enableCompileCache` saves less.) Nothing is
 * imported above, because an old Node has to get as far as its refusal.
 */
export async function loadRun(): Promise<Command> {
  const { fileURLToPath } = process.getBuiltinModule('node:url');
  const file = fileURLToPath(new URL(`../run/${runFile}`, import.meta.url));
  const directory = cacheDirectory();
  if (directory !== undefined) return loadCached(file, directory);
  return process.getBuiltinModule('node:module').createRequire(file)(file);
}

/**
 * Undefined where there is no home of this user's own yet: what is in the cache is run. The rules for TURNOUT_HOME are in
 * config/home-directory.ts, which is not loaded for this; where they would refuse it, the command will say so.
 */
function cacheDirectory(): string | undefined {
  const { TURNOUT_HOME: named = '', HOME: user = '' } = process.env;
  const [begins, home] = named.trim() === '' ? [user, `${user}/.turnout`] : [named, named];
  if (process.platform === 'win32' || !begins.startsWith('/')) return undefined;
  const { lstatSync, mkdirSync, statSync } = process.getBuiltinModule('node:fs');
  try {
    if (!isOurs(statSync(home))) return undefined;
    const directory = `${home}/cache`;
    const facts = lstatSync(directory, { throwIfNoEntry: false });
    if (facts === undefined) mkdirSync(directory, { mode: 0o700 });
    else if (!facts.isDirectory() || !isOurs(facts)) return undefined;
    return directory;
  } catch {
    return undefined;
  }
}

/** Nobody else can change it, nor put something into it. */
function isOurs({ uid, mode }: Stats): boolean {
  return uid === process.geteuid?.() && (mode & 0o022) === 0;
}

/** Does what `require` does, and puts the module where `require` finds it: the parts that are loaded later ask for it. */
function loadCached(file: string, directory: string): Command {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const { Script, constants } = process.getBuiltinModule('node:vm');
  const { Module, createRequire } = process.getBuiltinModule('node:module');
  const { basename, dirname } = process.getBuiltinModule('node:path');
  // The name of the file tells its content, and the version of Node that of V8.
  const cache = `${directory}/${basename(file)}-${process.version}-${process.arch}`;
  const cachedData = readCache(cache);
  const script = new Script(`(function (${parameters}) {${readFileSync(file, 'latin1')}\n})`, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const require = createRequire(file);
  const module = new Module(file);
  module.filename = file;
  require.cache[file] = module;
  script.runInThisContext().call(module.exports, module.exports, require, module, file, dirname(file));
  module.loaded = true;
  // At the end, when V8 has compiled what a turn needs.
  if (cachedData === undefined || script.cachedDataRejected)
    process.once('exit', () => {
      removeOthers(directory, basename(file));
      writeCache(cache, script);
    });
  return module.exports;
}

const parameters = 'exports, require, module, __filename, __dirname';
const digestBytes = 32;

/** V8 does not see that a cache is damaged, and would crash: it stands behind its own digest. */
function readCache(path: string): Buffer | undefined {
  const { closeSync, constants, fstatSync, openSync, readFileSync } = process.getBuiltinModule('node:fs');
  let file: number | undefined;
  try {
    // A pipe in its place would be waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const facts = fstatSync(file);
    if (!facts.isFile() || !isOurs(facts)) return undefined;
    const content = readFileSync(file);
    const data = content.subarray(digestBytes);
    return digest(data).equals(content.subarray(0, digestBytes)) ? data : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A turn does not fail because of this. */
function writeCache(path: string, script: Script): void {
  const { renameSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    const data = script.createCachedData();
    writeFileSync(unfinished, Buffer.concat([digest(data), data]), { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, path);
  } catch {
    rmSync(unfinished, { force: true });
  }
}

/** Removes what belongs to another version of Turnout, and what a killed process did not finish. */
function removeOthers(directory: string, own: string): void {
  const { readdirSync, rmSync } = process.getBuiltinModule('node:fs');
  try {
    for (const name of readdirSync(directory)) {
      const isOther = name.startsWith('turn-') && !(name.startsWith(own) && /-v[\d.]+-\w+$/.test(name));
      if (isOther) rmSync(`${directory}/${name}`, { force: true });
    }
  } catch {
    // They take up room, and nothing else.
  }
}

function digest(data: Buffer): Buffer {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(data).digest();
}
