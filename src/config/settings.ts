import { nearest } from '../core/distance.js';
import { permissionModes } from '../core/permission-mode.js';
import { longestTimerMs } from '../core/wait.js';
import {
  channelIdExpected,
  discordIdExpected,
  hostNameExpected,
  isChannelId,
  isDiscordId,
  isHostName,
  isModelName,
  isToken,
  modelNameExpected,
  tokenExpected,
} from './formats.js';
import { defaultClocks, defaultPoolLimits } from './limits.js';
import { logFormats, logLevels } from './log.js';
import { fileSetting, secretNames } from './secrets.js';

/** The ways to treat a message that arrives while the channel's turn runs. */
export const queueModes = ['queue', 'interrupt', 'collect', 'steer'] as const;
export type QueueMode = (typeof queueModes)[number];

/**
 * All settings as they are written in the environment: how each is read, and its default. A plain table, since every command
 * reads it: to load a library for schemas would take a third of a short command's time.
 */
const settings = {
  BACKEND_CLI_PATH: optional(text),
  BACKEND_MODEL: optional(matching(isModelName, modelNameExpected)),
  ALLOWED_TOOLS: withDefault(tools, []),
  ALLOW_UNSUPPORTED: withDefault(onOrOff, false),
  QUERY_TIMEOUT_MS: withDefault(milliseconds(1), 600_000),
  WORKING_DIR: withDefault(text, '.'),
  CONFIG_DIR: optional(text),
  ALLOW_STATE_IN_WORKING_DIR: withDefault(onOrOff, false),
  AGENT_USER: optional(trimmed),
  MAX_PERMISSION_REQUESTS: withDefault(wholeNumber('requests', 1, 100_000), 200),
  BACKEND_LIVE: withDefault(onOrOff, false),
  RUN_WARM: withDefault(onOrOff, false),
  PERMISSION_MODE: withDefault(oneOf(permissionModes), 'bypass'),
  MAX_CONCURRENT_TURNS: withDefault(wholeNumber('turns', 1, 1000), 4),
  MAX_QUEUE_DEPTH: withDefault(wholeNumber('messages', 1, 10_000_000), 10_000),
  MAX_OUTPUT_MB: withDefault(wholeNumber('megabytes', 1, 10_000_000), 1024),
  QUEUE_MODE: withDefault(oneOf(queueModes), 'queue'),
  RETRY_DELAY_MS: withDefault(milliseconds(1), 5000),
  LEASE_MS: withDefault(milliseconds(1000), 60_000),
  SHUTDOWN_GRACE_MS: withDefault(milliseconds(0), 30_000),
  RETENTION_DAYS: withDefault(wholeNumber('days', 0, 36_500), 0),
  WORK_TREE_CHANGES: withDefault(onOrOff, true),
  OUTPUT_CHANNEL_ID: optional(matching(isChannelId, `this is no channel id: ${channelIdExpected}`)),
  DISCORD_API_URL: optional(webAddress),
  DISCORD_MAX_ATTACHMENT_MB: withDefault(wholeNumber('megabytes', 1, 500), 25),
  DISCORD_ATTACHMENT_TYPES: withDefault(fileTypes, []),
  DISCORD_CONTEXT_MESSAGES: withDefault(wholeNumber('messages', 0, 50), 10),
  HTTP_HOST: withDefault(text, '127.0.0.1'),
  HTTP_PORT: withDefault(wholeNumber('', 0, 65_535), 8420),
  HTTP_MAX_CONNECTIONS: withDefault(wholeNumber('connections', 8, 100_000), 256),
  HTTP_MAX_REQUESTS_PER_MINUTE: withDefault(wholeNumber('requests', 0, 10_000_000), 6000),
  HTTP_ALLOWED_HOSTS: withDefault(hostNames, []),
  HTTP_TOKEN: optional(matching(isToken, tokenExpected)),
  DISCORD_ALLOWED_USERS: withDefault(discordIds, []),
  DISCORD_ALLOWED_ROLES: withDefault(discordIds, []),
  DISCORD_ALLOWED_GUILDS: withDefault(discordIds, []),
  DISCORD_ALLOWED_CHANNELS: withDefault(discordIds, []),
  DISCORD_PAIRING: withDefault(onOrOff, true),
  DISCORD_TURNS_PER_HOUR: withDefault(wholeNumber('turns', 0, 1_000_000), 60),
  DISCORD_CHANNEL_TURNS_PER_HOUR: withDefault(wholeNumber('turns', 0, 1_000_000), 240),
  DISCORD_USER_SPEND_PER_DAY: withDefault(dollars, 0),
  DISCORD_CHANNEL_SPEND_PER_DAY: withDefault(dollars, 0),
  LOG_LEVEL: withDefault(oneOf(logLevels), 'info'),
  LOG_FORMAT: optional(oneOf(logFormats)),
  MODEL_SILENCE_MS: withDefault(milliseconds(0), defaultClocks.modelSilenceMs),
  TOOL_TIMEOUT_MS: withDefault(milliseconds(0), defaultClocks.toolMs),
  PERMISSION_TIMEOUT_MS: withDefault(milliseconds(0), defaultClocks.permissionMs),
  POOL_MAX_PROCESSES: withDefault(wholeNumber('processes', 1, 10_000), defaultPoolLimits.maxProcesses),
  POOL_MAX_MEMORY_MB: withDefault(
    wholeNumber('megabytes', 64, 10_000_000),
    defaultPoolLimits.maxResidentBytes / 1024 ** 2,
  ),
  POOL_IDLE_MS: withDefault(milliseconds(0), defaultPoolLimits.idleMs),
  POOL_SPARES: withDefault(wholeNumber('processes', 0, 100), defaultPoolLimits.spares),
} as const;

