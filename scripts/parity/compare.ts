import type { Compared, DeclaredDifference } from './declared.js';
import type { Fact } from './facts.js';

export interface Comparison {
  /** The differences that were declared for this scenario. */
  readonly declared: readonly DeclaredDifference[];
  /** Differences that should not be there, and declared ones that are not. Empty: as declared. */
  readonly problems: readonly string[];
}

/** Item by item, after what is declared was taken out of both lists. */
export function compare(
  sdk: readonly Fact[],
  turnout: readonly Fact[],
  declarations: readonly DeclaredDifference[],
  compared: Compared,
  scenario: string,
): Comparison {
  const declared = declarations.filter(({ where }) => where[compared]?.includes(scenario));
  const differing = firstDifference(sdk, turnout, declared);
  if (differing !== undefined) return { declared, problems: [differing] };
  const stale = declared.filter(
    (one) =>
      !one.sometimes &&
      firstDifference(
        sdk,
        turnout,
        declared.filter((other) => other !== one),
      ) === undefined,
  );
  return { declared, problems: stale.map(({ reason }) => `declared, but it does not show: ${reason}`) };
}

function firstDifference(
  sdk: readonly Fact[],
  turnout: readonly Fact[],
  declared: readonly DeclaredDifference[],
): string | undefined {
  const theirs = lines(declared.reduce((facts, { takeOut }) => takeOut(facts), sdk));
  const ours = lines(declared.reduce((facts, { takeOut }) => takeOut(facts), turnout));
  const length = Math.max(theirs.length, ours.length);
  for (let index = 0; index < length; index++) {
    if (theirs[index] === ours[index]) continue;
    return [
      `item ${index + 1} differs`,
      `  SDK:     ${theirs[index] ?? 'nothing more'}`,
      `  Turnout: ${ours[index] ?? 'nothing more'}`,
    ].join('\n');
  }
  return undefined;
}

function lines(facts: readonly Fact[]): readonly string[] {
  return facts.map((fact) => JSON.stringify(fact, sortedKeys));
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
