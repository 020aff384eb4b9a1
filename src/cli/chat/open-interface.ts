import { mcpSecrets } from '../../backends/launch/mcp-config.js';
import type { TraceEntry } from '../../backends/types.js';
import { redactorFor } from '../../config/redact.js';
import { setRestrictions } from '../../orchestra/agents/keep-restrictions.js';
import { describeCommand } from '../../runner/describe-command.js';
import type { RunnerOptions } from '../../runner/types.js';
import { say } from '../output/say.js';
import { claudeArguments } from '../run/claude-flags.js';
import { givenFiles } from '../run/given-files.js';
import { runnerOptions, sessionChosen } from '../run/run.js';
import type { RunFlags } from '../run/run-options.js';
import { noteRecorded } from '../sessions/note-recorded.js';

/** Opens the CLI's own terminal UI, and returns its exit code. */
export async function openInterface(given: RunFlags): Promise<number> {
  const { config, runner, backend, origins, warnings, options } = await sessionChosen(given, 'chat');
  // Somebody is there to be asked: where nobody has set a mode, the CLI's own rules hold.
  const set = setRestrictions(config, origins);
  const flags = { ...options, permissionMode: options.permissionMode ?? set.permissionMode };
  for (const warning of warnings) say(warning);
  const { runInteractive } = await import('../../runner/interactive.js');
  const files = await givenFiles(flags, backend);
  const own = claudeArguments(runner, flags, config.allowUnsupported || flags.allowUnsupported);
  for (const warning of own.warnings) say(warning);
  const wanted: RunnerOptions = {
    ...runnerOptions(flags, files, own.rawArgs),
    mode: 'interactive',
    prompt: flags.prompt,
    cwd: config.workingDir,
    model: config.backendModel,
    trace: flags.verbose ? commandTrace(backend.env ?? process.env, files.mcpConfig) : undefined,
  };
  const begunAt = Date.now();
  try {
    const { exitCode } = await runInteractive(runner, wanted, backend);
    await noteRecorded({ runner, config: backend, begunAt });
    return exitCode;
  } finally {
    await files.remove();
  }
}

/** O9: the exact command, secrets redacted. */
function commandTrace(
  inherited: Readonly<Record<string, string | undefined>>,
  mcpConfig: string | undefined,
): (entry: TraceEntry) => void {
  const redact = redactorFor(inherited, mcpConfig === undefined ? [] : mcpSecrets(mcpConfig, inherited));
  return (entry) => {
    if (entry.type !== 'spawn') return;
    say(describeCommand(entry, redact, inherited));
  };
}
