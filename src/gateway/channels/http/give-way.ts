/** All readers together work for so long, then everything else goes first. */
const shareMs = 2;

let until = 0;
let others: Promise<void> | undefined;

/**
 * Resolves when it is the readers' time to work. Of hundreds that are all behind, each one is sent about a piece at a time, and then
 * the turns, whose output they wait for, go on.
 */
export async function giveWay(): Promise<void> {
  while (others !== undefined && performance.now() >= until) await others;
  if (others !== undefined) return;
  until = performance.now() + shareMs;
  others = new Promise((resolve) => {
    setImmediate(() => {
      others = undefined;
      resolve();
    });
  });
}
