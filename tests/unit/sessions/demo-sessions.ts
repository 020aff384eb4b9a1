import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BackendAdapterConfig } from '../../../src/backends/types.js';
import type { PoolLimits } from '../../../src/config/limits.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { Sessions } from '../../../src/sessions/sessions.js';
import type { BackendSession, SessionOptions } from '../../../src/sessions/types.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Live sessions with the demo agent, which speaks Claude's protocol, in a place of their own. */
export class DemoSessions {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'turnout-sessions-')));
  readonly sessions: Sessions;
  readonly #mark = `TURNOUT_STAGE=${this.directory}`;

  constructor(limits: Partial<PoolLimits> = {}) {
    this.sessions = new Sessions(limits);
  }

  get config(): BackendAdapterConfig {
    return {
      cliPath: join(root, 'dist/demo-agent/main.js'),
      workingDir: this.directory,
      queryTimeoutMs: 30_000,
      allowedTools: [],
      maxTurns: 25,
      env: {
        PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
        HOME: this.directory,
        TURNOUT_HOME: join(this.directory, 'home'),
        TURNOUT_DEMO_SPEED: '0',
        TURNOUT_STAGE: this.directory,
        TURNOUT_SUITE: process.env['TURNOUT_SUITE'] ?? '',
      },
    };
  }

  /** The config of an agent that no interrupt reaches, or (`agrees`) that only confirms it. */
  deafConfig(agrees: boolean): BackendAdapterConfig {
    const { env, ...config } = this.config;
    const cliPath = join(root, 'tests/fixtures/programs/deaf-agent.mjs');
    return { ...config, cliPath, env: { ...env, ...(agrees ? { DEAF_AGREES: '1' } : {}) } };
  }

  open(options: Partial<SessionOptions> = {}, signal?: AbortSignal): Promise<BackendSession> {
    return this.sessions.open({ backend: 'claude', config: this.config, ...options }, { signal });
  }

  /** Finds the processes that carry our mark. */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${this.#mark}\0`) && !isZombie(pid);
        } catch {
          return false;
        }
      });
  }

  /** Finds those processes that are the agent itself. */
  agents(): number[] {
    return this.processes().filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('demo-agent'),
    );
  }

  /** Removes the agent's files, as if it had stored nothing. */
  forgetConversations(): void {
    rmSync(join(this.directory, 'home/demo-agent'), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.sessions.close();
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Builds the demo agent from the present source. */
export function buildDemoAgent(): void {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/ensure.mjs')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
}

export async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export async function lastOf(events: AsyncIterable<ChatEvent>): Promise<ChatEvent | undefined> {
  return (await collect(events)).at(-1);
}

function isZombie(pid: number): boolean {
  return /\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}
