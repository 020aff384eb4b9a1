import { mcpSecrets } from '../../backends/launch/mcp-config.js';
import { createBackend } from '../../backends/registry.js';
import type { TraceEntry } from '../../backends/types.js';
import type { Log, LogLevel } from '../../config/log.js';
import { type Redact, redactorFor, redactWords } from '../../config/redact.js';
import { describeCommand } from '../../runner/describe-command.js';
import { traceFields, traceMessages } from '../../sessions/trace-fields.js';
import type { CompleteSessionOptions } from '../../sessions/types.js';

export interface TurnTraceOptions {
  readonly verbose: boolean;
  readonly logLevel: LogLevel;
  readonly say: (line: string) => void;
  readonly log: Log;
}

/**
 * The trace of a turn that is shown in a terminal, in any mode. If `verbose`, it says the backend and the options now, and
 * each command that is started (O9); with `logLevel` debug, every raw line and the events that it became (S9). Neither
 * shows secrets.
 */
export function turnTrace(
  prompt: string,
  session: CompleteSessionOptions,
  { verbose, logLevel, say, log }: TurnTraceOptions,
): ((entry: TraceEntry) => void) | undefined {
  const debug = logLevel === 'debug';
  if (!verbose && !debug) return undefined;
  const { config, mcpConfig } = session;
  const inherited = config.env ?? process.env;
  const redact = redactorFor(inherited, mcpConfig === undefined ? [] : mcpSecrets(mcpConfig, inherited));
  if (verbose) say(describeTurn(prompt, session, redact));
  return (entry) => {
    if (verbose && entry.type === 'spawn') say(describeCommand(entry, redact, inherited));
    if (debug)
      log.debug(traceMessages[entry.type], { backend: session.backend, ...traceFields(entry, redact) });
  };
}

function describeTurn(prompt: string, options: CompleteSessionOptions, redact: Redact): string {
  const { backend, live = true, systemPrompt, rawArgs = [], config, adapter, trace: _t, ...given } = options;
  const { cliPath, workingDir: cwd, model, maxTurns, allowedTools } = config;
  const chosen = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const mode = live ? 'live' : 'one-shot';
  const sizes = `prompt ${prompt.length} characters, system prompt ${systemPrompt?.length ?? 0}`;
  const { capabilities } = adapter ?? createBackend(backend, config);
  const configured = {
    cliPath,
    cwd,
    model,
    // The settings go to the backends that have these options.
    ...(capabilities?.maxTurns && { maxTurns }),
    ...(capabilities?.allowedTools && { allowedTools }),
  };
  const shown = { ...configured, ...chosen, rawArgs: redactWords(rawArgs, redact) };
  return `backend ${backend} (${mode}) · ${sizes} · options ${JSON.stringify(shown)}`;
}