/** Settings that are not read by the table: a backend's name, R7.2, and secrets, which have several sources. */
const otherNames: ReadonlySet<string> = new Set([
  ...['AGENT_BACKEND', 'FORGE_BACKEND', 'BACKEND_MAX_TURNS', 'TURNOUT_HOME'],
  ...secretNames.flatMap((name) => [name, fileSetting(name)]),
]);

export const settingNames: readonly string[] = [...new Set([...Object.keys(settings), ...otherNames])];

export function isSettingName(name: string): boolean {
  return Object.hasOwn(settings, name) || otherNames.has(name);
}

export type Settings = { readonly [K in keyof typeof settings]: ReturnType<(typeof settings)[K]> };

export interface SettingProblem {
  readonly name: string;
  /** The form of a right value. */
  readonly expected: string;
}

/** Returns the form of a right value if this one is wrong. */
export function problemOf(name: string, value: string): string | undefined {
  const [problem] = readSettings({ [name]: value }).problems;
  return problem?.expected;
}

/** The default of a setting as it would be written; undefined if it has none. */
export function defaultOf(name: string): string | undefined {
  if (!isTableName(name)) return undefined;
  const value = settings[name](undefined);
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

function isTableName(name: string): name is keyof typeof settings {
  return Object.hasOwn(settings, name);
}

/** Reads the settings that are used; the others have their defaults. A wrong one is named, and has its default, too. */
export function readSettings(
  given: Readonly<Record<string, string | undefined>>,
  isUsed: (name: string) => boolean = () => true,
): {
  readonly values: Settings;
  readonly problems: readonly SettingProblem[];
} {
  const problems: SettingProblem[] = [];
  const values = Object.entries(settings).map(([name, read]) => {
    try {
      return [name, read(isUsed(name) ? given[name] : undefined)];
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      problems.push({ name, expected: error.message });
      return [name, read(undefined)];
    }
  });
  return { values: Object.fromEntries(values) as Settings, problems };
}

/** A reader throws it. The message describes a right value. */
class WrongValue extends Error {}

function optional<T>(read: (raw: string) => T): (raw: string | undefined) => T | undefined {
  return (raw) => (raw === undefined ? undefined : read(raw));
}

function withDefault<T>(read: (raw: string) => T, value: NoInfer<T>): (raw: string | undefined) => T {
  return (raw) => (raw === undefined ? value : read(raw));
}

function text(raw: string): string {
  return raw;
}

function trimmed(raw: string): string {
  return raw.trim();
}

function list(raw: string): readonly string[] {
  return raw
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function webAddress(raw: string): string {
  const url = URL.canParse(raw.trim()) ? new URL(raw.trim()) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new WrongValue('expected an address that begins with http:// or https://');
  return raw.trim().replace(/\/+$/, '');
}

function hostNames(raw: string): readonly string[] {
  const names = list(raw);
  if (!names.every(isHostName)) throw new WrongValue(hostNameExpected);
  return names;
}

function fileTypes(raw: string): readonly string[] {
  const types = list(raw);
  const wrong = types.filter((type) => !/^(?:[\w.+-]+\/(?:\*|[\w.+-]+)|\*\/\*|\.\w+)$/.test(type));
  const unlike = wrong.length === 0 ? '' : `, unlike ${wrong.map(quoted).join(', ')}`;
  if (wrong.length > 0 || types.length === 0)
    throw new WrongValue(`expected types of files, comma-separated: image/*, application/pdf, .zip${unlike}`);
  return types;
}

function discordIds(raw: string): readonly string[] {
  const ids = list(raw);
  const wrong = ids.filter((id) => !isDiscordId(id));
  if (wrong.length > 0) throw new WrongValue(`${discordIdExpected}, unlike ${wrong.map(quoted).join(', ')}`);
  // A list without an id, such as ",", would not restrict what it was meant to.
  if (ids.length === 0) throw new WrongValue(discordIdExpected);
  return ids;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function dollars(raw: string): number {
  const value = Number(raw);
  if (!/^\s*\d+(\.\d+)?\s*$/.test(raw) || value > 1_000_000)
    throw new WrongValue('expected US dollars from 0 to 1000000, such as 2.50');
  return value;
}

function tools(raw: string): readonly string[] {
  const names = list(raw);
  // No tool at all would mean all of them.
  if (names.length === 0) throw new WrongValue('expected at least one tool; leave it out to allow all');
  return names;
}

function matching(isRight: (value: string) => boolean, expected: string): (raw: string) => string {
  return (raw) => {
    const value = raw.trim();
    if (!isRight(value)) throw new WrongValue(expected);
    return value;
  };
}

function oneOf<const T extends readonly string[]>(words: T): (raw: string) => T[number] {
  return (raw) => {
    const word = words.find((known) => known === raw.trim().toLowerCase());
    if (word !== undefined) return word;
    const near = nearest(raw, words);
    const meant = near === undefined ? '' : `; did you mean ${near}?`;
    throw new WrongValue(`expected one of ${words.join(', ')}${meant}`);
  };
}

function onOrOff(raw: string): boolean {
  const word = raw.trim().toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  if (['0', 'false', 'no', 'off'].includes(word)) return false;
  throw new WrongValue('expected 1 or 0');
}

function milliseconds(least: number): (raw: string) => number {
  return wholeNumber('milliseconds', least, longestTimerMs);
}

function wholeNumber(unit: string, least: number, most: number): (raw: string) => number {
  const expected = `expected a whole number${unit === '' ? '' : ` of ${unit}`} from ${least} to ${most}`;
  return (raw) => {
    const value = Number(raw);
    if (!/^\s*\d+\s*$/.test(raw) || value < least || value > most) throw new WrongValue(expected);
    return value;
  };
}
