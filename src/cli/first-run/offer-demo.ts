import { askLine } from '../output/ask-line.js';
import { say, writeShown } from '../output/say.js';
import type { NoneInstalled } from './installed-backend.js';

/** Explains that there is no CLI, and asks in the terminal whether the demo is to be started instead. */
export async function wantsDemo(missing: NoneInstalled): Promise<boolean> {
  say(`${missing.explanation}\n`);
  const typed = await askLine('Enter starts the demo (no account needed), Ctrl-C leaves: ');
  if (typed === undefined) writeShown(process.stdout, '\n');
  return typed !== undefined && /^(y|yes)?$/i.test(typed.trim());
}
