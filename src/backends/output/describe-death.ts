import { describeExit, type ProcessExit } from '../../process/start-process.js';

/**
 * What became of a CLI that has ended by itself. What it wrote before a SIGKILL is not the reason, and in a process that has
 * run for hours it may be hours old. Any other signal may be ours: a CLI that closes its output is asked to end, and what it
 * wrote before that is why.
 */
export function describeDeath(label: string, exit: ProcessExit, stderr: string): string {
  const how = describeExit(exit);
  if (exit.signal === 'SIGKILL') return `${label} was killed (${how})`;
  const words = stderr.trim().slice(-500).trimStart();
  if (exit.signal === null) return `${label} CLI error (${how}): ${words || 'unknown error'}`;
  return words === '' ? `${label} ended (${how})` : `${label} ended (${how}). Its last words: ${words}`;
}
