import { shortBackendName } from '../config/formats.js';
import { type FieldRules, wrongValue } from '../core/check-fields.js';
import { distance } from '../core/distance.js';
import { TurnoutError } from '../core/errors.js';
import { ClaudeCodeBackend } from './claude-backend.js';
import { CodexBackend } from './codex-backend.js';
import { GeminiBackend } from './gemini-backend.js';
import { completeConfig } from './launch/complete-config.js';
import { npm } from './launch/vetted.js';
import { type AnyBackendName, type BackendName, codexSdk, vendorNames } from './names.js';
import { withEvents } from './one-shot/with-events.js';
import { OpenCodeBackend } from './opencode-backend.js';
import type {
  BackendAdapter,
  BackendAdapterConfig,
  BackendConfig,
  CliBackend,
  EventBackend,
} from './types.js';

export { type AnyBackendName, type BackendName, type VendorName, vendorNames } from './names.js';

export interface BackendEntry {
  /** A class. Its instances need `name`, `validate` and `execute`; what the other members add is described at their type. */
  readonly create: new (
    config: BackendAdapterConfig,
  ) => BackendAdapter;
  /** The program's name on PATH. */
  readonly command: string;
  /** The command that installs the program, or what to do in its place. */
  readonly install: string;
  /** The npm package that has the program, if one has. */
  readonly npmPackage?: string;
}

const defaultBackend = 'claude';

/** Every backend. A further one is its module and one line here, or a call of `registerBackend`. */
const entries = new Map<AnyBackendName, BackendEntry>([
  ['claude', { create: ClaudeCodeBackend, command: 'claude', ...npm('claude', '@anthropic-ai/claude-code') }],
  ['codex', { create: CodexBackend, command: 'codex', ...npm('codex', '@openai/codex') }],
  ['gemini', { create: GeminiBackend, command: 'gemini', ...npm('gemini', '@google/gemini-cli') }],
  ['opencode', { create: OpenCodeBackend, command: 'opencode', ...npm('opencode', 'opencode-ai') }],
]);

export function backendNames(): readonly AnyBackendName[] {
  return [...entries.keys()];
}

/**
 * Adds a backend: from now on its name is understood wherever the others' are, in this program. The returned function takes it
 * away again, for tests and programs that load backends.
 */
export function registerBackend(name: string, entry: BackendEntry): () => void {
  if (typeof name !== 'string') throw wrongValue('name', "the new backend's name", name);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || shortBackendName(name) !== name) {
    throw new TurnoutError('bad_request', `${JSON.stringify(name)} can't be the name of a backend.`, {
      hint: 'A name is of the letters a-z, digits and single dashes, begins with a letter, and does not end with -cli: that is understood behind every name.',
    });
  }
  if (entries.has(name) || name === codexSdk) {
    const owner = name === codexSdk ? 'a runner of Turnout' : 'a backend';
    throw new TurnoutError('bad_request', `There is ${owner} ${JSON.stringify(name)} already.`, {
      hint: 'Register it once, and under a name of its own.',
    });
  }
  checkEntry(entry);
  entries.set(name, entry);
  return () => {
    if (entries.get(name) === entry) entries.delete(name);
  };
}

function checkEntry(entry: BackendEntry): void {
  const told = Object.entries(entryRules).flatMap(([field, [expected, isRight]]) => {
    const value: unknown = entry?.[field as keyof BackendEntry];
    return isRight(value) ? [] : [wrongValue(field, expected, value).message];
  });
  if (told.length === 0) return;
  throw new TurnoutError('bad_request', told.join(' '), {
    hint: "It takes an object: registerBackend('mine', { create: MyBackend, command: 'my-agent', install: 'npm install -g my-agent' }).",
  });
}

const entryRules: FieldRules<Omit<Required<BackendEntry>, 'npmPackage'>> = {
  create: [
    'a class whose instances are backends (new (config) => …)',
    (value) => typeof value === 'function',
  ],
  command: ["the program's name on PATH", (value) => typeof value === 'string' && value !== ''],
  install: ['the command that installs the program', (value) => typeof value === 'string'],
};

