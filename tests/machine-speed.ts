/** How long a test waits for what should happen at once: long enough for a machine that is busy with something else. */
export const patience = { timeout: 25_000, interval: 20 };

/** Processor time that this process has used so far: unlike the clock, it doesn't grow while others have the processor. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
