/**
 * The commands that use settings. `run` stands for `turnout agent run` too, `gateway` for `service`; `host` is the resident host
 * of `run --warm`.
 */
export const settingUsers = ['run', 'chat', 'chain', 'doctor', 'gateway', 'host'] as const;

/**
 * `place` is for commands that need to know where they work, and nothing of agents (`agent list`); `none` for those that only
 * show or change settings, which a wrong value must not keep from it (`init`, `config`).
 */
export type SettingUser = (typeof settingUsers)[number] | 'place' | 'none';

/**
 * Tells whether a command uses a setting. A command looks at no other one: a wrong value that only the gateway would use,
 * or that was exported for another program (`LOG_LEVEL`, `HTTP_PORT`), is no reason to refuse a turn.
 */
export function usesSetting(user: SettingUser, name: string): boolean {
  return user === 'gateway' ? !ofShell.includes(name) : used[user].has(name);
}

/** They are about who waits at a shell. */
const ofShell = ['RUN_WARM', 'FORGE_BACKEND'];

const everywhere = ['TURNOUT_HOME', 'AGENT_BACKEND', 'FORGE_BACKEND', 'BACKEND_CLI_PATH', 'AGENT_USER'];
const ofAgents = ['WORKING_DIR', 'BACKEND_MODEL', 'BACKEND_MAX_TURNS', 'ALLOWED_TOOLS'];
const ofTurns = [
  ...['QUERY_TIMEOUT_MS', 'MODEL_SILENCE_MS', 'TOOL_TIMEOUT_MS', 'PERMISSION_TIMEOUT_MS'],
  ...['PERMISSION_MODE', 'ALLOW_UNSUPPORTED'],
];
const ofOneShotTurns = ['BACKEND_LIVE', 'RUN_WARM', 'MAX_OUTPUT_MB', 'LOG_LEVEL'];
const ofDiscordsBot = ['DISCORD_BOT_TOKEN', 'DISCORD_BOT_TOKEN_FILE', 'DISCORD_API_URL'];

const used: Readonly<Record<Exclude<SettingUser, 'gateway'>, ReadonlySet<string>>> = {
  run: new Set([...everywhere, ...ofAgents, ...ofTurns, ...ofOneShotTurns]),
  chat: new Set([...everywhere, ...ofAgents, ...ofTurns]),
  chain: new Set([...everywhere, ...ofAgents, 'PERMISSION_MODE', 'MAX_OUTPUT_MB']),
  // A setting that the backend can't honour is warned of, here too.
  doctor: new Set([
    ...everywhere,
    'WORKING_DIR',
    'BACKEND_MODEL',
    'BACKEND_MAX_TURNS',
    'ALLOWED_TOOLS',
    ...ofDiscordsBot,
  ]),
  host: new Set(['TURNOUT_HOME', 'POOL_MAX_PROCESSES', 'POOL_MAX_MEMORY_MB', 'POOL_IDLE_MS']),
  place: new Set(['TURNOUT_HOME', 'WORKING_DIR']),
  none: new Set(['TURNOUT_HOME']),
};
