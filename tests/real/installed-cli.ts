import { installCli } from '../../scripts/install-cli.js';
import type { BackendName } from '../../src/backends/registry.js';

const paths = new Map<BackendName, string>();

/** Returns the path of the vendor's own CLI at the pinned version. */
export function installedCli(name: BackendName): string {
  const path = paths.get(name) ?? installCli(name);
  paths.set(name, path);
  return path;
}
