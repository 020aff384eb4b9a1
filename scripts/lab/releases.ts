import { compareVersions } from '../../src/backends/launch/cli-version.js';

/** The time at which each version was published, as `npm view <package> time --json` prints it. */
export type PublishedAt = Readonly<Record<string, string>>;

export interface ReleaseChoice {
  /** The number of calendar months before the current one. */
  readonly months: number;
  readonly now: Date;
  /** Versions that are taken whenever they came out: the pinned one and today's. */
  readonly also: readonly string[];
}

/**
 * The newest stable release of each of the last months, and the versions of `also`, newest first. The newest one is the
 * highest version: old release lines get fixes, and registries tell a new date for an old version. A month whose highest
 * version is below that of a month before it brought no release.
 */
export function chooseReleases(
  published: PublishedAt,
  { months, now, also }: ReleaseChoice,
): readonly string[] {
  const stable = Object.keys(published).filter((version) => /^\d+\.\d+\.\d+$/.test(version));
  const chosen = new Set(also);
  let before = '0.0.0';
  for (const month of lastMonths(months, now)) {
    const highest = stable
      .filter((version) => published[version]?.startsWith(month))
      .sort(compareVersions)
      .at(-1);
    if (highest === undefined || compareVersions(highest, before) < 0) continue;
    chosen.add(highest);
    before = highest;
  }
  return [...chosen].sort(compareVersions).reverse();
}

/** The months before the current one as `2026-10`, oldest first. */
function lastMonths(count: number, now: Date): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count + index, 1));
    return first.toISOString().slice(0, 7);
  });
}
