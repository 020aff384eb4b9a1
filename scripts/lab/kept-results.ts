import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions } from '../../src/backends/launch/cli-version.js';
import { type VendorName, vendorNames } from '../../src/backends/names.js';
import { compatibilityPage, type KeptResults, type VersionResults } from '../../src/lab/compatibility.js';
import type { Scenario } from '../../src/lab/scenario.js';

/** The results in docs/compatibility.json, and what is written from them: the page, and the list of vetted versions. */
export class KeptResultsFile {
  readonly #file: string;
  readonly #page: string;
  readonly #pinned: Readonly<Record<VendorName, string>>;
  readonly #scenarios: readonly Scenario[];
  readonly #vetted: string | undefined;

  constructor(
    directory: string,
    pinned: Readonly<Record<VendorName, string>>,
    scenarios: readonly Scenario[],
    vettedFile?: string,
  ) {
    this.#file = join(directory, 'compatibility.json');
    this.#page = join(directory, 'compatibility.md');
    this.#pinned = pinned;
    this.#scenarios = scenarios;
    this.#vetted = vettedFile;
  }

  read(): KeptResults {
    return existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')) : {};
  }

  /** True if the version has a column, or gets one: the pinned ones always do. */
  hasColumn(cli: VendorName, version: string): boolean {
    return version === this.#pinned[cli] || this.read()[cli]?.[version] !== undefined;
  }

  /** Puts one version's results into its column. The other columns stay as they are. */
  put(cli: VendorName, version: string, results: VersionResults): void {
    const kept = this.read();
    this.#write({ ...kept, [cli]: { ...kept[cli], [version]: results } });
  }

  /** Drops the columns of all other versions but the pinned one. */
  keepOnly(cli: VendorName, versions: readonly string[]): void {
    const kept = this.read();
    const wanted = new Set([...versions, this.#pinned[cli]]);
    const left = Object.entries(kept[cli] ?? {}).filter(([version]) => wanted.has(version));
    this.#write({ ...kept, [cli]: Object.fromEntries(left) });
  }

  /** The file is replaced in one step: a run that is killed leaves it whole. */
  #write(kept: KeptResults): void {
    const sorted = Object.fromEntries(
      vendorNames.flatMap((cli) => {
        const versions = Object.entries(kept[cli] ?? {}).sort(([a], [b]) => compareVersions(b, a));
        return versions.length === 0 ? [] : [[cli, Object.fromEntries(versions)]];
      }),
    );
    replaceFile(this.#file, `${JSON.stringify(sorted, null, 1)}\n`);
    replaceFile(this.#page, compatibilityPage(sorted, this.#pinned, this.#scenarios));
    if (this.#vetted !== undefined) replaceFile(this.#vetted, vettedList(this.#vettedIn(sorted)));
  }

  /** The pinned version first, then the others that passed every scenario, the newest first. */
  #vettedIn(kept: KeptResults): readonly (readonly [VendorName, readonly string[]])[] {
    return vendorNames.map((cli) => {
      const others = Object.entries(kept[cli] ?? {})
        .filter(([version, results]) => version !== this.#pinned[cli] && this.#passed(results))
        .map(([version]) => version);
      return [cli, [this.#pinned[cli], ...others]];
    });
  }

  #passed({ cannotRun, states }: VersionResults): boolean {
    if (cannotRun !== undefined) return false;
    return this.#scenarios.every(({ id }) => states[id] === 'passed' || states[id] === 'skipped');
  }
}

function vettedList(versions: readonly (readonly [VendorName, readonly string[]])[]): string {
  const rows = versions.map(
    ([cli, list]) => `  ${JSON.stringify(cli)}: [${list.map((one) => JSON.stringify(one)).join(', ')}]`,
  );
  return `{\n${rows.join(',\n')}\n}\n`;
}

function replaceFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}
