import { installCli, pinnedVersions } from '../../scripts/install-cli.js';
import type { VendorName } from '../../src/backends/registry.js';

const paths = new Map<VendorName, string>();

/** The versions that take the place of the pinned ones: `TURNOUT_LAB_VERSIONS='{"codex":"0.167.0"}'`. */
const chosen: Readonly<Partial<Record<VendorName, string>>> = JSON.parse(
  process.env['TURNOUT_LAB_VERSIONS'] ?? '{}',
);

/** Returns the path of the vendor's own CLI at the pinned version. */
export function installedCli(name: VendorName): string {
  const path = paths.get(name) ?? installCli(name, chosen[name] ?? pinnedVersions[name]);
  paths.set(name, path);
  return path;
}
