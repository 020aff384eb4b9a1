import { statSync } from 'node:fs';
import { TurnoutError } from '../../../core/errors.js';
import type { RunningProcess } from '../../../process/start-process.js';
import { childEnvironment } from '../../launch/child-environment.js';
import { writeScratchFiles } from '../../launch/scratch-files.js';
import { agentHookEvents } from '../../live/agent-hooks.js';
import { startCli } from '../../live/start-cli.js';
import type {
  DescribedContext,
  LiveCommand,
  LiveContext,
  LiveProcess,
  LiveProtocol,
  LiveSessionOptions,
} from '../../live/types.js';
import { classifyFailure } from '../../output/classify-failure.js';
import { claudeAdvice } from '../advice.js';
import {
  allowedToolFlags,
  claudeEnvironment,
  claudeThinking,
  effectiveMode,
  permissionFlags,
  streamFormat,
  thinkingFlags,
} from '../arguments.js';
import { claudeLabel } from '../decoder.js';
import { type SettingsArguments, settingsFor } from '../settings.js';
import { liveEnvironment, shownVersion } from '../versions.js';
import { HookCalls, hooksKey, registeredHooks } from './hooks.js';
import { mayAsk, permissionsFor } from './permissions.js';
import { ClaudeProcess } from './process.js';
import { ClaudeConnection, type ConnectionEnd } from './transport.js';
import { ClaudeTurns } from './turns.js';

/** Claude Code's stream-json mode with its control protocol (S3), measured with 2.1.325. `label` is the name of the agent that speaks it. */
export function claudeLiveAs(label: string): LiveProtocol {
  return {
    sessionsPerProcess: 'one',
    advice: claudeAdvice,
    tellsMcpFailures: true,
    capabilities: {
      thinking: true,
      permissionModes: ['bypass', 'ask', 'edits', 'plan'],
      decisions: ['allow', 'allow_always', 'deny'],
      setModel: true,
      setPermissionMode: true,
      maxTurns: true,
      allowedTools: true,
      disallowedTools: true,
      mcpConfig: true,
      settings: true,
      rawArgs: true,
      confirmTools: true,
      thinkingDepth: claudeThinking,
      steer: true,
      agentHooks: agentHookEvents,
    },
    processKey,
    describe,
    start: (options, context) => start(options, context, label),
  };
}

export const claudeLive = claudeLiveAs(claudeLabel);

/** A cold start takes about a second, and many times that when a machine starts twenty at once. */
const startMs = 60_000;

function processKey({ sessionId: _s, heldBy: _h, agentHooks, ...options }: LiveSessionOptions): string {
  const { mcpConfig } = options;
  // A process has the servers that were in the file when it was started.
  const changed = mcpConfig && statSync(mcpConfig, { throwIfNoEntry: false })?.mtimeMs;
  const startOptions = { ...options, agentHooks: hooksKey(agentHooks), changed };
  return JSON.stringify(Object.entries(startOptions).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function describe(
  options: LiveSessionOptions,
  { env, version, scratch }: DescribedContext,
): Promise<LiveCommand & Pick<SettingsArguments, 'files'>> {
  const added = [claudeEnvironment(env, effectiveMode(options)), liveEnvironment(version, env)];
  const { args, files } = await settingsFor(options.settings, mayAsk(options), scratch);
  return {
    args: [...liveArgs(options), ...args],
    cwd: options.cwd,
    env: childEnvironment(env, ...added),
    files,
  };
}

async function start(options: LiveSessionOptions, context: LiveContext, label: string): Promise<LiveProcess> {
  const { files, ...command } = await describe(options, context);
  if (files.length > 0) await writeScratchFiles(context.scratch, files, context.user);
  const child = await startCli({ ...command, stdin: 'open' }, context);
  return connect(child, options, context, label);
}

/** Connects to a process that was started with these options. */
export async function connect(
  child: RunningProcess,
  options: LiveSessionOptions,
  { trace, version: installedVersion }: Pick<LiveContext, 'trace' | 'version'> = {},
  label = claudeLabel,
): Promise<LiveProcess> {
  let turns!: ClaudeTurns;
  const connection = new ClaudeConnection(
    child,
    (made) => {
      turns = new ClaudeTurns(
        made,
        permissionsFor(options.permissionMode, options),
        options,
        new HookCalls(options.agentHooks),
        options.confirmTools,
      );
      return turns;
    },
    trace,
    label,
  );
  try {
    // Claude writes nothing before it is written to: its answer to this is the sign that it is ready.
    const answer = await connection.request(initialize(options), startMs);
    turns.learnVersion(shownVersion(answer) ?? installedVersion);
  } catch (error) {
    await connection.end();
    throw connection.ended?.requested === false ? startError(connection.ended) : error;
  }
  return new ClaudeProcess(connection, turns, options, processKey);
}

function liveArgs(options: LiveSessionOptions): readonly string[] {
  const args = ['-p', '--input-format', 'stream-json', ...streamFormat];
  args.push(...permissionFlags[effectiveMode(options)]);
  if (mayAsk(options)) args.push('--permission-prompt-tool', 'stdio');
  if (options.model !== undefined) args.push('--model', options.model);
  if (options.maxTurns !== undefined) args.push('--max-turns', String(options.maxTurns));
  args.push(...thinkingFlags(options.thinking));
  // An id that begins with a dash stays an id.
  if (options.sessionId !== undefined) args.push(`--resume=${options.sessionId}`);
  const { rawArgs = [] } = options;
  args.push(...allowedToolFlags(options.allowedTools, rawArgs));
  const disallowed = mayAsk(options)
    ? [...interactiveTools, ...options.disallowedTools]
    : options.disallowedTools;
  for (const tool of disallowed) args.push('--disallowedTools', tool);
  if (options.mcpConfig !== undefined) args.push('--mcp-config', options.mcpConfig);
  args.push(...rawArgs);
  return args;
}

/** Claude offers these as soon as questions can be asked over stdin, but a permission request can't carry their answers. */
const interactiveTools = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'];

function initialize(options: LiveSessionOptions): Record<string, unknown> {
  const hooks = registeredHooks(options);
  return {
    subtype: 'initialize',
    ...(options.systemPrompt === '' ? {} : { appendSystemPrompt: options.systemPrompt }),
    // A session keeps the system prompt of its first turn unless the snapshot is off.
    ...(options.sessionId === undefined ? {} : { systemPromptSnapshot: false }),
    ...(hooks === undefined ? {} : { hooks }),
  };
}

function startError(end: ConnectionEnd): TurnoutError {
  const code = classifyFailure(end.stderr);
  return new TurnoutError(code === 'unknown' ? 'crashed' : code, end.message);
}
