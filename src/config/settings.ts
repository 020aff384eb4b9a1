import { z } from 'zod';
import { permissionModes } from '../core/permission-mode.js';
import { longestTimerMs } from '../core/wait.js';
import {
  channelIdExpected,
  isChannelId,
  isModelName,
  isToken,
  modelNameExpected,
  tokenExpected,
} from './formats.js';
import { defaultClocks, defaultPoolLimits } from './limits.js';
import { logLevels } from './log.js';

/** The ways to treat a message that arrives while the channel's turn runs. */
export const queueModes = ['queue', 'interrupt', 'collect', 'steer'] as const;
export type QueueMode = (typeof queueModes)[number];

/** All settings as they are written in the environment. */
export const settings = z.object({
  BACKEND_CLI_PATH: z.string().optional(),
  BACKEND_MODEL: z.string().refine(isModelName, modelNameExpected).optional(),
  ALLOWED_TOOLS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((tool) => tool.trim())
        .filter((tool) => tool !== ''),
    ),
  QUERY_TIMEOUT_MS: milliseconds(1).default(600_000),
  WORKING_DIR: z.string().default('.'),
  CONFIG_DIR: z.string().optional(),
  BACKEND_LIVE: onOrOff().default(false),
  PERMISSION_MODE: oneOf(permissionModes).default('bypass'),
  MAX_CONCURRENT_TURNS: wholeNumber('turns', 1, 1000).default(4),
  MAX_QUEUE_DEPTH: wholeNumber('messages', 1, 10_000_000).default(10_000),
  QUEUE_MODE: oneOf(queueModes).default('queue'),
  RETRY_DELAY_MS: milliseconds(1).default(5000),
  LEASE_MS: milliseconds(1000).default(60_000),
  SHUTDOWN_GRACE_MS: milliseconds(0).default(30_000),
  RETENTION_DAYS: wholeNumber('days', 0, 36_500).default(0),
  OUTPUT_CHANNEL_ID: z
    .string()
    .trim()
    .refine(isChannelId, `this is no channel id: ${channelIdExpected}`)
    .optional(),
  HTTP_HOST: z.string().default('127.0.0.1'),
  HTTP_PORT: wholeNumber('', 0, 65_535).default(8420),
  HTTP_TOKEN: z.string().trim().refine(isToken, tokenExpected).optional(),
  LOG_LEVEL: oneOf(logLevels).default('info'),
  MODEL_SILENCE_MS: milliseconds(0).default(defaultClocks.modelSilenceMs),
  TOOL_TIMEOUT_MS: milliseconds(0).default(defaultClocks.toolMs),
  PERMISSION_TIMEOUT_MS: milliseconds(0).default(defaultClocks.permissionMs),
  POOL_MAX_PROCESSES: wholeNumber('processes', 1, 10_000).default(defaultPoolLimits.maxProcesses),
  POOL_MAX_MEMORY_MB: wholeNumber('megabytes', 64, 10_000_000).default(
    defaultPoolLimits.maxResidentBytes / 1024 ** 2,
  ),
  POOL_IDLE_MS: milliseconds(0).default(defaultPoolLimits.idleMs),
  POOL_SPARES: wholeNumber('processes', 0, 100).default(defaultPoolLimits.spares),
});

function milliseconds(least: number) {
  return wholeNumber('milliseconds', least, longestTimerMs);
}

function oneOf<const T extends readonly string[]>(words: T) {
  return z
    .string()
    .transform((word) => word.trim())
    .pipe(z.enum(words, { error: `expected one of ${words.join(', ')}` }));
}

function onOrOff() {
  return z
    .string()
    .transform((word) => word.trim().toLowerCase())
    .pipe(z.enum(['1', 'true', 'yes', 'on', '0', 'false', 'no', 'off'], { error: 'expected 1 or 0' }))
    .transform((word) => ['1', 'true', 'yes', 'on'].includes(word));
}

function wholeNumber(unit: string, least: number, most: number) {
  const expected = `expected a whole number${unit === '' ? '' : ` of ${unit}`} from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\s*\d+\s*$/, expected)
    .transform(Number)
    .refine((value) => value >= least && value <= most, expected);
}
