import { fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { TurnoutError } from '../../core/errors.js';
import { hasProc } from '../../process/system.js';

type Input = Readable & { readonly isTTY?: boolean; readonly fd?: number };

const patienceMs = 3000;

export interface Patience {
  readonly say: (line: string) => void;
  /** The limit of the whole turn, which also limits the wait for stdin. */
  readonly timeoutMs: number;
  /** The prompt if there is none on the command line, nor on stdin. */
  readonly fallback?: string | undefined;
  /** A command that has a prompt, for whoever gave none. */
  readonly example?: string | undefined;
}

/** Reads the prompt from the command line, stdin, or both (the command line first). */
export async function readPrompt(
  given: string | undefined,
  stdin: () => Input,
  patience: Patience,
): Promise<string> {
  const notEmpty = (prompt: string) => refuseEmpty(prompt, patience.example);
  // To open a terminal or /dev/null takes longer than to see that nothing is to be read.
  if (given !== undefined && stdinKind() === 'none') return notEmpty(given);
  const input = stdin();
  if (input.isTTY) {
    const known = given ?? patience.fallback;
    if (known !== undefined) return notEmpty(known);
    patience.say('type the prompt, then Ctrl-D:');
    return notEmpty(await readAll(input));
  }
  if (given === undefined && patience.fallback !== undefined)
    return notEmpty((await readBeside(input, patience)) || patience.fallback);
  if (given === undefined)
    return notEmpty(await readAll(input, AbortSignal.timeout(patience.timeoutMs), 'fail'));
  const piped = await readBeside(input, patience);
  return notEmpty(piped === '' ? given : `${given}\n${piped}`);
}

/**
 * Reads stdin beside a prompt on the command line. It may be a pipe that never ends: the program before this
 * one in a shell's pipeline is waited for; any other pipe that stays silent is ignored.
 */
async function readBeside(input: Input, { say, timeoutMs }: Patience): Promise<string> {
  const kind = stdinKind(input.fd);
  if (kind === 'none') return '';
  const silence = new AbortController();
  const timer = setTimeout(() => {
    if (kind === 'pipeline') {
      say('waiting for the program before this one in the pipe to end');
    } else {
      say('nothing on stdin for 3 s: going on without it (use `< /dev/null` to avoid the wait)');
      silence.abort();
    }
  }, patienceMs);
  const late = setTimeout(() => silence.abort(), timeoutMs);
  try {
    const piped = await readAll(input, silence.signal, 'skip', () => clearTimeout(timer));
    return piped;
  } finally {
    clearTimeout(timer);
    clearTimeout(late);
  }
}

async function readAll(
  input: Input,
  stop?: AbortSignal,
  whenStopped: 'fail' | 'skip' = 'fail',
  onData?: () => void,
): Promise<string> {
  const chunks: Buffer[] = [];
  const read = new Promise<void>((resolve, reject) => {
    input.on('data', (chunk: Buffer) => {
      onData?.();
      chunks.push(chunk);
    });
    input.once('end', resolve);
    input.once('error', reject);
    stop?.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await read;
  } catch (cause) {
    throw new TurnoutError('bad_request', `stdin can't be read: ${(cause as Error).message}`, { cause });
  } finally {
    // An open stdin would keep the event loop alive.
    input.removeAllListeners('data');
    input.pause();
    if (stop?.aborted) input.destroy();
  }
  // Half of an input is not the prompt that the user meant to send.
  if (stop?.aborted && (whenStopped === 'fail' || chunks.length > 0)) {
    throw new TurnoutError('timeout', 'stdin did not end in time: the prompt is not complete.');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function stdinKind(fd = 0): 'none' | 'pipeline' | 'other' {
  try {
    const stat = fstatSync(fd);
    if (stat.isFile()) return 'pipeline';
    if (stat.isFIFO()) return siblingWritesTo(stat.ino) ? 'pipeline' : 'other';
    return stat.isSocket() ? 'other' : 'none';
  } catch {
    return 'none';
  }
}

/**
 * In a shell's pipeline the program before this one has the same parent, and its stdout is our stdin. Only
 * Linux shows this.
 */
function siblingWritesTo(pipe: number): boolean {
  if (!hasProc()) return false;
  try {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
      .some((pid) => parentOf(pid) === process.ppid && outputOf(pid) === `pipe:[${pipe}]`);
  } catch {
    return false;
  }
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

function outputOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/1`);
  } catch {
    return undefined;
  }
}

function refuseEmpty(prompt: string, example = 'turnout run "explain this repository"'): string {
  if (prompt !== '') return prompt;
  throw new TurnoutError('bad_request', 'There is no prompt.', {
    hint: `Give one: \`${example}\`, or pipe it in.`,
  });
}
