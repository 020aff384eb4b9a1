import { type Stats, statSync } from 'node:fs';
import { basename } from 'node:path';

/** What became of a file that this process relies on. */
export interface LostFile {
  readonly file: string;
  readonly fate: 'removed' | 'replaced' | 'truncated';
}

/**
 * Remembers which file has a name. It looks at the name only: to open a file and close it again would end the locks that this
 * process holds on it.
 */
export class KnownFile {
  readonly path: string;
  readonly #known: Stats;

  constructor(path: string) {
    this.path = path;
    this.#known = statSync(path);
  }

  get name(): string {
    return basename(this.path);
  }

  /** Undefined if the file is still there, or if the system doesn't say: whoever uses the file hears of that. */
  check(): LostFile | undefined {
    try {
      const found = statSync(this.path, { throwIfNoEntry: false });
      if (found === undefined) return { file: this.name, fate: 'removed' };
      const { dev, ino } = this.#known;
      return found.dev === dev && found.ino === ino ? undefined : { file: this.name, fate: 'replaced' };
    } catch {
      return undefined;
    }
  }
}
