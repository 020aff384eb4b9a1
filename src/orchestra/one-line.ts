import { TurnoutError } from '../core/errors.js';

/** One step of a chain that is given as one line: `planner:3 -> builder:10`. */
export interface OneLineStep {
  readonly agent: string;
  /** The most runs of a loop that ends with the marker; none: the step runs once. */
  readonly iterations?: number;
}

/** True if the text can't be the name of a chain: it has an arrow or a count. */
export function looksLikeOneLine(text: string): boolean {
  return text.includes('->') || text.includes(':');
}

/** Reads a chain in one line. Spaces, tabs and line ends around arrows and colons don't matter. */
export function parseOneLine(text: string): readonly OneLineStep[] {
  return text.split('->').map((part, index) => parseStep(part.trim(), index + 1));
}

function parseStep(text: string, number: number): OneLineStep {
  if (text === '') throw wrong(number, 'is empty: an arrow stands between two agents');
  const [agent = '', ...counts] = text.split(':').map((part) => part.trim());
  if (agent === '') throw wrong(number, `has no agent in front of the colon: ${JSON.stringify(text)}`);
  if (!agentName.test(agent)) {
    throw wrong(
      number,
      `has ${JSON.stringify(agent)} for an agent: a name has letters, digits, "-" and "_", and begins with a letter or digit`,
    );
  }
  if (counts.length === 0) return { agent };
  if (counts.length > 1) throw wrong(number, `has more than one count: ${JSON.stringify(text)}`);
  const [count = ''] = counts;
  if (!/^\d+$/.test(count) || Number(count) < 1 || !Number.isSafeInteger(Number(count))) {
    throw wrong(number, `has ${JSON.stringify(count)} for a count: a whole number from 1 on is expected`);
  }
  return { agent, iterations: Number(count) };
}

function wrong(number: number, what: string): TurnoutError {
  return new TurnoutError('bad_request', `Step ${number} of the chain ${what}.`, {
    hint: 'A chain in one line looks like this: planner:3 -> builder:10 -> reviewer',
  });
}

const agentName = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
