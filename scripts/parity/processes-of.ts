import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The processes that still run with a home's mark in its environment, after a moment to end. Only Linux lets us look. */
export async function processesOf(mark: string): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  for (let attempt = 0; ; attempt++) {
    const found = await look(mark);
    if (found.length === 0 || attempt === 30) return found;
    await sleep(100);
  }
}

async function look(mark: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (!environment.includes(`TURNOUT_LAB=${mark}\0`)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command !== '') found.push(`${pid} ${command.replaceAll('\0', ' ').trim().slice(0, 100)}`);
  }
  return found;
}
