import { closeSync, constants, openSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream } from 'node:tty';
import type { PermissionDecision, PermissionRequestEvent } from '../../core/chat-event.js';
import { hasColours } from '../../core/colours.js';
import { requestRows } from '../chat/state/describe-request.js';
import { renderLine } from '../chat/text/styled-line.js';
import type { Terminal } from '../output/terminal.js';
import { withLeads } from './where-it-leads.js';

const answers: Readonly<Record<string, PermissionDecision>> = {
  y: 'allow',
  yes: 'allow',
  a: 'allow_always',
  always: 'allow_always',
  n: 'deny',
  no: 'deny',
};

export interface Answer {
  readonly decision: PermissionDecision;
  readonly message?: string;
}

/**
 * Asks the person at the terminal, one question at a time. Without a terminal the answer is `deny`; a
 * question that is withdrawn gets no answer. `cwd` is where the agent works.
 */
export function askInTerminal(
  asked: PermissionRequestEvent,
  cwd: string,
  terminal: Terminal,
  withdrawn: AbortSignal,
): Promise<Answer | undefined> {
  let begun = false;
  const answer = last.then(() => {
    if (withdrawn.aborted) return undefined;
    begun = true;
    return ask(asked, cwd, terminal, withdrawn);
  });
  last = answer.catch(() => undefined);
  // A question that is withdrawn while it still waits for the one before it is dropped without a message.
  const dropped = new Promise<undefined>((resolve) => {
    withdrawn.addEventListener('abort', () => (begun ? undefined : resolve(undefined)), { once: true });
  });
  return Promise.race([answer, dropped]);
}

let last: Promise<unknown> = Promise.resolve();

async function ask(
  asked: PermissionRequestEvent,
  cwd: string,
  terminal: Terminal,
  withdrawn: AbortSignal,
): Promise<Answer | undefined> {
  const input = openTerminal();
  if (input === undefined) {
    terminal.say(
      `${asked.tool} was denied: there is no terminal to ask in (use --permission-mode bypass, edits or plan)`,
    );
    return { decision: 'deny', message: 'There is nobody to ask for permission.' };
  }
  const always = asked.options.includes('allow_always');
  const choices = always ? '[y]es, [a]lways, [n]o' : '[y]es, [n]o';
  const { title, rows } = requestRows(await withLeads(asked, cwd), terminal.columns ?? 80, cwd);
  const colours = hasColours(process.stderr);
  process.stderr.write(`${[...title, ...rows].map((line) => renderLine(line, colours)).join('\n')}\n`);
  dropTyped(input);
  const lines = createInterface({ input, output: process.stderr, terminal: false });
  // Ctrl-D, or a terminal that goes away, closes the input: the question alone would wait for ever.
  const closed = new Promise<never>((_, reject) => {
    lines.once('close', () => reject(new Error('The terminal was closed.')));
  });
  closed.catch(() => undefined);
  try {
    for (;;) {
      const question = lines.question(`turnout: allow it? ${choices}: `, { signal: withdrawn });
      const typed = await Promise.race([question, closed]);
      const decision = answers[typed.trim().toLowerCase()];
      if (decision === 'deny') return { decision, message: 'The user said no.' };
      if (decision !== undefined && asked.options.includes(decision)) return { decision };
    }
  } catch {
    // The cursor stands behind the question, so what follows begins on a new line.
    process.stderr.write('\n');
    if (!withdrawn.aborted) return { decision: 'deny', message: 'The user gave no answer.' };
    terminal.say(`the question was withdrawn: ${withdrawn.reason}`);
    return undefined;
  } finally {
    lines.close();
    input.destroy();
  }
}

/**
 * Drops what was typed before the question could be read: it is no answer to it. A line without its end can be read in raw mode
 * only. All of this happens at once, so that no Ctrl-C falls into it.
 */
function dropTyped(input: ReadStream): void {
  let typed: number | undefined;
  try {
    typed = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK);
    input.setRawMode(true);
    const bytes = Buffer.alloc(4096);
    while (readSync(typed, bytes) > 0);
  } catch {
    // Nothing (more) is there.
  } finally {
    input.setRawMode(false);
    if (typed !== undefined) closeSync(typed);
  }
}

/** Opens the terminal itself: stdin may be the prompt's pipe. */
function openTerminal() {
  if (!process.stderr.isTTY) return undefined;
  try {
    // A file stream would wait for a key in a thread that nothing can stop; a terminal's own can be closed.
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    return undefined;
  }
}
