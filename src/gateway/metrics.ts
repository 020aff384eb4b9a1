import { TurnoutError } from '../core/errors.js';

export type Labels = Readonly<Record<string, string | number>>;
type Read<T> = () => T | Promise<T>;

/** Counts for Prometheus, in its text format 0.0.4. */
export class Metrics {
  readonly #families = new Map<string, Family>();

  counter(name: string, help: string, options: { readonly labelled?: boolean } = {}): Counter {
    return this.#add(name, new Counter(help, options.labelled ?? false));
  }

  /** `read` is called whenever somebody asks: it gives a number, or one for each set of labels. */
  gauge(name: string, help: string, read: Read<number | Iterable<readonly [Labels, number]>>): void {
    this.#add(name, new Gauge(help, read));
  }

  /** `buckets` are upper bounds, rising. A last bucket without a bound is added. */
  histogram(name: string, help: string, buckets: readonly number[]): Histogram {
    return this.#add(name, new Histogram(help, buckets));
  }

  async render(): Promise<string> {
    const parts: string[] = [];
    for (const [name, family] of this.#families) {
      const samples = await family.samples(name);
      parts.push(`# HELP ${name} ${escapeHelp(family.help)}\n# TYPE ${name} ${family.type}\n`, ...samples);
    }
    return parts.join('');
  }

  #add<F extends Family>(name: string, family: F): F {
    if (!/^turnout_[a-z0-9_]+$/.test(name) || this.#families.has(name)) {
      throw new TurnoutError('bad_request', `The metric ${name} is there already, or not named turnout_….`);
    }
    this.#families.set(name, family);
    return family;
  }
}

/** All samples of one name. */
interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  samples(name: string): readonly string[] | Promise<readonly string[]>;
}

export class Counter implements Family {
  readonly type = 'counter';
  readonly #values = new Map<string, number>();

  constructor(
    readonly help: string,
    labelled: boolean,
  ) {
    // A counter without labels is shown from the start: a rate over it needs its zero.
    if (!labelled) this.#values.set('', 0);
  }

  inc(labels: Labels = {}, by = 1): void {
    const key = renderLabels(labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + by);
  }

  samples(name: string): readonly string[] {
    return [...this.#values].map(([labels, value]) => sample(name, labels, value));
  }
}

class Gauge implements Family {
  readonly type = 'gauge';
  readonly #read: Read<number | Iterable<readonly [Labels, number]>>;

  constructor(
    readonly help: string,
    read: Read<number | Iterable<readonly [Labels, number]>>,
  ) {
    this.#read = read;
  }

  async samples(name: string): Promise<readonly string[]> {
    try {
      const value = await this.#read();
      const values = typeof value === 'number' ? [[{}, value] as const] : [...value];
      return values.map(([labels, one]) => sample(name, renderLabels(labels), one));
    } catch {
      // A gauge that can't be read now (a locked store) is absent, as Prometheus expects, and hides no other.
      return [];
    }
  }
}

export class Histogram implements Family {
  readonly type = 'histogram';
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, { labels: Labels; counts: number[]; sum: number }>();

  constructor(
    readonly help: string,
    bounds: readonly number[],
  ) {
    this.#bounds = [
      ...bounds.filter((bound) => bound !== Number.POSITIVE_INFINITY),
      Number.POSITIVE_INFINITY,
    ];
  }

  observe(value: number, labels: Labels = {}): void {
    const key = renderLabels(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels, counts: this.#bounds.map(() => 0), sum: 0 };
      this.#series.set(key, series);
    }
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket === -1) return;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += value;
  }

  samples(name: string): readonly string[] {
    return [...this.#series].flatMap(([key, { labels, counts, sum }]) => {
      let total = 0;
      const buckets = this.#bounds.map((bound, index) => {
        total += counts[index] ?? 0;
        return sample(`${name}_bucket`, renderLabels(labels, renderNumber(bound)), total);
      });
      return [...buckets, sample(`${name}_sum`, key, sum), sample(`${name}_count`, key, total)];
    });
  }
}

function sample(name: string, labels: string, value: number): string {
  return `${name}${labels} ${renderNumber(value)}\n`;
}

/** Labels are sorted: the same ones in another order are the same series. */
function renderLabels(labels: Labels, le?: string): string {
  const pairs = Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(String(value))}"`)
    .sort();
  if (le !== undefined) pairs.push(`le="${le}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function renderNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
