import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';
import type { LocatedCli } from '../types.js';

/** The native program behind npm's `codex.js`, and the variables that this would give it. Undefined if there is none. */
export function nativeCodex(
  command: string,
  { PATH }: Readonly<Record<string, string | undefined>>,
): Pick<LocatedCli, 'command' | 'env'> | undefined {
  const native = nativeBinary(command);
  if (native === undefined) return undefined;
  const path = native.pathEntry === undefined ? PATH : [native.pathEntry, PATH].join(delimiter);
  return { command: native.command, env: { CODEX_MANAGED_BY_NPM: '1', ...(path ? { PATH: path } : {}) } };
}

const targets: Record<string, string> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

/** Where `@openai/codex` keeps the program that its `codex.js` starts. */
function nativeBinary(command: string): { command: string; pathEntry?: string } | undefined {
  const target = targets[`${process.platform}-${process.arch}`];
  try {
    const shim = realpathSync(command);
    if (target === undefined || basename(shim) !== 'codex.js') return undefined;
    const platformPackage = `@openai/codex-${process.platform}-${process.arch}/package.json`;
    const root = join(dirname(createRequire(shim).resolve(platformPackage)), 'vendor', target);
    const binary = join(root, 'bin', 'codex');
    if (!existsSync(binary)) return undefined;
    const pathEntry = join(root, 'codex-path');
    return { command: binary, ...(existsSync(pathEntry) ? { pathEntry } : {}) };
  } catch {
    return undefined;
  }
}
