import { secretNames } from './secrets.js';
import { defaultOf } from './settings.js';
import { type SettingUser, settingUsers, usesSetting } from './used-settings.js';

/** What there is to know of a setting without looking at its value. */
export interface SettingDescription {
  readonly name: string;
  /** The settings that it belongs to: Agent, Turns, … */
  readonly group: string;
  /** The value that counts if none is set, as it would be written. Undefined if there is none, or if it is found at run time. */
  readonly defaultValue?: string;
  /** What counts if none is set, in words, where that is found at run time. */
  readonly otherwise?: string;
  /** What counts in a chat if none is set, where that is something else. */
  readonly inChat?: string;
  /** One line: what it is for. */
  readonly description: string;
  /** The value is never shown. */
  readonly isSecret: boolean;
  /** The commands that use it. */
  readonly usedBy: readonly SettingUser[];
}

/** Every setting, group by group. Commands that run turns don't load this. */
export function describeSettings(): readonly SettingDescription[] {
  return Object.entries(descriptions).flatMap(([group, settings]) =>
    Object.entries(settings).map(([name, { is, ...description }]) => {
      const defaultValue = description.otherwise === undefined ? defaultOf(name) : undefined;
      return {
        name,
        group,
        ...(defaultValue === undefined ? {} : { defaultValue }),
        ...description,
        description: is,
        isSecret: secretNames.some((secret) => secret === name),
        usedBy: settingUsers.filter((user) => usesSetting(user, name)),
      };
    }),
  );
}

interface Description extends Pick<SettingDescription, 'defaultValue' | 'otherwise' | 'inChat'> {
  readonly is: string;
}

