import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { TurnoutError } from '../core/errors.js';

type Input = Readable & { readonly isTTY?: boolean; readonly fd?: number };

const patienceMs = 3000;

/** The prompt of the command line, of stdin, or both (the prompt first). */
export async function readPrompt(
  given: string | undefined,
  input: Input,
  say: (line: string) => void,
): Promise<string> {
  if (input.isTTY) {
    if (given !== undefined) return notEmpty(given);
    say('type the prompt, then Ctrl-D:');
    return notEmpty(await readAll(input));
  }
  const piped = given === undefined ? await readAll(input) : await readBeside(input, say);
  if (given === undefined) return notEmpty(piped);
  return notEmpty(piped === '' ? given : `${given}\n${piped}`);
}

/**
 * With a prompt on the command line stdin may be somebody's pipe that never ends. A shell's pipe is waited for,
 * and the person is told; a socket (as another program's `spawn` makes) that stays silent is left alone.
 */
async function readBeside(input: Input, say: (line: string) => void): Promise<string> {
  const kind = stdinKind(input);
  if (kind === 'none') return '';
  const silence = new AbortController();
  const timer = setTimeout(() => {
    if (kind === 'socket') {
      say('nothing on stdin for 3 s: going on without it (close stdin to avoid the wait)');
      silence.abort();
    } else {
      say('waiting for stdin to end (use `< /dev/null` if there is nothing to come)');
    }
  }, patienceMs);
  try {
    return await readAll(input, silence.signal, () => clearTimeout(timer));
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(input: Input, unlessSilent?: AbortSignal, onData?: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  const read = new Promise<void>((resolve, reject) => {
    input.on('data', (chunk: Buffer) => {
      onData?.();
      chunks.push(chunk);
    });
    input.once('end', resolve);
    input.once('error', reject);
    unlessSilent?.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await read;
  } catch (cause) {
    throw new TurnoutError('bad_request', `stdin can't be read: ${(cause as Error).message}`, { cause });
  } finally {
    // An open stdin keeps the event loop alive.
    input.removeAllListeners('data');
    input.pause();
    if (unlessSilent?.aborted) input.destroy();
  }
  return Buffer.concat(chunks).toString('utf8');
}

function stdinKind(input: Input): 'none' | 'socket' | 'other' {
  try {
    const stat = fstatSync(input.fd ?? 0);
    if (stat.isSocket()) return 'socket';
    return stat.isCharacterDevice() || stat.isDirectory() ? 'none' : 'other';
  } catch {
    return 'none';
  }
}

function notEmpty(prompt: string): string {
  if (prompt !== '') return prompt;
  throw new TurnoutError('bad_request', 'There is no prompt.', {
    hint: 'Give one: `turnout run "explain this repository"`, or pipe it in.',
  });
}
