/** A channel's page of a day that is behind the rows. */
export interface DirtyPage {
  readonly channel: string;
  readonly day: string;
  /** The earliest change that the page lacks. */
  readonly since: number;
  /** The page is not written before this time. */
  readonly due: number;
}

/** The pages to write: at most one entry for each channel and day, however much happens there. */
export class DirtyPages {
  readonly #pages = new Map<string, DirtyPage>();

  get size(): number {
    return this.#pages.size;
  }

  add(page: DirtyPage): void {
    const known = this.#pages.get(keyOf(page));
    const merged = known === undefined ? page : { ...known, since: Math.min(known.since, page.since) };
    this.#pages.set(keyOf(page), merged);
  }

  /**
   * Takes the first page that is due: those that changed first come first. No page waits for longer than `longestMs`: one
   * that is due later than that was put off by a clock that is set back by now.
   */
  take(now: number, longestMs = Number.POSITIVE_INFINITY): DirtyPage | undefined {
    for (const [key, page] of this.#pages) {
      if (page.due > now && page.due <= now + longestMs) continue;
      this.#pages.delete(key);
      return page;
    }
    return undefined;
  }

  /** The time when the next page is due. */
  nextDue(): number | undefined {
    return least([...this.#pages.values()].map(({ due }) => due));
  }

  /** The earliest change that is on no page yet. */
  oldest(): number | undefined {
    return least([...this.#pages.values()].map(({ since }) => since));
  }
}

function keyOf({ channel, day }: DirtyPage): string {
  return `${day} ${channel}`;
}

function least(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((one, other) => Math.min(one, other));
}
