import { addAbortSignal, type Readable } from 'node:stream';
import { UsageError } from './arguments.js';

const maxStdinBytes = 10 * 1024 * 1024;
const stdinPatienceMs = 3000;

/** Returns the prompt: the argument, stdin, or both with a line break between them. */
export async function readPrompt(
  argument: string,
  stdin: Readable & { isTTY?: boolean },
  signal: AbortSignal,
): Promise<string> {
  const piped = stdin.isTTY ? '' : await readStdin(stdin, signal);
  const prompt = [argument, piped].filter((part) => part !== '').join('\n');
  if (prompt === '') {
    throw new UsageError(
      'Error: Input must be provided either through stdin or as a prompt argument when using --print',
    );
  }
  if (prompt.trim() === '') throw new UsageError('Error: No messages returned from query');
  return prompt;
}

/** A pipe that nobody writes to or closes would hold the turn for ever: as with Claude, it gets 3 s. */
async function readStdin(stdin: Readable, signal: AbortSignal): Promise<string> {
  addAbortSignal(signal, stdin);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const patience = setTimeout(() => {
    process.stderr.write('Warning: no stdin data received in 3s, proceeding without it.\n');
    stdin.destroy();
  }, stdinPatienceMs);
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      clearTimeout(patience);
      bytes += chunk.length;
      if (bytes > maxStdinBytes) throw new UsageError('Error: piped stdin input exceeds 10MB.');
      chunks.push(chunk);
    }
  } catch (error) {
    // A stream that was destroyed after three seconds, or closed before we began, counts as no input.
    if (error instanceof UsageError || signal.aborted) throw error;
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(chunks).toString('utf8');
}
