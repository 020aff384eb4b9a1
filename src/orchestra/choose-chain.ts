import { nearest } from '../core/distance.js';
import { TurnoutError } from '../core/errors.js';
import type { ChainEntry } from './chain-schema.js';
import { looksLikeOneLine, parseOneLine } from './one-line.js';
import { type ChainFile, chainFilePaths } from './read-chain-file.js';

export interface ChosenChain {
  readonly name: string;
  readonly entry: ChainEntry;
  /** The path in front of what is wrong: `chains.build`, or nothing for a chain in one line. */
  readonly place: string;
}

/**
 * Finds the chain that is meant: one of the file by its name, a chain in one line, or the only one of the file. One word is a chain
 * in one line, too. Beside a chain file, or without the word `run`, it has to be the name of an agent then: a chain or a command
 * that is misspelt must not run a program.
 */
export function chooseChain(
  asked: string | undefined,
  file: ChainFile | undefined,
  isAgent: (name: string) => boolean,
  mayBeProgram: boolean,
): ChosenChain {
  if (asked === undefined) return onlyChain(file);
  const entry = file?.chains.get(asked);
  if (entry !== undefined) return { name: asked, entry, place: `chains.${asked}` };
  if (looksLikeOneLine(asked) || isAgent(asked.trim()) || (file === undefined && mayBeProgram)) {
    const steps = parseOneLine(asked).map((step) => ({ ...step }));
    return { name: asked, entry: { steps }, place: '' };
  }
  const names = [...(file?.chains.keys() ?? [])];
  const near = nearest(asked, names);
  const guess = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new TurnoutError('bad_request', `There is no chain ${JSON.stringify(asked)}.${guess}`, {
    hint: `${listed(file)} A chain in one line looks like this: planner:3 -> builder:10`,
  });
}

function onlyChain(file: ChainFile | undefined): ChosenChain {
  const [first, second] = [...(file?.chains ?? [])];
  if (first !== undefined && second === undefined) {
    return { name: first[0], entry: first[1], place: `chains.${first[0]}` };
  }
  throw new TurnoutError('bad_request', 'No chain was named.', { hint: listed(file) });
}

function listed(file: ChainFile | undefined): string {
  if (file === undefined)
    return `There is no chain file here; these were looked for: ${chainFilePaths.join(', ')}.`;
  return `${file.path} has: ${[...file.chains.keys()].join(', ') || 'no chains'}.`;
}
