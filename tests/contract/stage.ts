import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { BackendAdapterConfig } from '../../src/backends/types.js';

export type Program =
  | 'replay.sh'
  | 'fail.sh'
  | 'pause.sh'
  | 'flood.sh'
  | 'receive.sh'
  | 'receive.mjs'
  | 'stubborn.mjs'
  | 'insistent-agent.mjs'
  | 'ambiguous-agent.mjs'
  | 'old-claude.mjs'
  | 'terminal-ui.mjs';

export function programPath(program: Program): string {
  return fileURLToPath(new URL(`../fixtures/programs/${program}`, import.meta.url));
}

/** A directory and an environment for one test, without anything of this process's environment. */
export class Stage {
  readonly directory: string = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-test-')));
  readonly workingDir: string = this.path('work');
  readonly home: string = this.path('home');
  readonly #mark = `TURNOUT_STAGE=${randomUUID()}`;
  readonly env: Readonly<Record<string, string>>;

  constructor() {
    mkdirSync(this.workingDir);
    const suite = process.env['TURNOUT_SUITE'];
    this.env = {
      PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
      HOME: this.home,
      TURNOUT_HOME: this.home,
      ...Object.fromEntries([this.#mark.split('=')]),
      ...(suite === undefined ? {} : { TURNOUT_SUITE: suite }),
    };
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  write(name: string, content: string): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  /** Writes a shell script, for behaviour that no fixture program has. */
  program(name: string, script: string): string {
    const path = this.write(name, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  config(program: Program, env: Record<string, string> = {}): BackendAdapterConfig {
    return this.configFor(programPath(program), env);
  }

  configFor(cliPath: string, env: Record<string, string> = {}): BackendAdapterConfig {
    const { workingDir } = this;
    return {
      cliPath,
      workingDir,
      queryTimeoutMs: 100_000,
      allowedTools: [],
      maxTurns: 25,
      env: { ...this.env, ...env },
    };
  }

  /** Returns the environment with which a fixture program prints this and ends so. */
  replay(
    stdout: string,
    ending: { stderr?: string; exit?: number; signal?: string } = {},
  ): Record<string, string> {
    return {
      REPLAY_STDOUT: this.write('stdout', stdout),
      REPLAY_STDERR: this.write('stderr', ending.stderr ?? ''),
      REPLAY_EXIT: String(ending.exit ?? 0),
      REPLAY_SIGNAL: ending.signal ?? '',
    };
  }

  /** Expects that no process and no temporary file has outlived its turn, the rule that holds everywhere. */
  async expectNothingLeft(): Promise<void> {
    expect(this.processes(), 'processes that outlived the turn').toEqual([]);
    expect(this.scratchFiles(), 'temporary files that outlived the turn').toEqual([]);
  }

  /** Waits for processes that were killed by somebody who did not wait for their end. */
  async untilNoProcess(): Promise<void> {
    const patience = performance.now() + 10_000;
    while (this.processes().length > 0 && performance.now() < patience) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(this.processes()).toEqual([]);
  }

  processes(): readonly string[] {
    if (process.platform !== 'linux') return [];
    return readdirSync('/proc').flatMap((pid) => {
      try {
        if (!/^\d+$/.test(pid)) return [];
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(this.#mark)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        return [];
      }
    });
  }

  scratchFiles(): readonly string[] {
    try {
      return readdirSync(join(this.home, 'tmp'));
    } catch {
      return [];
    }
  }

  close(): void {
    for (const row of this.processes()) process.kill(Number(row.split(' ')[0]), 'SIGKILL');
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** `it` with a stage; the test fails if anything is left on it. */
export const it = test.extend<{ stage: Stage }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures off the pattern
  stage: async ({}, use) => {
    const stage = new Stage();
    try {
      await use(stage);
      await stage.expectNothingLeft();
    } finally {
      stage.close();
    }
  },
});
