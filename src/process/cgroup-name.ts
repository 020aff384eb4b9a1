import type { Mark } from './mark-child.js';

/** The name of a run's cgroup is its mark. */
export function cgroupName({ owner, home, run }: Mark): string {
  return `turnout-${owner}@${home}-${run}`;
}

/** Reads the mark from a cgroup's path. A Turnout inside a run of another one has the inner name: it counts. */
export function markInCgroup(path: string): Mark | undefined {
  const [, owner, home, run] = [...path.matchAll(namePattern)].at(-1) ?? [];
  return owner === undefined || home === undefined || run === undefined ? undefined : { owner, home, run };
}

const namePattern = /\/turnout-(\d+\.\d+)@([0-9a-f]+)-([0-9a-f-]{36})(?=\/|\n|$)/g;
