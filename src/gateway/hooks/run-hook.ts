import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { duplicateKeys } from '../../core/duplicate-keys.js';
import { TurnoutError } from '../../core/errors.js';
import { startProcess } from '../../process/start-process.js';
import { programOf } from './check-programs.js';
import type { CommandHook, Hook, ModuleHook } from './read-hooks.js';

/** The answer or the failure of a hook. `detail` may hold a part of a message: it is for the debug log only. */
export type HookOutcome =
  | { readonly type: 'answer'; readonly answer: HookAnswer }
  | { readonly type: 'failure'; readonly why: string; readonly detail?: string | undefined };

export type HookAnswer = z.infer<typeof answerSchema>;

export interface HookContext {
  readonly configDir: string;
  /** The environment of command hooks, without the secrets of the gateway. */
  readonly env: Readonly<Record<string, string>>;
  /** The signal is aborted when the time is up or the gateway closes; its reason says which. */
  readonly signal: AbortSignal;
}

/** A reply that is only nearly one may be meant as a block: it is none at all. */
const answerSchema = z
  .strictObject({
    action: z.enum(['continue', 'block']).optional(),
    reason: z.string().optional(),
    payload: z.record(z.string(), z.unknown()).optional(),
  })
  .refine(({ action, reason }) => action !== undefined || reason === undefined, 'a reason without an action')
  .transform((answer) => ({ ...answer, action: answer.action ?? 'continue' }));

const noAnswer: HookOutcome = { type: 'answer', answer: { action: 'continue' } };

/** Runs a hook with `input`, which is JSON. Never rejects. */
export async function runHook(hook: Hook, input: string, context: HookContext): Promise<HookOutcome> {
  try {
    return 'command' in hook ? await runCommand(hook, input, context) : await runModule(hook, input, context);
  } catch (error) {
    if (error instanceof TurnoutError)
      return failure(`could not be run: ${error.message.replace(/\.$/, '')}`);
    return failure(`threw ${error instanceof Error ? error.name : typeof error}`, String(error));
  }
}

async function runCommand(hook: CommandHook, input: string, context: HookContext): Promise<HookOutcome> {
  const [program, ...args] = hook.command;
  const { configDir, env, signal } = context;
  if (signal.aborted) return failure(String(signal.reason));
  const child = await startProcess({
    command: programOf(program, configDir),
    args,
    cwd: configDir,
    env,
    stdin: { text: `${input}\n` },
    maxLineBytes: maxOutputBytes + 1,
  });
  const stop = () => void child.end({ graceMs });
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    const output: string[] = [];
    let length = 0;
    for await (const lines of child.lines()) {
      for (const { text } of lines) {
        output.push(text);
        length += Buffer.byteLength(text) + 1;
      }
      if (length > maxOutputBytes + 1) return failure(`said more than ${maxOutputBytes} bytes`);
    }
    const exit = await child.exited;
    if (signal.aborted) return failure(String(signal.reason), child.stderr());
    if (exit.code !== 0)
      return failure(`ended with ${exit.signal ?? `exit code ${exit.code}`}`, child.stderr());
    return readAnswer(output.join('\n'));
  } finally {
    signal.removeEventListener('abort', stop);
    await child.end({ graceMs });
  }
}

async function runModule(hook: ModuleHook, input: string, context: HookContext): Promise<HookOutcome> {
  const { signal, configDir } = context;
  const stopped = new Promise<HookOutcome>((resolve) => {
    const stop = () => resolve(failure(String(signal.reason)));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  const answered = (async () => {
    // Node keeps what it has loaded: each module runs its top level once.
    const { default: run } = await import(pathToFileURL(resolve(configDir, hook.module)).href);
    if (typeof run !== 'function') return failure('has no function as its default export');
    const answer: unknown = await run(JSON.parse(input));
    return answer === undefined || answer === null ? noAnswer : checkAnswer(answer);
  })();
  return Promise.race([stopped, answered]);
}

function readAnswer(output: string): HookOutcome {
  if (output.trim() === '') return noAnswer;
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    return failure('did not answer in JSON', output.slice(0, 500));
  }
  const [twice] = duplicateKeys(output);
  if (twice !== undefined) return failure(unexpected, `${twice}: this key is there twice`);
  return checkAnswer(answer);
}

function checkAnswer(answer: unknown): HookOutcome {
  // Errors, maps and the like show no keys.
  if (!isPlainObject(answer)) return failure(unexpected, 'it: expected an object');
  const parsed = answerSchema.safeParse(answer);
  if (parsed.success) return { type: 'answer', answer: parsed.data };
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  return failure(unexpected, wrong.join('; '));
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function failure(why: string, detail?: string): HookOutcome {
  return { type: 'failure', why, detail };
}

const unexpected = 'did not answer as expected';
const maxOutputBytes = 1024 * 1024;
const graceMs = 500;
