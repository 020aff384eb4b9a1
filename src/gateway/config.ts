import { join, resolve } from 'node:path';
import { type AnyBackendName, backendEntry, createBackend } from '../backends/registry.js';
import type { BackendAdapter, BackendAdapterConfig, BackendCapabilities } from '../backends/types.js';
import { type Environment, homeDirectory } from '../config/home-directory.js';
import type { Clocks, PoolLimits } from '../config/limits.js';
import type { LogFormat, LogLevel } from '../config/log.js';
import { readSecrets, type SecretName, secretNames } from '../config/secrets.js';
import { type SettingOrigins, settingWithOrigin } from '../config/setting-origins.js';
import { type QueueMode, readSettings, type Settings } from '../config/settings.js';
import { type SettingUser, usesSetting } from '../config/used-settings.js';
import { isRecord, wrongValue } from '../core/check-fields.js';
import { TurnoutError } from '../core/errors.js';
import type { PermissionMode } from '../core/permission-mode.js';
import { environmentOf, findUser, type ProcessUser } from '../process/process-user.js';
import type { DiscordLimits } from '../store/discord/people.js';
import { type ChosenByFlags, chooseBackend, commandOf } from './choose-backend.js';

export type { Environment } from '../config/home-directory.js';

export { settingsLeftOut } from './choose-backend.js';

export interface GatewayConfig {
  readonly agentBackend: AnyBackendName;
  /** A path, or the CLI's own name to look up on PATH. */
  readonly backendCliPath: string;
  readonly backendModel?: string;
  readonly backendMaxTurns: number;
  /** BACKEND_MAX_TURNS was set, and is more than a default. */
  readonly backendMaxTurnsSet: boolean;
  readonly allowedTools: readonly string[];
  /** A backend may run without a restriction that it can't keep; the channel is told. */
  readonly allowUnsupported: boolean;
  readonly queryTimeoutMs: number;
  readonly workingDir: string;
  readonly configDir: string;
  readonly home: string;
  /** The file of --env-file. */
  readonly envFile?: string;
  /** True if the operator accepts that agents can write what the gateway obeys. */
  readonly allowStateInWorkingDir: boolean;
  /** The user that CLIs run as, in place of the gateway's own. */
  readonly agentUser?: ProcessUser;
  /** Turns run over live sessions: warm processes. */
  readonly backendLive: boolean;
  /** `turnout run` hands its turns to the resident host. */
  readonly runWarm: boolean;
  readonly permissionMode: PermissionMode;
  /** A turn that asks for more permissions is ended. */
  readonly maxPermissionRequests: number;
  readonly maxConcurrentTurns: number;
  /** The limit of waiting messages, in all channels together. */
  readonly maxQueueDepth: number;
  /** The most that the agent of a one-shot turn may print. */
  readonly maxOutputMb: number;
  readonly queueMode: QueueMode;
  /** The first retry waits this long, each further one twice as long as the one before. */
  readonly retryDelayMs: number;
  /** A turn whose gateway gives no sign of life for this long may be taken over by another one. */
  readonly leaseMs: number;
  /** Running turns may go on for so long after SIGTERM. */
  readonly shutdownGraceMs: number;
  /** 0 keeps everything. */
  readonly retentionDays: number;
  /** Snapshots are taken of the work trees, so that the changes of a turn can be seen and put back. */
  readonly workTreeChanges: boolean;
  /** The channel of heartbeats and cron entries that name none. */
  readonly outputChannelId?: string;
  readonly httpHost: string;
  readonly httpPort: number;
  /** The limit of open connections. */
  readonly httpMaxConnections: number;
  /** From one address; 0 for any number. */
  readonly httpMaxRequestsPerMinute: number;
  /** Names, beside the machine's own, under which it may be spoken to. */
  readonly httpAllowedHosts: readonly string[];
  readonly httpToken?: string;
  readonly discord: DiscordSettings;
  readonly logLevel: LogLevel;
  /** Default: text in a terminal, JSON everywhere else. */
  readonly logFormat?: LogFormat;
  readonly clocks: Pick<Clocks, 'modelSilenceMs' | 'toolMs' | 'permissionMs'>;
  readonly pool: PoolLimits;
  /** Settings that were ignored or replaced, by name: for the log. */
  readonly warnings: readonly string[];
}

