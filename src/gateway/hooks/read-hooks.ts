import { join } from 'node:path';
import { z } from 'zod';
import { readTextFile } from '../prompt/read-text-file.js';
import { type HookEvent, hookEvents } from './payloads.js';

export const hooksFile = 'hooks.json';

export type Hook = CommandHook | ModuleHook;

export interface CommandHook {
  /** The program and its arguments. One with a slash is a path, relative to CONFIG_DIR. */
  readonly command: readonly [string, ...string[]];
  readonly timeoutMs: number;
}

export interface ModuleHook {
  /** A path, relative to CONFIG_DIR. */
  readonly module: string;
  readonly timeoutMs: number;
}

export type Hooks = Readonly<Partial<Record<HookEvent, readonly Hook[]>>>;

export const defaultHookTimeoutMs = 5000;

/** All problems are named, each with its place in the file. No file: no hooks. */
export async function readHooks(
  configDir: string,
): Promise<{ readonly hooks: Hooks; readonly problems: readonly string[] }> {
  const reading = await readTextFile(join(configDir, hooksFile), maxFileBytes);
  if (reading.type === 'missing') return { hooks: {}, problems: [] };
  const failed = (...problems: string[]) => ({
    hooks: {},
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
  const parsed = fileSchema.safeParse(json);
  if (parsed.success) return { hooks: parsed.data as Hooks, problems: [] };
  return failed(
    ...parsed.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${path.join('.')}: ${message}`,
    ),
  );
}

const maxFileBytes = 1024 * 1024;
const word = z.string({ error: 'expected text' }).min(1, 'expected text');
const timeoutMs = z
  .int({ error: 'expected a whole number of milliseconds' })
  .min(1, 'expected at least 1 ms')
  .max(600_000, 'expected at most 600000 ms')
  .default(defaultHookTimeoutMs);

const hookExpected = 'expected either "command": ["program", "argument", …] or "module": "./file.mjs"';
const hookSchema = z
  .strictObject(
    {
      command: z
        .tuple([word], z.string({ error: 'expected text' }), {
          error: 'expected a list: ["program", "argument", …]',
        })
        .optional(),
      module: word.optional(),
      timeoutMs,
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? unknownKeys(issue.keys, 'command, module, timeoutMs')
          : hookExpected,
    },
  )
  .refine(({ command, module }) => (command === undefined) !== (module === undefined), hookExpected);

const hookList = z.array(hookSchema, { error: 'expected a list of hooks' }).optional();
const fileSchema = z.strictObject(
  Object.fromEntries(hookEvents.map((event) => [event, hookList])) as Record<HookEvent, typeof hookList>,
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
