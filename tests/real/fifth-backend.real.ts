import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Turnout's source with Parrot as a fifth backend: its folder, and its line in the registry. */
const copy = mkdtempSync(join(tmpdir(), 'turnout-fifth-'));
const line =
  "  ['parrot', { create: ParrotBackend, command: 'parrot', install: 'cp parrot.mjs ~/bin/parrot' }],\n";
const importLine = "import { ParrotBackend } from './parrot/parrot-backend.js';\n";

beforeAll(() => {
  const compiled = ['src', 'tests', 'bench', 'scripts', 'package.json', 'tsconfig.json'];
  const settings = [
    'vitest.config.ts',
    'vitest.real.config.ts',
    'vitest.kill.config.ts',
    'vitest.programs.config.ts',
    'vitest.chaos.config.ts',
  ];
  for (const name of [...compiled, ...settings])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  cpSync(join(root, 'tests/fixtures/parrot'), join(copy, 'src/backends/parrot'), { recursive: true });
  const registry = join(copy, 'src/backends/registry.ts');
  const source = readFileSync(registry, 'utf8');
  const changed = source
    .replace("  ['opencode',", `${line}  ['opencode',`)
    .replace('import', `${importLine}import`);
  expect(changed.length - source.length).toBe(line.length + importLine.length);
  writeFileSync(registry, changed);
}, 60_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('a fifth backend is a folder and a line in the registry (S6)', () => {
  it('everything else compiles as it is: source, tests, scripts and benchmarks', () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [compiler, '--noEmit', '--project', copy], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  }, 300_000);

  it('the command line knows it: --backend, AGENT_BACKEND, doctor, the errors and the help', () => {
    const bin = join(copy, 'bin');
    mkdirSync(bin);
    symlinkSync(join(copy, 'src/backends/parrot/parrot.mjs'), join(bin, 'parrot'));
    const home = join(copy, 'home');
    const turnout = (args: readonly string[], more: Record<string, string> = {}) =>
      spawnSync(process.execPath, ['--import', 'tsx', join(copy, 'src/cli/main.ts'), ...args], {
        cwd: copy,
        env: { PATH: `${bin}:/usr/bin:/bin`, HOME: home, TURNOUT_HOME: join(home, '.turnout'), ...more },
        encoding: 'utf8',
        input: '',
      });
    execFileSync('mkdir', ['-m', '700', home]);
    const run = turnout(['run', 'hello', '--backend', 'parrot-cli']);
    expect(run).toMatchObject({ stdout: 'hello\n', stderr: '', status: 0 });
    const live = turnout(['run', 'hello', '--live', '--output', 'json'], { AGENT_BACKEND: 'parrot' });
    expect(JSON.parse(live.stdout)).toMatchObject({
      responseText: 'hello',
      backend: 'parrot',
      isError: false,
    });
    const wrong = turnout(['run', 'hello', '--backend', 'parot']);
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean parrot?') });
    expect(turnout(['help', 'run']).stdout).toContain('parrot');
    const report = JSON.parse(turnout(['doctor', '--json', '--backend', 'parrot']).stdout);
    expect(report.clis).toMatchObject([{ backend: 'parrot', usable: true, version: 'parrot 1.0.0' }]);
  }, 120_000);
});
