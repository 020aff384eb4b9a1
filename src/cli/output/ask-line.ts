import { createInterface } from 'node:readline/promises';
import { shown } from './say.js';

/** Asks a question in the terminal. Undefined if the person gives no answer: Ctrl-C, Ctrl-D, or a terminal that goes away. */
export async function askLine(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    return await Promise.race([lines.question(shown(question)), closed]);
  } finally {
    lines.close();
  }
}

/** True if a person can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}
