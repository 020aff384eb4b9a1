import { readdirSync, readFileSync } from 'node:fs';

/** Fails the run if after the whole suite a process with our marker is still alive. */
export default function setup(): () => Promise<void> {
  const mark = `TURNOUT_SUITE=${process.pid}.${Date.now()}`;
  const [name, value] = mark.split('=');
  if (name !== undefined) process.env[name] = value;
  return async () => {
    let left = survivors(mark);
    for (let attempt = 0; left.length > 0 && attempt < 30; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      left = survivors(mark);
    }
    if (left.length === 0) return;
    // vitest only prints an error of a teardown, so the exit code is set at the exit.
    process.once('exit', () => {
      process.exitCode = 1;
    });
    throw new Error(`Processes left behind by the tests:\n${left.join('\n')}`);
  };
}

/** vitest's own workers inherit the marker as well; they are its children, and it ends them itself. */
function survivors(mark: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark)) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return isWorkerOfVitest(command) ? [] : [`${pid} ${command}`];
      } catch {
        return [];
      }
    });
}

function isWorkerOfVitest(command: string): boolean {
  return (
    command === '' ||
    /node_modules\/(vitest|esbuild|@esbuild|tinypool)/.test(command) ||
    command.includes('(vitest')
  );
}
