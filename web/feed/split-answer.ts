import type { Step } from './turn.js';

export interface SplitAnswer {
  /** The steps to show above the answer. */
  readonly steps: readonly Step[];
  /** True if the answer is in the steps as a whole: a message came in between its parts. */
  readonly isWhole: boolean;
}

/** Tells the steps of a turn from its answer, so that nothing is shown twice. */
export function splitAnswer(steps: readonly Step[], answer: string): SplitAnswer {
  const at = steps.findLastIndex(({ type }) => type === 'steering');
  if (at === -1) return { steps: withoutAnswer(steps), isWhole: false };
  const lastTool = steps.findLastIndex(({ type }) => type === 'tool');
  const spoken = steps.slice(0, at).some(({ type }) => type === 'text');
  if (spoken && firstSaid(steps, answer) < at) return { steps, isWhole: true };
  // The answer is what was said behind the message, or behind the last tool.
  const from = Math.max(at, lastTool);
  const isBehind = isSame(textOf(steps.slice(from + 1)), answer);
  return { steps: isBehind ? withoutText(steps, from) : withoutAnswer(steps), isWhole: false };
}

/** The text behind the last tool is the answer, which the message holds. */
export function withoutAnswer(steps: readonly Step[]): readonly Step[] {
  return withoutText(
    steps,
    steps.findLastIndex(({ type }) => type === 'tool'),
  );
}

function withoutText(steps: readonly Step[], behind: number): readonly Step[] {
  return steps.filter(({ type }, index) => index <= behind || type !== 'text');
}

/** The first step of those that say the answer: what was said before a tool in between need not be a part of it. */
function firstSaid(steps: readonly Step[], answer: string): number {
  let left = answer.replaceAll(/\s/g, '');
  for (let index = steps.length - 1; index >= 0 && left !== ''; index -= 1) {
    const step = steps[index];
    const said = step?.type === 'text' ? step.text.replaceAll(/\s/g, '') : '';
    if (said === '' || !left.endsWith(said)) continue;
    left = left.slice(0, -said.length);
    if (left === '') return index;
  }
  return Number.POSITIVE_INFINITY;
}

function textOf(steps: readonly Step[]): string {
  return steps.map((step) => (step.type === 'text' ? step.text : '')).join('');
}

function isSame(one: string, other: string): boolean {
  return one.replaceAll(/\s/g, '') === other.replaceAll(/\s/g, '');
}