const descriptions: Readonly<Record<string, Readonly<Record<string, Description>>>> = {
  Agent: {
    AGENT_BACKEND: { is: 'the agent CLI: claude, codex, gemini or opencode', defaultValue: 'claude' },
    FORGE_BACKEND: {
      is: 'the default of --backend for runs, agents and chains, over AGENT_BACKEND; codex-sdk too',
    },
    BACKEND_CLI_PATH: {
      is: "the program of AGENT_BACKEND's CLI, and of no other one",
      otherwise: "the CLI's name on PATH",
    },
    BACKEND_MODEL: { is: "the model of AGENT_BACKEND's CLI", otherwise: "the CLI's own" },
    BACKEND_MAX_TURNS: { is: 'the limit of model turns (Claude)', defaultValue: '25' },
    ALLOWED_TOOLS: { is: "only these tools, in the CLI's own names (Claude, OpenCode)", otherwise: 'all' },
    ALLOW_UNSUPPORTED: { is: '1: a backend may run without a restriction that it can’t keep, and says so' },
    PERMISSION_MODE: { is: 'what an agent may do without asking: bypass, ask, edits, plan', inChat: 'ask' },
    WORKING_DIR: { is: 'where the agent works', otherwise: 'the current directory' },
    AGENT_USER: { is: 'CLIs run as this user (Linux, started as root)', otherwise: 'the same user' },
  },
  Turns: {
    QUERY_TIMEOUT_MS: {
      is: 'the longest that a turn may take, the start of its CLI included',
      inChat: 'none',
    },
    MODEL_SILENCE_MS: { is: 'the model may say nothing for this long; 0: for ever' },
    TOOL_TIMEOUT_MS: { is: 'one tool may run for this long; 0: for ever' },
    PERMISSION_TIMEOUT_MS: {
      is: 'a permission request waits for this long, then it is denied; 0: for ever',
      inChat: 'none',
    },
    MAX_OUTPUT_MB: { is: 'an agent that prints more in one turn is ended' },
    BACKEND_LIVE: { is: '1: turns run over live sessions, in warm processes' },
    RUN_WARM: { is: '1: `turnout run` is always `--warm`: a resident host keeps the CLIs started' },
  },
  'Live processes': {
    POOL_MAX_PROCESSES: { is: 'live processes at the same time' },
    POOL_MAX_MEMORY_MB: { is: 'the resident memory of all live processes together' },
    POOL_IDLE_MS: { is: 'a live process that nobody uses is ended after this long' },
    POOL_SPARES: { is: 'unused processes kept ready for each kind in use' },
  },
  'Files and log': {
    TURNOUT_HOME: { is: 'settings, state and temporary files', otherwise: '~/.turnout' },
    CONFIG_DIR: { is: 'persona files of the gateway', otherwise: 'config in TURNOUT_HOME' },
    LOG_LEVEL: { is: 'debug, info, warn, error, silent: the log on stderr' },
    LOG_FORMAT: {
      is: 'text for people, or json: an object a line',
      otherwise: 'text in a terminal, else json',
    },
    RETENTION_DAYS: { is: 'conversations older than this are removed; 0 keeps them' },
    WORK_TREE_CHANGES: { is: '0: no snapshots of the work tree are taken around turns' },
    ALLOW_STATE_IN_WORKING_DIR: { is: '1: start although agents can write what the gateway obeys' },
    DATABASE_URL: { is: 'reserved: no agent gets it' },
    DATABASE_URL_FILE: { is: 'a file with DATABASE_URL' },
  },
  Gateway: {
    MAX_CONCURRENT_TURNS: { is: 'channels that are worked on at the same time' },
    MAX_QUEUE_DEPTH: { is: 'messages that may wait, in all channels together' },
    QUEUE_MODE: { is: 'what becomes of a message during a turn: queue, interrupt, collect, steer' },
    MAX_PERMISSION_REQUESTS: { is: 'permissions that one turn may ask for; one more ends it' },
    RETRY_DELAY_MS: { is: 'the wait before the first of three retries' },
    SHUTDOWN_GRACE_MS: { is: 'how long running turns may go on after SIGTERM' },
    LEASE_MS: { is: 'a turn whose gateway gives no sign of life for this long may be taken over' },
    OUTPUT_CHANNEL_ID: { is: 'where heartbeats and cron entries without a channel are answered' },
  },
  HTTP: {
    HTTP_HOST: { is: 'where the HTTP API listens' },
    HTTP_PORT: { is: 'the port of the HTTP API; 0: a free one' },
    HTTP_TOKEN: { is: 'the Bearer token of the HTTP API', otherwise: 'made at the first start, and kept' },
    HTTP_TOKEN_FILE: { is: 'a file with HTTP_TOKEN' },
    HTTP_ALLOWED_HOSTS: { is: 'further names under which the gateway may be reached' },
    HTTP_MAX_CONNECTIONS: { is: 'connections at the same time' },
    HTTP_MAX_REQUESTS_PER_MINUTE: { is: 'requests from one address; 0: any number' },
  },
  Discord: {
    DISCORD_BOT_TOKEN: { is: 'the token of a bot: with it the gateway is on Discord' },
    DISCORD_API_URL: { is: "a proxy or a test server in place of Discord's own address" },
    DISCORD_MAX_ATTACHMENT_MB: { is: 'the largest file of a message that the agent gets' },
    DISCORD_ATTACHMENT_TYPES: {
      is: 'the files that the agent gets, by type or ending: image/*,.zip; */* is all',
      otherwise: 'all but programs',
    },
    DISCORD_CONTEXT_MESSAGES: { is: 'messages of a channel that the agent gets with a mention; 0: none' },
    DISCORD_ALLOWED_USERS: { is: 'ids of people who may speak in Discord' },
    DISCORD_ALLOWED_ROLES: { is: 'ids of roles: whoever has one of them may speak' },
    DISCORD_ALLOWED_GUILDS: { is: 'ids of guilds (servers): only there' },
    DISCORD_ALLOWED_CHANNELS: { is: 'ids of channels, with their threads: only there' },
    DISCORD_PAIRING: { is: "1: a stranger's direct message is answered with a code for pairing" },
    DISCORD_TURNS_PER_HOUR: { is: 'messages of one person that are answered in an hour; 0: any number' },
    DISCORD_CHANNEL_TURNS_PER_HOUR: {
      is: 'messages of one channel that are answered in an hour; 0: any number',
    },
    DISCORD_USER_SPEND_PER_DAY: {
      is: "US dollars that one person's messages may cost in 24 hours; 0: no limit",
    },
    DISCORD_CHANNEL_SPEND_PER_DAY: {
      is: "US dollars that one channel's turns may cost in 24 hours; 0: no limit",
    },
    DISCORD_BOT_TOKEN_FILE: { is: 'a file with DISCORD_BOT_TOKEN' },
  },
};
