/** The commands that run or look at agents. `run` stands for `turnout agent` too, `gateway` for `service`. */
export const settingUsers = ['run', 'chat', 'chain', 'doctor', 'gateway'] as const;
export type SettingUser = (typeof settingUsers)[number];

/**
 * Tells whether a command uses a setting. A command looks at no other one: a wrong value that only the gateway would use,
 * or that was exported for another program (`LOG_LEVEL`, `HTTP_PORT`), is no reason to refuse a turn.
 */
export function usesSetting(user: SettingUser, name: string): boolean {
  return user === 'gateway' ? name !== ofShell : used[user].has(name);
}

/** It is about who waits at a shell. */
const ofShell = 'RUN_WARM';

const everywhere = ['TURNOUT_HOME', 'AGENT_BACKEND', 'FORGE_BACKEND', 'BACKEND_CLI_PATH', 'AGENT_USER'];
const ofAgents = ['WORKING_DIR', 'BACKEND_MODEL', 'BACKEND_MAX_TURNS', 'ALLOWED_TOOLS'];
const ofTurns = [
  ...['QUERY_TIMEOUT_MS', 'MODEL_SILENCE_MS', 'TOOL_TIMEOUT_MS', 'PERMISSION_TIMEOUT_MS'],
  ...['PERMISSION_MODE', 'ALLOW_UNSUPPORTED', 'LOG_LEVEL'],
];
const ofOneShotTurns = ['BACKEND_LIVE', ofShell, 'MAX_OUTPUT_MB'];
const ofDiscordsBot = ['DISCORD_BOT_TOKEN', 'DISCORD_BOT_TOKEN_FILE', 'DISCORD_API_URL'];

const used: Readonly<Record<Exclude<SettingUser, 'gateway'>, ReadonlySet<string>>> = {
  run: new Set([...everywhere, ...ofAgents, ...ofTurns, ...ofOneShotTurns]),
  chat: new Set([...everywhere, ...ofAgents, ...ofTurns]),
  chain: new Set([...everywhere, ...ofAgents, 'MAX_OUTPUT_MB']),
  // A setting that the backend can't honour is warned of, here too.
  doctor: new Set([
    ...everywhere,
    'WORKING_DIR',
    'BACKEND_MODEL',
    'BACKEND_MAX_TURNS',
    'ALLOWED_TOOLS',
    ...ofDiscordsBot,
  ]),
};
