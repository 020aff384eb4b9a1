import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { compiledProgram } from '../../compile-programs.js';

/** A disk of its own takes a mount that only its user sees, and that ends with the program. */
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

it.runIf(canMount)(
  'a database on a full disk is told from a broken one, whichever SQLite reads it [fault 13.13: a full disk, seen by node:sqlite]',
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'turnout-full-'));
    const program = compiledProgram(fileURLToPath(new URL('programs/open-on-full-disk.ts', import.meta.url)));
    const { stdout } = spawnSync(
      'unshare',
      [
        ...['--mount', 'sh', '-c', 'mount -t tmpfs -o size=2m none "$0" && exec "$@"', directory],
        ...[process.execPath, program, directory],
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    );
    rmSync(directory, { recursive: true });
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^StoreError: The disk of .*turnout\.db is full/),
      'opened when there was room',
      '',
    ]);
  },
);