export function backendEntry(name: AnyBackendName): BackendEntry {
  // The name is checked again: it may come from a database or from plain JavaScript.
  const entry = entries.get(name ?? defaultBackend);
  if (entry === undefined) throw unknownBackend(name);
  return entry;
}

/**
 * The backend of that name. Everything has a default: the CLI is looked up on PATH and works in the current directory. Nothing is
 * started or looked for until it is used. A wrong call throws a TurnoutError that names the field. A registered backend that has
 * only `name`, `validate` and `execute` gets turns as events.
 *
 * @param backend Its name: `claude`, `codex`, `gemini`, `opencode`, or one that was registered. Default: `claude`.
 */
export function createBackend(backend?: BackendName, config?: BackendConfig): CliBackend;
export function createBackend(backend?: AnyBackendName, config?: BackendConfig): EventBackend;
export function createBackend(backend?: AnyBackendName, config?: BackendConfig): EventBackend {
  const name = meantBackendName(backend);
  const { create, command } = backendEntry(name);
  const complete = completeConfig(command, config);
  const made = new create(complete);
  const own = made.name();
  if (own === name) return withEvents(made, { cwd: complete.workingDir, model: complete.model });
  throw new TurnoutError(
    'bad_request',
    `The backend that was registered as ${JSON.stringify(name)} calls itself ${JSON.stringify(own)}.`,
    { hint: 'Its name() has to be the name that it is registered with.' },
  );
}

/** An unset name means claude; any other than the four is refused, with the list of them. It knows no registered backend. */
export function resolveBackendName(raw: string | undefined): BackendName {
  if (raw === undefined) return defaultBackend;
  const name = vendorNames.find((known) => known === raw);
  if (name === undefined) throw unknownBackend(raw, { known: vendorNames });
  return name;
}

/** Finds the backend that a person means, in a flag, a setting, a file or a chat: `Codex-CLI` is `codex`. */
export function findBackendName(written: string): AnyBackendName | undefined {
  const name = shortBackendName(written);
  return entries.has(name) ? name : undefined;
}

/** The backend that a caller of the library means: as a person may write it, and the default one if it is left out. */
export function meantBackendName(written: string | undefined): AnyBackendName {
  if (written === undefined) return defaultBackend;
  const name = typeof written === 'string' ? findBackendName(written) : undefined;
  if (name === undefined) throw unknownBackend(written);
  return name;
}

/** Reads the name of a backend like `findBackendName`. The error begins with the flag or the setting that it came from, if that is given. */
export function readBackendName(written: string, source?: string): AnyBackendName {
  const name = findBackendName(written);
  if (name !== undefined) return name;
  throw unknownBackend(written, { source });
}

/** Returns the backend whose name is like a misspelt one, or whose npm package is called so. */
export function guessBackendName(written: string): AnyBackendName | undefined {
  const name = shortBackendName(written);
  // `claude-code`, `@google/gemini-cli`: the name that npm has for the CLI.
  const packaged = backendNames().find((known) => npmNames(known).includes(written.trim().toLowerCase()));
  if (packaged !== undefined) return packaged;
  const [nearest] = backendNames()
    .map((known) => ({ known, far: distance(name, known) }))
    // With the same first letter three differences may be a long name: `clod` is no other backend than `claude`.
    .filter(
      ({ known, far }) =>
        far <= (known.length > 5 && known[0] === name[0] ? 3 : Math.min(2, known.length - 2)),
    )
    .sort((one, other) => one.far - other.far);
  return nearest?.known;
}

function npmNames(backend: AnyBackendName): readonly string[] {
  const name = entries.get(backend)?.npmPackage ?? backend;
  return [name, name.replace(/^@[^/]*\//, '')];
}

function unknownBackend(
  written: string,
  {
    source,
    known = backendNames(),
  }: { readonly source?: string | undefined; readonly known?: readonly string[] } = {},
): TurnoutError {
  const from = source === undefined ? '' : `${source}: `;
  const valid = `Valid backends: ${known.join(', ')}.`;
  const guess = guessBackendName(String(written));
  const meant = guess === undefined ? '' : ` Did you mean ${guess}?`;
  return new TurnoutError(
    'bad_request',
    `${from}Unknown backend ${JSON.stringify(written)}. ${valid}${meant}`,
  );
}
