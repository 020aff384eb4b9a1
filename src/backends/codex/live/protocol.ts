import { parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnoutError } from '../../../core/errors.js';
import type { RunningProcess } from '../../../process/start-process.js';
import { startCli } from '../../live/start-cli.js';
import type {
  DescribedContext,
  LiveCapabilities,
  LiveCommand,
  LiveContext,
  LiveProcess,
  LiveProtocol,
  LiveSessionOptions,
} from '../../live/types.js';
import { RecentSessions } from '../../recent-sessions.js';
import { codexAdvice } from '../advice.js';
import { codexThinking, withoutAnalytics, withoutPlugins } from '../arguments.js';
import { CodexProcess, type KnownInstructions } from './process.js';

/** Codex's `app-server` (S4), measured with 0.166.0. */
class CodexLive implements LiveProtocol {
  readonly sessionsPerProcess = 'many';
  readonly advice = codexAdvice;
  readonly tellsMcpFailures = true;
  readonly capabilities: LiveCapabilities = {
    thinking: true,
    thinkingDepth: codexThinking,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
    decisions: ['allow', 'allow_always', 'deny'],
    setModel: true,
    setPermissionMode: true,
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: true,
    confirmTools: true,
    steer: true,
  };
  readonly #knownInstructions: KnownInstructions = new RecentSessions();

  /** All options are a thread's own, so that one process serves every session. */
  processKey(): string {
    return 'codex';
  }

  async start(options: LiveSessionOptions, context: LiveContext): Promise<LiveProcess> {
    for (let attempt = 1; ; attempt++) {
      const child = await this.#spawn(options, context);
      const running = new CodexProcess(child, this.#knownInstructions, context);
      try {
        await running.initialize(context.version);
        return running;
      } catch (error) {
        await running.end();
        if (!(error instanceof TurnoutError))
          throw new TurnoutError('crashed', 'Codex could not be started.', { cause: error });
        if (attempt === mostStarts || !child.stderr().includes(lostTheRace)) throw error;
        const { signal } = context;
        await sleep(attempt * 100, undefined, { signal }).catch(() => signal?.throwIfAborted());
      }
    }
  }

  async describe(options: LiveSessionOptions, { env }: DescribedContext): Promise<LiveCommand> {
    const args = ['app-server', ...withoutAnalytics, ...withoutPlugins(env), ...unloadAtOnce];
    // The process outlives the directory of its first session.
    return { args, cwd: parse(options.cwd).root || '/', env };
  }

  async #spawn(options: LiveSessionOptions, context: LiveContext): Promise<RunningProcess> {
    return startCli({ ...(await this.describe(options, context)), stdin: 'open' }, context);
  }
}

/** Of several servers that start at once in a home without a database, all but the one that makes it give up (0.166.0). */
const lostTheRace = 'failed to initialize sqlite state runtime';
const mostStarts = 4;

export const codexLive: LiveProtocol = new CodexLive();

/** Without this a closed thread stays loaded for a while, and no other process can resume it meanwhile. */
const unloadAtOnce: readonly string[] = ['-c', 'thread_unload_delay_secs=0'];
