import { visibleLines, wholeLine } from '../../core/text.js';
import type { ChainPlan, PlannedStep } from '../../orchestra/types.js';
import { iterationsInWords } from './chain-words.js';

/** A plan for a person: per step the command, and what becomes of its options. */
export function planText({ chain, steps, warnings }: ChainPlan): string {
  const lines = [
    `${wholeLine(chain)}: ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}, nothing has been started`,
    ...steps.flatMap(stepLines),
    ...warnings.map((warning) => `warning: ${wholeLine(warning)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function stepLines(step: PlannedStep, index: number): string[] {
  const { agent, backend, iterations, loop, command, native, emulated, refused } = step;
  const count = loop ? `until the marker, at most ${iterationsInWords(iterations)}` : 'once';
  return [
    '',
    `${index + 1}. ${wholeLine(agent)} (${wholeLine(backend)}), ${count}`,
    `   command   ${shownCommand(command)}`,
    ...list('native', native),
    ...list('emulated', emulated),
    ...refused.flatMap((option, place) => [
      `   ${place === 0 ? 'refused ' : '        '}  ${wholeLine(option)}`,
    ]),
  ];
}

/** The command as it is, except that nothing in it steers the terminal: it is there to be copied. */
export function shownCommand(command: string): string {
  return visibleLines(command).join('\n');
}

function list(label: string, options: readonly string[]): string[] {
  return options.length === 0 ? [] : [`   ${label.padEnd(8)}  ${options.map(wholeLine).join(', ')}`];
}
