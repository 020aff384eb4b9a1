import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compareVersions } from '../../backends/launch/cli-version.js';
import { isObject, type JsonObject } from '../../backends/output/json.js';
import { object, text } from '../../backends/output/read-fields.js';
import { TurnoutError } from '../../core/errors.js';

/** The part of `@openai/codex-sdk` that is used. It is an optional peer, so its own types may not be there. */
export interface CodexSdk {
  readonly Codex: new (options: {
    readonly codexPathOverride: string;
    readonly env: Readonly<Record<string, string>>;
    readonly configOverrides: readonly string[];
  }) => {
    startThread(options: ThreadOptions): Thread;
    resumeThread(id: string, options: ThreadOptions): Thread;
  };
}

export interface ThreadOptions {
  readonly model?: string;
  readonly sandboxMode: 'read-only' | 'workspace-write' | 'danger-full-access';
  readonly approvalPolicy: 'never';
  readonly workingDirectory: string;
  readonly skipGitRepoCheck: true;
}

export interface Thread {
  runStreamed(prompt: string): Promise<{ readonly events: AsyncIterable<unknown> }>;
}

export interface FoundSdk {
  /** The directory of the package. */
  readonly directory: string;
  readonly version: string;
  /** The file to import. */
  readonly entry: string;
}

/** The first version that passes settings on unchanged (`configOverrides`). An older one would drop them in silence. */
const oldestVersion = '0.163.0';
const packageName = '@openai/codex-sdk';

/** Finds the SDK from one of these files or directories, in their order. Rejects with `not_installed` and a hint. */
export async function findSdk(from: readonly string[]): Promise<FoundSdk> {
  const found = await findPackage(packageName, from);
  if (found === undefined)
    throw new TurnoutError('not_installed', `The Codex SDK was not found (${packageName}).`, {
      hint: `Install it with \`npm install ${packageName}\`, or use codex, which needs no SDK.`,
    });
  const { directory, manifest } = found;
  const version = text(manifest['version']);
  if (compareVersions(version, oldestVersion) < 0)
    throw new TurnoutError('not_installed', `The Codex SDK ${version} in ${directory} is too old.`, {
      hint: `Install ${oldestVersion} or a later one with \`npm install ${packageName}\`.`,
    });
  return { directory, version, entry: join(directory, entryOf(manifest)) };
}

export async function loadSdk({ entry, version }: FoundSdk): Promise<CodexSdk> {
  let module: unknown;
  try {
    module = await import(/* @vite-ignore */ pathToFileURL(entry).href);
  } catch (cause) {
    throw new TurnoutError('not_installed', `The Codex SDK ${version} can't be loaded: ${String(cause)}`, {
      hint: `Install it anew with \`npm install ${packageName}\`.`,
      cause,
    });
  }
  if (typeof object(module)['Codex'] === 'function') return module as CodexSdk;
  throw new TurnoutError('not_installed', `The Codex SDK ${version} has no class Codex.`, {
    hint: `Install ${oldestVersion} with \`npm install ${packageName}@${oldestVersion}\`.`,
  });
}

/** Its exports have no entry for `require`, so it is looked for where Node would look. */
export async function findPackage(
  name: string,
  from: readonly string[],
): Promise<{ readonly directory: string; readonly manifest: JsonObject } | undefined> {
  for (const place of from) {
    for (const modules of createRequire(place).resolve.paths(name) ?? []) {
      const directory = join(modules, name);
      const manifest = await readManifest(join(directory, 'package.json'));
      if (manifest !== undefined) return { directory, manifest };
    }
  }
  return undefined;
}

async function readManifest(file: string): Promise<JsonObject | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isObject(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

function entryOf(manifest: JsonObject): string {
  const exported = object(object(manifest['exports'])['.']);
  return text(exported['import']) || text(manifest['module']) || text(manifest['main']) || 'dist/index.js';
}
