import { readFile } from 'node:fs/promises';

const pageBytes = 4096;

/** Returns the resident memory of one process in bytes; 0 where it can't be measured. */
export async function residentBytes(pid: number): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(statm.split(' ')[1] ?? 0) * pageBytes || 0;
}