export interface DiscordSettings {
  /** Without it there is no Discord. */
  readonly token?: string;
  /** In place of Discord's own address. */
  readonly apiUrl?: string;
  /** The largest file that is taken from a message. */
  readonly maxAttachmentMb: number;
  /** The types of files that are taken from messages; none for all but programs. */
  readonly attachmentTypes: readonly string[];
  readonly contextMessages: number;
  /** Who may speak beside those who are paired. */
  readonly allowed: {
    readonly users: readonly string[];
    readonly roles: readonly string[];
    readonly guilds: readonly string[];
    readonly channels: readonly string[];
  };
  /** Strangers get a code in a direct message, with which the operator lets them in. */
  readonly pairing: boolean;
  /** 0 is no limit. */
  readonly limits: DiscordLimits;
}

export const defaultMaxTurns = 25;

/** Validates every setting that the command uses, which are all for the gateway; all problems come in one error. */
export function loadConfig(
  env: Environment,
  flags: ChosenByFlags = {},
  origins: SettingOrigins = {},
  command: SettingUser = 'gateway',
): GatewayConfig {
  if (!isRecord(env)) throw wrongValue('env', 'an object of settings, such as process.env', env);
  const { config, problems, refusal } = readConfig(env, flags, origins, command);
  if (problems.length > 0) throw invalidSettings(problems);
  if (refusal !== undefined) throw refusal;
  return config;
}

/** The settings, with defaults in place of bad ones, and the problems of those. */
export function readConfig(
  given: Environment,
  flags: ChosenByFlags = {},
  origins: SettingOrigins = {},
  command: SettingUser = 'gateway',
): {
  readonly config: GatewayConfig;
  readonly problems: readonly string[];
  /** False if there is no such backend: the config then holds a default in its place. */
  readonly backendKnown: boolean;
  /** Set if the backend was chosen in place of AGENT_BACKEND's, and can't keep a restriction that is set for that one. */
  readonly refusal: TurnoutError | undefined;
} {
  const { backend: named, owner, settings: env, ...chosen } = chooseBackend(given, flags, origins);
  const problems = [...chosen.problems];
  const isUsed = (name: string) => usesSetting(command, name);
  const secrets = readSecrets(env, isUsed);
  problems.push(...secrets.problems);
  const { values, problems: wrong } = readSettings({ ...withoutBlanks(env), ...secrets.values }, isUsed);
  const warnings = [...chosen.warnings];
  for (const { name, expected } of wrong) {
    // A secret is never shown, even if it is wrong: the mistake may be one blank too many.
    const shown = secretNames.includes(name as SecretName) ? '' : `=${JSON.stringify(env[name])}`;
    const said = `${settingWithOrigin(name, origins, `${name}${shown}`)}: ${expected}`;
    // Many programs have a LOG_LEVEL, with words of their own. The gateway's log is its face to an operator; a turn's is not.
    if (name === 'LOG_LEVEL' && command !== 'gateway') warnings.push(`${said}; it counts as not set.`);
    else problems.push(said);
  }
  const agentUser = values.AGENT_USER === undefined ? undefined : findUser(values.AGENT_USER);
  if (agentUser !== undefined && 'problem' in agentUser)
    problems.push(`AGENT_USER=${JSON.stringify(values.AGENT_USER)}: ${agentUser.problem}`);
  const user = agentUser !== undefined && 'user' in agentUser ? agentUser.user : undefined;
  const config = makeConfig(env, named ?? 'claude', { ...values, ...secrets.values }, user);
  const unkept = unkeptOf(config, flags.restrictedFor ?? owner, flags.allowUnsupported === true);
  return {
    config: { ...config, warnings: [...warnings, ...config.warnings, ...unkept.warnings] },
    problems,
    backendKnown: named !== undefined,
    refusal: unkept.refusal,
  };
}

