import type { StoredRun } from './runs.js';

/** STUB until the faces' part is merged. */
export function markdownReport(stored: StoredRun): string {
  return `# ${stored.summary.chain}\n`;
}
