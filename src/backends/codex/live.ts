import { parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnoutError } from '../../core/errors.js';
import { startProcess } from '../../process/start-process.js';
import type {
  LiveCapabilities,
  LiveContext,
  LiveProcess,
  LiveProtocol,
  LiveSessionOptions,
} from '../live/types.js';
import { RecentSessions } from '../one-shot/recent-sessions.js';
import { CodexProcess, type KnownInstructions } from './live-process.js';
import { withoutAnalytics, withoutPlugins } from './switches.js';

/** Codex's `app-server` (S4), measured with 0.166.0. */
export class CodexLive implements LiveProtocol {
  readonly sessionsPerProcess = 'many';
  readonly capabilities: LiveCapabilities = {
    thinking: true,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
    decisions: ['allow', 'allow_always', 'deny'],
    setModel: true,
    setPermissionMode: true,
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: true,
    steer: true,
  };
  readonly #known: KnownInstructions = new RecentSessions();

  /** Everything is given with the thread. */
  processKey(): string {
    return 'codex';
  }

  async start(options: LiveSessionOptions, context: LiveContext): Promise<LiveProcess> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#start(options, context);
      } catch (error) {
        if (attempt === mostStarts || !lostTheRace(error)) throw error;
        await sleep(attempt * 100);
        context.signal?.throwIfAborted();
      }
    }
  }

  async #start(options: LiveSessionOptions, context: LiveContext): Promise<LiveProcess> {
    const child = await startProcess({
      command: context.command,
      args: ['app-server', ...withoutAnalytics, ...withoutPlugins(context.env), ...unloadAtOnce],
      // It outlives the directory of its first session.
      cwd: parse(options.cwd).root || '/',
      env: context.env,
      stdin: 'open',
      signal: context.signal,
    });
    const running = new CodexProcess(child, this.#known, context.trace);
    try {
      await running.initialize();
      return running;
    } catch (error) {
      await running.end();
      if (error instanceof TurnoutError) throw error;
      throw new TurnoutError('crashed', 'Codex could not be started.', { cause: error });
    }
  }
}

/** Of those that start at once in a home without a database, all but the one that makes it give up (0.166.0). */
function lostTheRace(error: unknown): boolean {
  return error instanceof TurnoutError && error.message.includes('failed to initialize sqlite state runtime');
}

const mostStarts = 5;

export const codexLive: LiveProtocol = new CodexLive();

/** A closed thread stays loaded for a while, and as long no other process can resume it. */
const unloadAtOnce: readonly string[] = ['-c', 'thread_unload_delay_secs=0'];
