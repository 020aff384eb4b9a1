import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { HostStatus } from '../../src/host/messages.js';
import { type ProcessRow, readProcessTableNow } from '../../src/process/process-table.js';
import { readCommandLine, readEnvironment } from '../../src/process/read-proc.js';
import { Stage } from '../contract/stage.js';
import { demoAgent, type Finished, type Place, type Start, turnout } from '../unit/cli/turnout.js';

/** A home in which `turnout run --warm` uses the demo agent. After each test its host is stopped, and nothing may be left. */
export function warmStages(): (env?: Readonly<Record<string, string>>) => WarmStage {
  const stages: WarmStage[] = [];
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
  });
  return (env = {}) => {
    const stage = new WarmStage(env);
    stages.push(stage);
    return stage;
  };
}

export class WarmStage {
  readonly stage = new Stage();
  readonly place: Place;

  constructor(env: Readonly<Record<string, string>>) {
    this.place = {
      workingDir: this.stage.workingDir,
      env: {
        ...this.stage.env,
        AGENT_BACKEND: 'claude',
        BACKEND_CLI_PATH: demoAgent,
        TURNOUT_DEMO_SPEED: '0',
        ...env,
      },
    };
  }

  get socket(): string {
    return join(this.stage.home, 'host', 'host.sock');
  }

  run(prompt: string, args: readonly string[] = [], start?: Start): Promise<Finished> {
    return turnout(this.place, ['run', '--warm', prompt, ...args], start);
  }

  async json(prompt: string, args: readonly string[] = [], start?: Start) {
    const { stdout, stderr } = await this.run(prompt, ['--output', 'json', ...args], start);
    return {
      stderr,
      ...(JSON.parse(stdout) as { responseText: string; sessionId: string; isError: boolean }),
    };
  }

  async status(): Promise<HostStatus | undefined> {
    const { code, stdout } = await turnout(this.place, ['host', 'status', '--json']);
    return code === 0 ? (JSON.parse(stdout) as HostStatus) : undefined;
  }

  /** The processes of this home: hosts and agents. */
  processes(): readonly (ProcessRow & { readonly command: string })[] {
    const mark = this.place.env['TURNOUT_STAGE'] ?? '';
    return readProcessTableNow()
      .filter(({ pid }) => readEnvironment(pid).includes(`TURNOUT_STAGE=${mark}`))
      .map((row) => ({ ...row, command: readCommandLine(row.pid) }));
  }

  agents(): readonly number[] {
    return this.processes()
      .filter(({ command }) => command.includes('demo-agent'))
      .map(({ pid }) => pid);
  }

  async close(): Promise<void> {
    await turnout(this.place, ['host', 'stop']);
    await expect.poll(() => this.processes()).toEqual([]);
    expect(existsSync(this.socket)).toBe(false);
    expect(this.stage.scratchFiles()).toEqual([]);
    this.stage.close();
  }
}
