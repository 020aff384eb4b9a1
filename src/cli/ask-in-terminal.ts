import { openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream } from 'node:tty';
import type { PermissionDecision, PermissionRequestEvent } from '../core/chat-event.js';
import type { Terminal } from './terminal.js';

const answers: Readonly<Record<string, PermissionDecision>> = {
  y: 'allow',
  yes: 'allow',
  a: 'allow_always',
  always: 'allow_always',
  n: 'deny',
  no: 'deny',
};

/** Asks the person at the terminal, one question at a time. Where there is none, the answer is no. */
export function askInTerminal(
  asked: PermissionRequestEvent,
  terminal: Terminal,
): Promise<{ decision: PermissionDecision; message?: string }> {
  const answer = last.then(() => ask(asked, terminal));
  last = answer.catch(() => undefined);
  return answer;
}

let last: Promise<unknown> = Promise.resolve();

async function ask(asked: PermissionRequestEvent, terminal: Terminal) {
  const input = openTerminal();
  if (input === undefined) {
    terminal.say(
      `${asked.tool} was denied: there is no terminal to ask in (use --permission-mode bypass, edits or plan)`,
    );
    return { decision: 'deny' as const, message: 'There is nobody to ask for permission.' };
  }
  const always = asked.options.includes('allow_always');
  const choices = always ? '[y]es, [a]lways, [n]o' : '[y]es, [n]o';
  terminal.say(`the agent wants to use ${asked.tool}: ${JSON.stringify(asked.input)}`);
  const lines = createInterface({ input, output: process.stderr, terminal: false });
  try {
    for (;;) {
      const typed = (await lines.question(`turnout: allow it? ${choices}: `)).trim().toLowerCase();
      const decision = answers[typed];
      if (decision === 'deny') return { decision, message: 'The user said no.' };
      if (decision !== undefined && asked.options.includes(decision)) return { decision };
    }
  } catch {
    return { decision: 'deny' as const, message: 'The terminal was closed.' };
  } finally {
    lines.close();
    input.destroy();
  }
}

/** Not stdin: that may be the prompt's pipe. */
function openTerminal() {
  if (!process.stderr.isTTY) return undefined;
  try {
    // A file stream would wait for a key in a thread that nothing can stop; a terminal's own stream can be left.
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    return undefined;
  }
}
