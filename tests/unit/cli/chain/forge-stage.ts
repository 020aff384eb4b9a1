import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Stage } from '../../../contract/stage.js';
import { demoAgent, type Finished, type Start, turnout } from '../turnout.js';

const fixtures = fileURLToPath(new URL('../../../fixtures/chains/', import.meta.url));

/** A run of the fake Codex, as it has written it down. */
export interface CodexRun {
  readonly command: 'exec' | 'app-server';
  readonly args: readonly string[];
  readonly prompt: string;
  readonly instructions: string;
  readonly model: string;
}

/** A copy of the project with the chain file of existing users, and a PATH with CLIs that need no account. */
export class ForgeProject {
  readonly directory: string;
  readonly #stage: Stage;
  readonly #bin: string;

  constructor(stage: Stage, directory: string = stage.workingDir) {
    this.#stage = stage;
    this.directory = directory;
    this.#bin = stage.path('bin');
    cpSync(join(fixtures, 'forge-project'), directory, { recursive: true });
    mkdirSync(this.#bin);
    for (const program of ['codex.mjs', 'lint-gate.sh', 'tag-release.sh']) {
      const name = program.replace(/\.\w+$/, '');
      symlinkSync(join(fixtures, 'programs', program), join(this.#bin, name));
    }
    stage.program('bin/claude', `printf '%s\\n' "$@" "--- end" >> "$0.args"\nexec node '${demoAgent}' "$@"`);
  }

  /** Types a command of existing users in the project. */
  chain(args: readonly string[], start: Start = {}): Promise<Finished> {
    const PATH = `${this.#bin}:${this.#stage.env['PATH']}`;
    const env = { PATH, TURNOUT_DEMO_SPEED: '0', ...start.env };
    return turnout(this.#stage, ['chain', ...args], { ...start, env });
  }

  /** The arguments of each start of a program, or nothing if it was never started. */
  argsOf(program: 'claude' | 'lint-gate' | 'tag-release'): readonly (readonly string[])[] {
    const file = join(this.#bin, `${program}.args`);
    if (!existsSync(file)) return [];
    const starts = readFileSync(file, 'utf8').trimEnd().split('\n--- end');
    return starts.map((text) => text.replace(/^\n/, '').split('\n')).filter(([first]) => first !== '');
  }

  codexRuns(): readonly CodexRun[] {
    const file = join(this.#bin, 'codex.ndjson');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as CodexRun);
  }

  get startedNothing(): boolean {
    const programs = ['claude', 'lint-gate', 'tag-release'] as const;
    return this.codexRuns().length === 0 && programs.every((program) => this.argsOf(program).length === 0);
  }
}
