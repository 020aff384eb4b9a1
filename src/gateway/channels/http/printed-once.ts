import { SharedData } from './event-stream.js';

/** Smaller ones are printed as fast as they are found. */
const largeBytes = 2 * 1024;

/**
 * Prints what an object stands for once, for all readers that are told of the same object. Nothing is kept alive by it: the
 * bytes stay as long as a reader has not taken them.
 */
export class PrintedOnce<T extends object> {
  readonly #known = new WeakMap<T, WeakRef<SharedData>>();

  print(source: T, data: () => unknown): SharedData {
    const known = this.#known.get(source)?.deref();
    if (known !== undefined) return known;
    const printed = new SharedData(Buffer.from(JSON.stringify(data())));
    if (printed.bytes.length > largeBytes) this.#known.set(source, new WeakRef(printed));
    return printed;
  }
}
