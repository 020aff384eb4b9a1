import { createLog, type Log } from '../../../src/config/log.js';

/** A log whose lines can be read, without those of `debug`, as a user would see it. */
export function logLines(): { log: Log; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  return { log: createLog('info', (line) => lines.push(JSON.parse(line))), lines };
}
