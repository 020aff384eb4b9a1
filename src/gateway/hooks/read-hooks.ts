import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readTextFile } from '../../config/read-text-file.js';
import { duplicateKeys } from '../../core/duplicate-keys.js';
import { looksLike } from '../persona/stray-files.js';
import { type HookEvent, hookEvents } from './payloads.js';

const hooksFile = 'hooks.json';

export type Hook = CommandHook | ModuleHook;

interface HookSettings {
  readonly timeoutMs: number;
  /**
   * Only of `tool_start`, where it is true unless the file says otherwise: the hook's word is waited for, and without it
   * the tool is not run. False: the hook is only told.
   */
  readonly blocking?: boolean | undefined;
}

export interface CommandHook extends HookSettings {
  /** The program and its arguments. A program with a slash is a path, relative to CONFIG_DIR. */
  readonly command: readonly [string, ...string[]];
}

export interface ModuleHook extends HookSettings {
  /** A path, relative to CONFIG_DIR. */
  readonly module: string;
}

export type Hooks = Readonly<Partial<Record<HookEvent, readonly Hook[]>>>;

const defaultHookTimeoutMs = 5000;

/** A hook whose program can be read, whatever else is wrong with it or with other hooks. */
export interface NamedHook {
  readonly hook: Pick<CommandHook, 'command'> | Pick<ModuleHook, 'module'>;
  /** The place in the file: `hooks.json: message.0`. */
  readonly place: string;
}

export interface HooksReading {
  /** Empty if there is any problem. */
  readonly hooks: Hooks;
  readonly named: readonly NamedHook[];
  readonly problems: readonly string[];
}

/** Names all problems, each with its place in the file. A missing file has no hooks. */
export async function readHooks(configDir: string): Promise<HooksReading> {
  const reading = await readTextFile(join(configDir, hooksFile), maxFileBytes);
  if (reading.type === 'missing') return { hooks: {}, named: [], problems: await meantAsHooks(configDir) };
  const failed = (...problems: string[]) => ({
    hooks: {},
    named: [],
    problems: problems.map((what) => `${hooksFile}: ${what}`),
  });
  if (reading.type === 'problem') return failed(reading.problem);
  if (reading.file.truncated) return failed(`is larger than ${maxFileBytes} bytes`);
  let json: unknown;
  try {
    json = JSON.parse(reading.file.text);
  } catch (error) {
    return failed(`not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  const named = hookEvents.flatMap((event) => namedHooks(event, json));
  // Only the last of them would count: the others are hooks that are never asked.
  const twice = duplicateKeys(reading.file.text).map((place) => `${place}: this key is there twice`);
  if (twice.length > 0) return { ...failed(...twice), named };
  const parsed = fileSchema.safeParse(json);
  if (parsed.success) return { hooks: parsed.data as Hooks, named, problems: [] };
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  return { ...failed(...problems), named };
}

/** A hook in a file that nobody reads checks nothing. */
async function meantAsHooks(configDir: string): Promise<readonly string[]> {
  const names = await readdir(configDir).catch(() => []);
  return looksLike(hooksFile, names).map((name) =>
    name === hooksFile
      ? `${name}: is a link to a file that is not there`
      : `${name}: is not read; expected the name ${hooksFile}`,
  );
}

function namedHooks(event: HookEvent, json: unknown): readonly NamedHook[] {
  const lists = z.record(z.string(), z.unknown()).safeParse(json).data ?? {};
  const hooks = z.array(z.unknown()).safeParse(lists[event]).data ?? [];
  return hooks.flatMap((entry, index): NamedHook[] => {
    const { command, module } = programSchema.safeParse(entry).data ?? {};
    const place = `${hooksFile}: ${event}.${index}`;
    if (command !== undefined && module === undefined) return [{ hook: { command }, place }];
    return command === undefined && module !== undefined ? [{ hook: { module }, place }] : [];
  });
}

const maxFileBytes = 1024 * 1024;
const word = z.string({ error: 'expected text' }).min(1, 'expected text');
const timeoutMs = z
  .int({ error: 'expected a whole number of milliseconds' })
  .min(1, 'expected at least 1 ms')
  .max(600_000, 'expected at most 600000 ms')
  .default(defaultHookTimeoutMs);

const command = z
  .tuple([word], z.string({ error: 'expected text' }), {
    error: 'expected a list: ["program", "argument", …]',
  })
  .optional();
const programSchema = z.object({ command, module: word.optional() });

const hookExpected = 'expected either "command": ["program", "argument", …] or "module": "./file.mjs"';
const settings = { command, module: word.optional(), timeoutMs };
const toolSettings = {
  ...settings,
  blocking: z.boolean({ error: 'expected true or false' }).default(true),
};

function hookList(fields: typeof settings | typeof toolSettings) {
  const hook = z
    .strictObject(fields, {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? unknownKeys(issue.keys, Object.keys(fields).join(', '))
          : hookExpected,
    })
    .refine(({ command, module }) => (command === undefined) !== (module === undefined), hookExpected);
  return z.array(hook, { error: 'expected a list of hooks' }).optional();
}

const fileSchema = z.strictObject(
  Object.fromEntries(
    hookEvents.map((event) => [event, hookList(event === 'tool_start' ? toolSettings : settings)]),
  ),
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownKeys(issue.keys, hookEvents.join(', '))
        : 'expected an object with a list of hooks for each event',
  },
);

function unknownKeys(keys: unknown, expected: string): string {
  return `unknown key ${(keys as string[]).map((key) => JSON.stringify(key)).join(', ')}; expected ${expected}`;
}
