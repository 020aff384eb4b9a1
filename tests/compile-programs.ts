import { cpSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));
const outdir = join(root, 'dist/test-programs');

/** Compiles the TypeScript programs that tests start as processes: to start one with tsx takes ten times as long. */
export default async function setup(): Promise<void> {
  await build({
    entryPoints: [
      'tests/fixtures/process/*.ts',
      'tests/unit/sqlite/programs/*.ts',
      'tests/unit/store/programs/*.ts',
      'tests/unit/orchestra/programs/*.ts',
    ],
    absWorkingDir: root,
    outbase: 'tests',
    outdir,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  // Some of them start programs that are beside them.
  const beside = 'fixtures/process';
  cpSync(join(root, 'tests', beside), join(outdir, beside), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  });
}

/** The compiled form of one of these programs. */
export function compiledProgram(path: string): string {
  return join(outdir, relative(join(root, 'tests'), path)).replace(/\.ts$/, '.js');
}
