import { parse } from 'node:path';
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

export const codexLive: LiveProtocol = new CodexLive();

/** A closed thread stays loaded for a while, and as long no other process can resume it. */
const unloadAtOnce: readonly string[] = ['-c', 'thread_unload_delay_secs=0'];
