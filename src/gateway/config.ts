import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type BackendName, backends, createBackend, resolveBackendName } from '../backends/registry.js';
import type { BackendAdapterConfig } from '../backends/types.js';
import { TurnoutError } from '../core/errors.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GatewayConfig {
  readonly agentBackend: BackendName;
  /** A path, or the CLI's own name to look up on PATH. */
  readonly backendCliPath: string;
  readonly backendModel?: string;
  readonly backendMaxTurns: number;
  readonly allowedTools: readonly string[];
  readonly queryTimeoutMs: number;
  readonly workingDir: string;
  readonly configDir: string;
  readonly home: string;
  /** What was ignored or replaced, by name: for the log. */
  readonly warnings: readonly string[];
}

export const defaultMaxTurns = 25;

/** Every setting validated together; all problems come in one error. */
export function loadConfig(env: Environment): GatewayConfig {
  const problems: string[] = [];
  const agentBackend = orProblem(problems, () =>
    resolveBackendName(env['AGENT_BACKEND'] || env['FORGE_BACKEND']),
  );
  const parsed = settings.safeParse(withoutBlanks(env));
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const name = issue.path.join('.');
      problems.push(`${name}=${JSON.stringify(env[name])}: ${issue.message}`);
    }
  }
  if (!parsed.success || agentBackend === undefined) throw invalidSettings(problems);

  const values = parsed.data;
  const maxTurns = readMaxTurns(env['BACKEND_MAX_TURNS']);
  const home = resolve(values.TURNOUT_HOME ?? join(values.HOME ?? homedir(), '.turnout'));
  const config = {
    agentBackend,
    backendCliPath: absoluteProgram(values.BACKEND_CLI_PATH) ?? backends[agentBackend].command,
    ...(values.BACKEND_MODEL === undefined ? {} : { backendModel: values.BACKEND_MODEL }),
    backendMaxTurns: maxTurns.value,
    allowedTools: values.ALLOWED_TOOLS,
    queryTimeoutMs: values.QUERY_TIMEOUT_MS,
    workingDir: resolve(values.WORKING_DIR),
    configDir: resolve(values.CONFIG_DIR ?? join(home, 'config')),
    home,
  };
  return { ...config, warnings: [...maxTurns.warnings, ...ignoredOptions(config, maxTurns.explicit)] };
}

/** What a backend gets of the settings. */
export function backendConfig(config: GatewayConfig, env?: Environment): BackendAdapterConfig {
  return {
    cliPath: config.backendCliPath,
    workingDir: config.workingDir,
    queryTimeoutMs: config.queryTimeoutMs,
    allowedTools: config.allowedTools,
    maxTurns: config.backendMaxTurns,
    model: config.backendModel,
    env,
  };
}

const settings = z.object({
  BACKEND_CLI_PATH: z.string().optional(),
  BACKEND_MODEL: z.string().optional(),
  ALLOWED_TOOLS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((tool) => tool.trim())
        .filter((tool) => tool !== ''),
    ),
  QUERY_TIMEOUT_MS: wholeNumber('milliseconds', 1, 2 ** 31 - 1).default(600_000),
  WORKING_DIR: z.string().default('.'),
  CONFIG_DIR: z.string().optional(),
  TURNOUT_HOME: z.string().optional(),
  HOME: z.string().optional(),
});

function wholeNumber(unit: string, least: number, most: number) {
  const expected = `expected a whole number of ${unit} from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\s*\d+\s*$/, expected)
    .transform(Number)
    .refine((value) => value >= least && value <= most, expected);
}

/** A path means what it means here, wherever the agent works; a bare name is looked up on PATH. */
function absoluteProgram(path: string | undefined): string | undefined {
  return path === undefined || !/[\\/]/.test(path) ? path : resolve(path);
}

/** R7.2: the one setting whose bad value does not stop the start. */
function readMaxTurns(raw: string | undefined): {
  value: number;
  explicit: boolean;
  warnings: readonly string[];
} {
  if (raw === undefined || raw.trim() === '')
    return { value: defaultMaxTurns, explicit: false, warnings: [] };
  const value = Number(raw);
  if (/^\s*\d+\s*$/.test(raw) && value >= 1 && Number.isSafeInteger(value)) {
    return { value, explicit: true, warnings: [] };
  }
  const warning = `BACKEND_MAX_TURNS=${JSON.stringify(raw)} is not a whole number from 1 up: using ${defaultMaxTurns}.`;
  return { value: defaultMaxTurns, explicit: false, warnings: [warning] };
}

/** R7.3: settings that the active backend can't honour, each by its name. */
function ignoredOptions(config: Omit<GatewayConfig, 'warnings'>, maxTurnsGiven: boolean): readonly string[] {
  const { capabilities } = createBackend(config.agentBackend, backendConfig({ ...config, warnings: [] }));
  const ignored = [
    ...(maxTurnsGiven && !capabilities.maxTurns ? ['BACKEND_MAX_TURNS'] : []),
    ...(config.allowedTools.length > 0 && !capabilities.allowedTools ? ['ALLOWED_TOOLS'] : []),
  ];
  return ignored.map(
    (name) => `${name} is not supported by the ${config.agentBackend} backend and is ignored.`,
  );
}

/** An empty value in an environment or a .env file means "not set". */
function withoutBlanks(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  return Object.fromEntries(kept) as Record<string, string>;
}

function orProblem<T>(problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function invalidSettings(problems: readonly string[]): TurnoutError {
  const list = problems.map((problem) => `  - ${problem}`).join('\n');
  const count = problems.length === 1 ? 'A setting is' : `${problems.length} settings are`;
  return new TurnoutError('bad_request', `${count} wrong:\n${list}`, {
    hint: 'Correct them in the environment or in the .env file of this directory.',
  });
}