function makeConfig(
  env: Environment,
  agentBackend: AnyBackendName,
  values: Settings & { readonly DISCORD_BOT_TOKEN?: string },
  agentUser: ProcessUser | undefined,
): GatewayConfig {
  const maxTurns = readMaxTurns(env['BACKEND_MAX_TURNS']);
  const home = homeDirectory(env);
  const config = {
    agentBackend,
    backendCliPath: absoluteProgram(values.BACKEND_CLI_PATH) ?? backendEntry(agentBackend).command,
    ...(values.BACKEND_MODEL === undefined ? {} : { backendModel: values.BACKEND_MODEL }),
    backendMaxTurns: maxTurns.value,
    backendMaxTurnsSet: maxTurns.explicit,
    allowedTools: values.ALLOWED_TOOLS,
    allowUnsupported: values.ALLOW_UNSUPPORTED,
    queryTimeoutMs: values.QUERY_TIMEOUT_MS,
    workingDir: resolve(values.WORKING_DIR),
    configDir: resolve(values.CONFIG_DIR ?? join(home, 'config')),
    home,
    allowStateInWorkingDir: values.ALLOW_STATE_IN_WORKING_DIR,
    ...(agentUser === undefined ? {} : { agentUser }),
    // Nobody can be asked without a live session: the CLI has ended its turn by then.
    backendLive: values.BACKEND_LIVE || values.PERMISSION_MODE === 'ask',
    runWarm: values.RUN_WARM,
    permissionMode: values.PERMISSION_MODE,
    maxPermissionRequests: values.MAX_PERMISSION_REQUESTS,
    maxConcurrentTurns: values.MAX_CONCURRENT_TURNS,
    maxQueueDepth: values.MAX_QUEUE_DEPTH,
    maxOutputMb: values.MAX_OUTPUT_MB,
    queueMode: values.QUEUE_MODE,
    retryDelayMs: values.RETRY_DELAY_MS,
    leaseMs: values.LEASE_MS,
    shutdownGraceMs: values.SHUTDOWN_GRACE_MS,
    retentionDays: values.RETENTION_DAYS,
    workTreeChanges: values.WORK_TREE_CHANGES,
    ...(values.OUTPUT_CHANNEL_ID === undefined ? {} : { outputChannelId: values.OUTPUT_CHANNEL_ID }),
    httpHost: values.HTTP_HOST,
    httpPort: values.HTTP_PORT,
    httpMaxConnections: values.HTTP_MAX_CONNECTIONS,
    httpMaxRequestsPerMinute: values.HTTP_MAX_REQUESTS_PER_MINUTE,
    httpAllowedHosts: values.HTTP_ALLOWED_HOSTS,
    ...(values.HTTP_TOKEN === undefined ? {} : { httpToken: values.HTTP_TOKEN }),
    discord: {
      ...(values.DISCORD_BOT_TOKEN === undefined ? {} : { token: values.DISCORD_BOT_TOKEN }),
      ...(values.DISCORD_API_URL === undefined ? {} : { apiUrl: values.DISCORD_API_URL }),
      maxAttachmentMb: values.DISCORD_MAX_ATTACHMENT_MB,
      attachmentTypes: values.DISCORD_ATTACHMENT_TYPES,
      contextMessages: values.DISCORD_CONTEXT_MESSAGES,
      allowed: {
        users: values.DISCORD_ALLOWED_USERS,
        roles: values.DISCORD_ALLOWED_ROLES,
        guilds: values.DISCORD_ALLOWED_GUILDS,
        channels: values.DISCORD_ALLOWED_CHANNELS,
      },
      pairing: values.DISCORD_PAIRING,
      limits: {
        userTurnsPerHour: values.DISCORD_TURNS_PER_HOUR,
        channelTurnsPerHour: values.DISCORD_CHANNEL_TURNS_PER_HOUR,
        userSpendPerDay: values.DISCORD_USER_SPEND_PER_DAY,
        channelSpendPerDay: values.DISCORD_CHANNEL_SPEND_PER_DAY,
      },
    },
    logLevel: values.LOG_LEVEL,
    ...(values.LOG_FORMAT === undefined ? {} : { logFormat: values.LOG_FORMAT }),
    clocks: {
      modelSilenceMs: values.MODEL_SILENCE_MS,
      toolMs: values.TOOL_TIMEOUT_MS,
      permissionMs: values.PERMISSION_TIMEOUT_MS,
    },
    pool: {
      maxProcesses: values.POOL_MAX_PROCESSES,
      maxResidentBytes: values.POOL_MAX_MEMORY_MB * 1024 ** 2,
      idleMs: values.POOL_IDLE_MS,
      spares: values.POOL_SPARES,
    },
  };
  return { ...config, warnings: maxTurns.warnings };
}

