import { markerLine } from '../runner/marker.js';
import { markerVariable } from './run-program.js';

/**
 * The words that every agent of a chain is told in front of its system prompt. Without them CLIs stop to ask somebody who is not
 * there. `docs/chains.md` has them too.
 */
export function unattendedInstructions(nonce?: string): string {
  return `You run unattended, as one step of a chain of agents. Nobody watches, and nobody can answer.

- Don't ask questions and don't wait for a confirmation. Decide by yourself, choose the simplest thing that is right, and say what you have assumed.
- Work on until the task that you were given is done, and check your work before you say so.
- When all of it is really done, print the following line, on a line of its own, as the last line of your answer:

${markerLine(nonce)}

- If something is left to do, end without that line, and say what is left: you may be run again, and your work stays in the directory.
- If it can't be done, say why, and end without that line. Never print it to be polite, in a quotation, or as an example.`;
}

/** The nonce of the chain that has started this process as a program, if it has one. */
export function nonceIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return /^ORCHESTRA_COMPLETE:([\w-]{1,128})$/.exec(env[markerVariable] ?? '')?.[1];
}

/** The system prompt of an agent in a chain. */
export function unattendedPrompt(systemPrompt: string, nonce?: string): string {
  const instructions = unattendedInstructions(nonce);
  return systemPrompt === '' ? instructions : `${instructions}\n\n${systemPrompt}`;
}

/** Stands behind the prompt of a run whose predecessor was killed. */
export const interruptedRemark =
  '[Turnout] An earlier run of this step was interrupted. Look at what it has left in the directory before you begin.';

/** Stands behind the prompt of the run that follows a claim which did not hold. */
export function verifyRemark(command: string, output: string): string {
  return `[Turnout] The last run said that the work is complete, but the check \`${command}\` failed. The end of its output:\n\n${output}`;
}
