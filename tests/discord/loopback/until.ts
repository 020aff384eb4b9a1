import { patience } from '../../machine-speed.js';

/** Waits until the condition gives something, and gives that back. Fails with `what` after a while. */
export async function until<T>(
  condition: () => T | Promise<T>,
  what = 'the condition',
  milliseconds = patience.timeout,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`Waited ${milliseconds} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
