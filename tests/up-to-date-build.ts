import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds `dist` when it is older than the source: many tests run it, and an old one would pass or fail for another tree. */
export default function setup(): void {
  const ensure = fileURLToPath(new URL('../scripts/ensure.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [ensure], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('The build failed; see above.');
}
