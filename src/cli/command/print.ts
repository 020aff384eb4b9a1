import { exitCodes } from '../../core/exit-codes.js';
import { Terminal } from '../output/terminal.js';

/** Prints what a command was asked for, and returns its exit code. A reader that has left (`| head`) has what it wanted. */
export async function print(text: string, code: number = exitCodes.done): Promise<number> {
  const terminal = new Terminal(process.stdout, process.stderr);
  await terminal.write(text);
  return finishOutput(terminal, code);
}

/** Waits for the end of the output. Returns the exit code: that of the command, or of a stdout that can't be written. */
export async function finishOutput(terminal: Terminal, code: number = exitCodes.done): Promise<number> {
  await terminal.flush();
  if (terminal.writeError === undefined) return terminal.readerGone ? exitCodes.done : code;
  terminal.say(`stdout can't be written: ${terminal.writeError}`);
  return exitCodes.failed;
}

/** Prints the help page of a command. */
export async function printHelp(page: import('./command-page.js').CommandPage): Promise<number> {
  const { helpText } = await import('./help-text.js');
  return print(helpText(page));
}
