import { resolve } from 'node:path';
import { withLastSession } from '../backends/launch/continue-last.js';
import type { InteractiveCapabilities, InteractiveOptions } from '../backends/launch/interactive.js';
import { readMcpServers } from '../backends/launch/mcp-config.js';
import { fitsArgument, maxArgumentBytes } from '../backends/launch/prompt.js';
import { type ScratchFile, scratchDirectory } from '../backends/launch/scratch-files.js';
import { createBackend } from '../backends/registry.js';
import type { BackendAdapterConfig } from '../backends/types.js';
import { TurnoutError } from '../core/errors.js';
import { isSessionName } from '../core/session-id.js';
import { providerArguments } from './provider-options.js';
import type { RunnerName, RunnerOptions } from './types.js';

/** The start of a terminal UI, of which nothing has happened yet. */
export interface InteractiveStart {
  /** What was left out because of `allowUnsupported`. */
  readonly warnings: readonly string[];
  /** Finds the CLI, and with it the exact command. Rejects with `not_installed` and a hint. */
  locate(): Promise<LocatedUi>;
  /** Does what has to be done before the start. */
  prepare(): Promise<void>;
}

export interface LocatedUi {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Changes to the inherited environment; `undefined` removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly scratch: string;
  readonly files: readonly ScratchFile[];
}

/** Rejects with a TurnoutError if the backend has no UI, or the UI can't be started with these options, which have been checked. */
export async function describeInteractive(
  name: RunnerName,
  given: RunnerOptions,
  config: BackendAdapterConfig,
): Promise<InteractiveStart> {
  refuseWithoutUi(name);
  const adapter = createBackend(name, config);
  const ui = await adapter.interactive?.();
  const locate = adapter.locate?.bind(adapter);
  if (ui === undefined || locate === undefined) throw withoutUi(name);
  const inherited = { ...(config.env ?? process.env), ...given.env };
  const { sessionId } = await withLastSession(adapter, config, given, given.env);
  const { prompt, warnings } = promptFor(name, ui.capabilities, { ...given, sessionId });
  const options = await interactiveOptions(name, { ...given, sessionId, prompt }, config);
  const scratch = scratchDirectory(inherited, config.user);
  const context = { inherited, scratch, ownFiles: config.user === undefined };
  return {
    warnings,
    async locate() {
      const { command, env: ofCli, version } = await locate();
      const { args, env: ofUi, files = [] } = ui.command(options, { ...context, version });
      const env = { ...ofCli, ...ofUi, ...given.env };
      return { command, args, cwd: options.cwd, env, scratch, files };
    },
    async prepare() {
      await ui.prepare?.(options, context);
    },
  };
}

export function refuseWithoutUi(name: RunnerName): void {
  // The SDK is no backend of the registry: without this it would be an unknown name.
  if (name === 'codex-sdk') throw withoutUi(name, 'Use the backend codex, whose CLI has one.');
}

function withoutUi(name: RunnerName, hint = 'Use `turnout run`, or another backend.'): TurnoutError {
  return new TurnoutError('unsupported', `${name} has no terminal UI of its own (chat --native).`, { hint });
}

async function interactiveOptions(
  name: RunnerName,
  given: RunnerOptions,
  config: BackendAdapterConfig,
): Promise<InteractiveOptions> {
  const { prompt, sessionId, systemPrompt = '', mcpConfig } = given;
  if (prompt === '') throw wrong('The prompt is empty.', 'Leave it out: the UI then waits for one.');
  if (sessionId !== undefined && !isSessionName(sessionId))
    throw wrong(`${JSON.stringify(sessionId)} can't be a session id.`);
  // What goes in front of the prompt is part of the same argument.
  if (!fitsArgument(`${prompt ?? ''}${systemPrompt}`)) {
    const limit = `${maxArgumentBytes / 1024} KiB together, without NUL bytes`;
    throw wrong(
      `The prompt and the system prompt of a terminal UI may have ${limit}.`,
      'Name a file in the prompt.',
    );
  }
  const mcpServers =
    mcpConfig === undefined
      ? []
      : await readMcpServers(mcpConfig, { ...(config.env ?? process.env), ...given.env });
  return {
    prompt,
    systemPrompt,
    sessionId,
    cwd: resolve(given.cwd ?? config.workingDir),
    model: given.model ?? config.model,
    permissionMode: given.permissionMode,
    thinking: given.thinking,
    allowedTools: given.tools?.allowed ?? config.allowedTools,
    disallowedTools: given.tools?.disallowed ?? [],
    mcpConfig,
    mcpServers,
    settings: given.settings,
    rawArgs: [...providerArguments(name, given), ...(given.rawArgs ?? [])],
  };
}

function promptFor(
  name: RunnerName,
  capabilities: InteractiveCapabilities,
  { prompt, sessionId, allowUnsupported }: RunnerOptions,
): { readonly prompt: string | undefined; readonly warnings: readonly string[] } {
  const fits = capabilities.promptOnResume !== false || sessionId === undefined;
  if (prompt === undefined || fits) return { prompt, warnings: [] };
  const what = `${name} takes no first prompt for a session that goes on, in its terminal UI`;
  if (allowUnsupported) return { prompt: undefined, warnings: [`${what}: it is left out. Type it there.`] };
  throw new TurnoutError('unsupported', `${what}.`, {
    hint: 'Leave it out and type it there, or send it with `turnout run`.',
  });
}

function wrong(what: string, hint?: string): TurnoutError {
  return new TurnoutError('bad_request', what, { hint });
}
