import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

/** Debian's, unless CHROMIUM names another one. */
export const chromiumPath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Sees to it that there is a Chromium: on Debian it is installed if that is possible. */
export default function setup(): void {
  if (isThere()) return;
  process.stderr.write('turnout: installing Chromium for the tests of the page …\n');
  for (const args of [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', 'chromium'],
  ]) {
    spawnSync('apt-get', args, {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  }
  if (isThere()) return;
  throw new Error(
    `There is no Chromium at ${chromiumPath}, and it could not be installed. Install it (Debian: apt-get install chromium), or set CHROMIUM to its path.`,
  );
}

function isThere(): boolean {
  try {
    accessSync(chromiumPath, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
