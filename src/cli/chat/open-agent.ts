import { createBackend } from '../../backends/registry.js';
import type { BackendAdapter } from '../../backends/types.js';
import { TurnoutError } from '../../core/errors.js';
import type { PermissionMode } from '../../core/permission-mode.js';
import type { Thinking } from '../../core/thinking.js';
import { checkOptions } from '../../runner/check-options.js';
import { codexSdk } from '../../runner/runner-names.js';
import { sessionOptions } from '../../runner/session-options.js';
import type { Sessions } from '../../sessions/sessions.js';
import type { BackendSession } from '../../sessions/types.js';
import { claudeArguments } from '../run/claude-flags.js';
import { givenFiles } from '../run/given-files.js';
import { runnerOptions, turnSettings } from '../run/run.js';
import type { RunFlags } from '../run/run-options.js';

/** What an agent is opened with, over the flags of the command line. */
export interface Wanted {
  readonly backend: string | undefined;
  readonly model?: string | undefined;
  readonly thinking?: Thinking | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly sessionId?: string | undefined;
  readonly continueLast?: boolean | undefined;
}

/** An agent that can be opened: everything about it is known and checked, and nothing is started yet. */
export interface PreparedAgent {
  readonly backend: string;
  readonly model: string | undefined;
  readonly permissionMode: PermissionMode;
  readonly cwd: string;
  readonly home: string;
  readonly warnings: readonly string[];
  readonly adapter: BackendAdapter;
  /** True if its running turn takes messages in. */
  readonly steers: boolean;
  open(signal?: AbortSignal): Promise<BackendSession>;
  /** Removes the files that were written for it. */
  remove(): Promise<void>;
}

type TurnSettings = Awaited<ReturnType<typeof turnSettings>>;

/** Checks flags and settings for a live session; `settings` are those that were read for it already. Rejects with a TurnoutError that names what is wrong. */
export async function prepareAgent(
  flags: RunFlags,
  wanted: Wanted,
  sessions: Sessions,
  settings?: TurnSettings,
): Promise<PreparedAgent> {
  const asked = { ...flags, backend: wanted.backend, model: wanted.model };
  const { config, runner, backend, warnings, origins, missing } =
    settings ?? (await turnSettings(asked, 'chat'));
  if (missing !== undefined) throw missing;
  if (runner === codexSdk)
    throw new TurnoutError('unsupported', 'codex-sdk has no live session to chat in.', {
      hint: 'Use --backend codex.',
    });
  // Somebody is there to be asked: only who has set another mode gets it.
  const chosen = origins['PERMISSION_MODE'] === undefined ? 'ask' : config.permissionMode;
  const permissionMode = wanted.permissionMode ?? flags.permissionMode ?? chosen;
  const allowUnsupported = flags.allowUnsupported || config.allowUnsupported;
  const own = claudeArguments(runner, flags, allowUnsupported);
  const files = await givenFiles(flags, backend);
  const adapter = createBackend(config.agentBackend, backend);
  const { options, warnings: leftOut } = await checkOptions(
    runner,
    {
      ...runnerOptions(flags, files, own.rawArgs),
      allowUnsupported,
      thinking: wanted.thinking ?? flags.thinking,
      sessionId: wanted.sessionId,
      continueLast: wanted.continueLast,
      permissionMode,
    },
    'live',
  ).catch(async (error: unknown) => {
    await files.remove();
    throw error;
  });
  // A person ends a turn that takes too long, and may take any time for an answer.
  const clocks = {
    ...config.clocks,
    ...(origins['QUERY_TIMEOUT_MS'] === undefined ? { turnMs: 0 } : {}),
    ...(origins['PERMISSION_TIMEOUT_MS'] === undefined ? { permissionMs: 0 } : {}),
  };
  return {
    backend: config.agentBackend,
    model: config.backendModel,
    permissionMode: options.permissionMode ?? permissionMode,
    cwd: config.workingDir,
    home: config.home,
    warnings: [...warnings, ...own.warnings, ...leftOut],
    adapter,
    steers: (await adapter.live?.())?.capabilities.steer === true,
    open: (signal) =>
      sessions.open({ ...sessionOptions(runner, options, backend, true), clocks, adapter }, { signal }),
    remove: () => files.remove(),
  };
}
