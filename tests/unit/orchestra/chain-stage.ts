import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type ChainRequest, resolveChain } from '../../../src/orchestra/resolve-chain.js';
import { type RunSettings, resumeRun, runChain } from '../../../src/orchestra/run-chain.js';
import type { ChainEvent, ResolvedChain, RunReport } from '../../../src/orchestra/types.js';
import { Stage } from '../../contract/stage.js';
import { demoAgent } from '../cli/turnout.js';

/** A work tree with a chain file and agents that are shell scripts. */
export class ChainStage extends Stage {
  readonly events: ChainEvent[] = [];
  readonly #bin: string;

  constructor() {
    super();
    this.#bin = this.path('bin');
    mkdirSync(this.#bin);
  }

  /**
   * Puts an executable agent on PATH. `$RUN` is the number of its run; what it gets as its last argument is in `<name>.prompt`,
   * one file for each run.
   */
  agent(name: string, script: string): void {
    const counter = this.path(`${name}.runs`);
    const prelude = [
      `RUN=$(($(cat '${counter}' 2>/dev/null || echo 0) + 1))`,
      `echo "$RUN" > '${counter}'`,
      `for LAST in "$@"; do :; done`,
      `printf %s "$LAST" > '${this.path(name)}.prompt'"$RUN"`,
    ];
    this.program(join('bin', name), [...prelude, script].join('\n'));
  }

  runsOf(name: string): number {
    const counter = this.path(`${name}.runs`);
    return existsSync(counter) ? Number(readFileSync(counter, 'utf8')) : 0;
  }

  promptOf(name: string, run: number): string {
    return readFileSync(`${this.path(name)}.prompt${run}`, 'utf8');
  }

  chains(content: unknown): void {
    writeFileSync(join(this.workingDir, 'chains.json'), JSON.stringify(content));
  }

  /** Every backend is the demo agent. */
  configured(): Pick<ChainRequest, 'configFor' | 'defaultBackend' | 'cwd'> {
    const env = { PATH: [this.#bin, this.env['PATH']].join(delimiter), TURNOUT_DEMO_SPEED: '0' };
    return {
      configFor: () => this.configFor(demoAgent, env),
      defaultBackend: 'claude',
      cwd: this.workingDir,
    };
  }

  resolve(chain: string | undefined, request: Partial<ChainRequest> = {}): Promise<ResolvedChain> {
    return resolveChain({ ...this.configured(), chain, variables: new Map(), prompt: 'do it', ...request });
  }

  async run(
    chain: string,
    request: Partial<ChainRequest> = {},
    settings: Partial<RunSettings> = {},
  ): Promise<RunReport> {
    return runChain(await this.resolve(chain, request), this.settings(settings));
  }

  resume(runId: string, settings: Partial<RunSettings> = {}): Promise<RunReport> {
    return resumeRun(runId, this.settings(settings));
  }

  settings(settings: Partial<RunSettings> = {}): RunSettings {
    return {
      home: this.home,
      configFor: this.configured().configFor,
      programs: this.configured().configFor('claude'),
      signal: new AbortController().signal,
      tell: (event) => void this.events.push(event),
      times: { firstRetryMs: 1, markerGraceMs: 300 },
      ...settings,
    };
  }
}
