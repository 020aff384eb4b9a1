import { readFile } from 'node:fs/promises';
import { residentBytesByPs } from './read-ps.js';
import { hasProc } from './system.js';

const pageBytes = 4096;

/** Returns the resident memory of one process in bytes; 0 if it can't be measured. */
export async function residentBytes(pid: number): Promise<number> {
  if (!hasProc()) return await residentBytesByPs(pid).catch(() => 0);
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(statm.split(' ')[1] ?? 0) * pageBytes || 0;
}
