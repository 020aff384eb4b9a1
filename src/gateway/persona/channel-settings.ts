import * as z from 'zod';
import {
  type AnyBackendName,
  backendNames,
  findBackendName,
  guessBackendName,
} from '../../backends/registry.js';
import { isModelName, modelNameExpected } from '../../config/formats.js';
import { type QueueMode, queueModes } from '../../config/settings.js';
import { type PermissionMode, permissionModes } from '../../core/permission-mode.js';
import { parseThinking, type Thinking, thinkingExpected } from '../../core/thinking.js';

/** The settings that the front matter in `channels/<id>/` makes for its channel. */
export interface ChannelSettings {
  readonly backend?: AnyBackendName;
  readonly model?: string;
  readonly thinking?: Thinking;
  /** The directory as it was written: a relative one begins at WORKING_DIR. */
  readonly cwd?: string;
  readonly tools?: readonly string[];
  readonly queueMode?: QueueMode;
  readonly permissionMode?: PermissionMode;
}

const text = (what: string) => z.string({ error: what }).trim().min(1, what);
const oneOf = <const T extends readonly string[]>(words: T) =>
  z.enum(words, {
    error: ({ input }) => `expected one of ${words.join(', ')}, not ${JSON.stringify(input)}`,
  });

const toolsExpected = 'expected a list of tool names; leave it out to allow all';

/** The keys of the front matter. */
export const channelSettingsShape = {
  backend: z.unknown().transform((input, context) => {
    const written = typeof input === 'string' ? input : '';
    const name = findBackendName(written);
    if (name !== undefined) return name;
    const guess = guessBackendName(written);
    const meant = guess === undefined ? '' : `; did you mean ${guess}?`;
    const message = `expected one of ${backendNames().join(', ')}, not ${JSON.stringify(input)}${meant}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }),
  model: text("expected the model's name").refine(isModelName, modelNameExpected),
  thinking: z.union([z.string(), z.number()], { error: thinkingExpected }).transform((value, context) => {
    const read = parseThinking(String(value));
    if (read === undefined) context.addIssue({ code: 'custom', message: thinkingExpected });
    return read ?? z.NEVER;
  }),
  cwd: text('expected a directory'),
  tools: z
    .union([z.array(text(toolsExpected)), z.string().transform((list) => splitAtCommas(list))], {
      error: toolsExpected,
    })
    .refine((tools) => tools.length > 0, toolsExpected),
  queue: oneOf(queueModes),
  permission_mode: oneOf(permissionModes),
} as const;

/** All names of the keys, also as other programs call them; upper case, `_`, `-` and blanks don't matter. */
export const channelSettingsAliases = {
  backend: 'backend',
  model: 'model',
  thinking: 'thinking',
  thinkingdepth: 'thinking',
  cwd: 'cwd',
  workingdir: 'cwd',
  workingdirectory: 'cwd',
  tools: 'tools',
  allowedtools: 'tools',
  queue: 'queue',
  queuemode: 'queue',
  permissionmode: 'permission_mode',
} as const;

type Keys = { readonly [K in keyof typeof channelSettingsShape]?: z.infer<(typeof channelSettingsShape)[K]> };

export function toChannelSettings(keys: Keys): ChannelSettings {
  const { queue, permission_mode, ...same } = keys;
  return {
    ...same,
    ...(queue === undefined ? {} : { queueMode: queue }),
    ...(permission_mode === undefined ? {} : { permissionMode: permission_mode }),
  };
}

function splitAtCommas(list: string): string[] {
  return list
    .split(',')
    .map((tool) => tool.trim())
    .filter((tool) => tool !== '');
}
