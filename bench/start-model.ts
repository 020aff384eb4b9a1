import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The scripted model in a process of its own. */
export async function startModel(): Promise<{ readonly url: string; close(): Promise<unknown> }> {
  const program = fileURLToPath(new URL('scripted-model.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    url,
    close() {
      child.stdin.end();
      return exit;
    },
  };
}
