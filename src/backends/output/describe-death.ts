import { describeExit, type ProcessExit, wasKilled } from '../../process/start-process.js';

/**
 * What became of a CLI that has ended by itself. What it wrote before somebody else killed it is not the reason, and in a
 * process that has run for hours it may be hours old.
 */
export function describeDeath(label: string, exit: ProcessExit, lastWords: string): string {
  const how = describeExit(exit);
  if (wasKilled(exit)) return `${label} was killed (${how})`;
  const words = lastWords.trim().slice(-500).trimStart();
  if (exit.signal !== null)
    return words === '' ? `${label} crashed (${how})` : `${label} crashed (${how}): ${words}`;
  return `${label} CLI error (${how}): ${words || 'unknown error'}`;
}
