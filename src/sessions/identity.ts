const numbers = new WeakMap<object, number>();
let count = 0;

/**
 * Returns a number for an object, 0 for none. A process is traced as a whole and was started by one adapter, so it is shared
 * only by sessions with the same trace and the same adapter, or with none.
 */
export function identityOf(object: object | undefined): number {
  if (object === undefined) return 0;
  const known = numbers.get(object);
  if (known !== undefined) return known;
  count += 1;
  numbers.set(object, count);
  return count;
}
