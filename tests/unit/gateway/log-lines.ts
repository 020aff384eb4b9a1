import { createLog, type Log } from '../../../src/config/log.js';

/** A log that can be read: below `debug`, as a user would see it. */
export function logLines(): { log: Log; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  return { log: createLog('info', (line) => lines.push(JSON.parse(line))), lines };
}