/** The part of the settings that a backend gets. */
export function backendConfig(config: GatewayConfig, env?: Environment): BackendAdapterConfig {
  return {
    cliPath: config.backendCliPath,
    workingDir: config.workingDir,
    queryTimeoutMs: config.queryTimeoutMs,
    maxOutputBytes: config.maxOutputMb * 1024 ** 2,
    allowedTools: config.allowedTools,
    maxTurns: config.backendMaxTurns,
    model: config.backendModel,
    env: agentEnvironment(config, env),
    user: config.agentUser,
    home: config.home,
  };
}

/** The environment that the CLIs inherit; `undefined` is that of this process. */
export function agentEnvironment(config: GatewayConfig, env?: Environment): Environment | undefined {
  return config.agentUser === undefined ? env : environmentOf(config.agentUser, env ?? process.env);
}

/** A path is relative to this process's directory, wherever the agent works; a bare name is looked up on PATH. */
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

/**
 * The config of a gateway to which a backend was given: that one is the active one, whatever AGENT_BACKEND says. The path and
 * the model of AGENT_BACKEND are not another one's.
 */
export function configWith(config: GatewayConfig, backend: BackendAdapter): GatewayConfig {
  // A backend that is no CLI of ours has a name of its own.
  const agentBackend = backend.name() as AnyBackendName;
  if (agentBackend === config.agentBackend) return config;
  const { backendModel: _, ...others } = config;
  return { ...others, agentBackend, backendCliPath: commandOf(agentBackend) };
}

/**
 * R7.3: settings that AGENT_BACKEND can't honour are ignored, each with a warning. They are restrictions where another backend was
 * chosen in its place: that one does not run without them.
 */
function unkeptOf(
  config: GatewayConfig,
  owner: string,
  isAllowedByFlag: boolean,
): { readonly warnings: readonly string[]; readonly refusal?: TurnoutError } {
  const { agentBackend: backend } = config;
  const names = unkeptSettings(config, createBackend(backend, backendConfig(config)).capabilities);
  if (backend === owner) {
    const ignored = (name: string) => `${name} is not supported by the ${backend} backend and is ignored.`;
    return { warnings: names.map(ignored) };
  }
  const isAllowed = isAllowedByFlag || config.allowUnsupported;
  const text = describeUnkept(backend, names, isAllowed);
  if (text === undefined || isAllowed) return { warnings: text === undefined ? [] : [text] };
  const hint =
    'Choose another backend, remove the setting, or pass --allow-unsupported (ALLOW_UNSUPPORTED=1).';
  return { warnings: [], refusal: new TurnoutError('unsupported', text, { hint }) };
}

/** The settings that a backend can't honour, by name. */
export function unkeptSettings(
  config: Pick<GatewayConfig, 'allowedTools' | 'backendMaxTurnsSet'>,
  can: BackendCapabilities,
): readonly string[] {
  return [
    ...(config.allowedTools.length > 0 && !can.allowedTools ? ['ALLOWED_TOOLS'] : []),
    ...(config.backendMaxTurnsSet && !can.maxTurns ? ['BACKEND_MAX_TURNS'] : []),
  ];
}

/** Says that a backend was chosen in place of another one, which has restrictions that it can't keep; undefined if it can. */
export function describeUnkept(
  backend: AnyBackendName,
  names: readonly string[],
  isAllowed: boolean,
): string | undefined {
  if (names.length === 0) return undefined;
  const lost = `${backend} can't be restricted by ${names.join(' and ')}`;
  return isAllowed ? `${lost}, and runs here without.` : `${lost}, and does not run without.`;
}

/** An empty value in an environment or a .env file means "not set". */
function withoutBlanks(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  return Object.fromEntries(kept) as Record<string, string>;
}

function invalidSettings(problems: readonly string[]): TurnoutError {
  const list = problems.map((problem) => `  - ${problem}`).join('\n');
  const [count, where] =
    problems.length === 1
      ? ['A setting is', 'it where it is set']
      : [`${problems.length} settings are`, 'them where they are set'];
  return new TurnoutError('bad_request', `${count} wrong:\n${list}`, {
    hint: `Correct ${where}: flags, the environment, or .env and config.yaml in TURNOUT_HOME.`,
  });
}
