import { spawn } from 'node:child_process';
import type { Environment } from '../../config/home-directory.js';
import { linkOnce } from './link-once.js';

/** Opens an address in the browser of whoever sits in front of this machine, if somebody does. Resolves when it has come. */
export async function openBrowser(url: string): Promise<void> {
  const command = browserCommand(process.platform, process.env, process.stdout.isTTY);
  if (command === undefined) return;
  try {
    // Every user of the machine can read a program's arguments: they are no place for the token.
    const link = await linkOnce(url);
    const [program, ...args] = command;
    const child = spawn(program, [...args, link.url], { detached: true, stdio: 'ignore' });
    child.on('error', link.close);
    child.on('exit', (code) => code !== 0 && link.close());
    child.unref();
    await link.over;
  } catch {
    // The address is on the terminal as well.
  }
}

/** The program that opens an address on a desktop; undefined where nobody sits in front of one. */
export function browserCommand(
  platform: NodeJS.Platform,
  env: Environment,
  isTerminal: boolean,
): readonly [string, ...string[]] | undefined {
  const isSet = (name: string) => (env[name] ?? '') !== '';
  if (!isTerminal || isSet('CI')) return undefined;
  const isRemote = isSet('SSH_CONNECTION') || isSet('SSH_TTY');
  if (platform === 'darwin') return isRemote ? undefined : ['open'];
  if (platform === 'win32') return isRemote ? undefined : ['cmd', '/c', 'start', ''];
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY') ? ['xdg-open'] : undefined;
}
