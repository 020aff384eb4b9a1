import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadSqlite } from '../../../src/sqlite/load-sqlite.js';
import { nodeSqlite } from '../../../src/sqlite/node-sqlite.js';
import { compiledProgram } from '../../compile-programs.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the SQLite of a process', () => {
  it('is the one in Node where it is good enough, else the package', async () => {
    const own = nodeSqlite();
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const goodSince: Readonly<Record<number, number>> = { 22: 20, 24: 7 };
    expect(own !== undefined).toBe(major > 24 || minor >= (goodSince[major] ?? Number.POSITIVE_INFINITY));
    expect(await loadSqlite('')).toBe(own ?? (await loadSqlite('package')));
    if (own === undefined) await expect(loadSqlite('node')).rejects.toThrow('SQLite is not there');
  });

  it('is decided in one place: two copies in a process would give away the locks of each other [fault 13.13: two SQLite libraries in one process]', () => {
    const loads = /(?:from|import|getBuiltinModule|require)[\s?.(]*'(?:@photostructure\/|node:sqlite)/;
    const users = ['src', 'tests', 'bench', 'scripts'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((file) => join(folder, file))
        .filter((file) => file.endsWith('.ts') && loads.test(readFileSync(join(root, file), 'utf8'))),
    );
    expect(users.sort()).toEqual(['src/sqlite/load-sqlite.ts', 'src/sqlite/node-sqlite.ts']);
  });

  it('says nothing of an experiment, while other warnings come through', () => {
    const program = compiledProgram(join(root, 'tests/unit/sqlite/programs/open-database.ts'));
    const { stdout, stderr } = spawnSync(process.execPath, [program], {
      encoding: 'utf8',
      cwd: root,
    });
    expect(stdout).toBe('opened\n');
    expect(stderr).toContain('a warning of its own');
    expect(stderr).not.toContain('SQLite');
  });
});

it('a gateway without any SQLite says what to do, in two sentences [fault 13.13: a Node without SQLite]', () => {
  const copy = mkdtempSync(join(tmpdir(), 'turnout-no-sqlite-'));
  try {
    for (const part of ['dist', 'package.json'])
      cpSync(join(root, part), join(copy, part), { recursive: true });
    mkdirSync(join(copy, 'node_modules'));
    for (const name of readdirSync(join(root, 'node_modules')).filter((one) => one !== '@photostructure'))
      symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(copy, 'dist/cli/main.js'), 'gateway', '--demo', '--port', '0', '--home', join(copy, 'home')],
      {
        encoding: 'utf8',
        cwd: copy,
        env: { PATH: process.env['PATH'], HOME: copy, TURNOUT_SQLITE: 'package' },
      },
    );
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        `turnout: SQLite is not there: Node ${process.versions.node} has none that Turnout can use, and the package ` +
        "@photostructure/sqlite can't be loaded.\n" +
        'Use Node 22.20, 24.7 or newer, or install Turnout again with its optional dependencies (without --omit=optional).\n',
    });
  } finally {
    rmSync(copy, { recursive: true });
  }
});
