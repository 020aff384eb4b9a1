import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface RunningDemo {
  /** The address that it printed, with the token. */
  readonly url: string;
  stop(): Promise<void>;
}

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Starts a command that prints `Open <address>`, as `turnout demo` does, and waits for that line. */
export async function startDemo(
  [command, ...args]: readonly [string, ...string[]],
  { env, cwd = root }: { readonly env: Readonly<Record<string, string>>; readonly cwd?: string },
): Promise<RunningDemo> {
  const child = spawn(command, args, {
    cwd,
    // Nothing of this machine's settings and logins is for a demo.
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm starts a shell, and that the program: a signal is for all of them.
    detached: true,
  });
  const closed = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const stop = async (): Promise<void> => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    } catch {
      // It has ended by itself.
    }
    await closed;
  };
  for await (const line of createInterface(child.stdout)) {
    const url = /^Open (\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url, stop };
  }
  await closed;
  throw new Error(`\`${[command, ...args].join(' ')}\` ended without an address:\n${said}`);
}
