import type { CommandPage } from '../command/command-page.js';
import { explainFailure } from '../command/explain-failure.js';
import { jsonFlags, wantsJson } from '../command/json-flags.js';
import { printHelp } from '../command/print.js';
import { readFlags, wrongUsage } from '../command/read-flags.js';
import { helpFlag } from '../command/run-command.js';
import { unknownSubcommand } from '../command/unknown-command.js';
import { changeSetting, removeSetting } from './config-change.js';
import { getSetting, listSettings, printPath } from './config-show.js';

export const page = {
  usage: [
    'config [list] [--long] [--json]',
    'config get <name> [--json]',
    'config set <name> <value>',
    'config unset <name>',
    'config path [--json]',
  ],
  about:
    'The settings. A name may be written in lower case and with dashes: agent-backend. Secrets are never shown. The environment is stronger than config.yaml.',
  subcommands: {
    list: { about: 'every setting: its value, and where it comes from' },
    get: { about: 'the value of one, its default if it is not set', operand: 'settings' },
    set: {
      about:
        'writes it into config.yaml of TURNOUT_HOME, whose comments stay; a value of "-" is read from stdin, so that a secret is in no history',
      operand: 'setting-values',
    },
    unset: { about: 'takes it out of there, also a name that is no setting', operand: 'settings' },
    path: { about: 'where config.yaml is' },
  },
  flags: {
    long: { type: 'switch', short: 'l', about: 'with `list`: what each setting is for' },
    ...jsonFlags,
    ...helpFlag,
  },
  examples: [
    ['config set agent-backend codex'],
    ['config set permission-mode edits'],
    ['config get query-timeout-ms'],
  ],
  exitCodes:
    "0 done · 1 not set, a secret, or config.yaml can't be written · 2 wrong usage, a wrong value or file",
} as const satisfies CommandPage;

/** What a command about settings may be asked for. */
export interface ConfigOptions {
  readonly json: boolean;
  readonly long: boolean;
}

interface Subcommand {
  /** The names of its words, for messages. */
  readonly words: readonly string[];
  run(words: readonly string[], options: ConfigOptions): Promise<number>;
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { words: [], run: (_words, options) => listSettings(options) },
  get: { words: ['name'], run: ([name = ''], options) => getSetting(name, options) },
  set: {
    words: ['name', 'value'],
    run: ([name = '', value = ''], options) => changeSetting(name, value, options),
  },
  unset: { words: ['name'], run: ([name = ''], options) => removeSetting(name, options) },
  path: { words: [], run: (_words, options) => printPath(options) },
};

/** `turnout config`: shows the settings, and changes those of config.yaml. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const given = readFlags(argv, page.flags, { command: 'config' });
    if (given.has('help')) return await printHelp(page);
    const options = { json: wantsJson(given), long: given.has('long') };
    // A value that begins with a dash stands behind `--`.
    const [name = 'list', ...words] = [...given.positionals, ...given.rawArgs];
    const command = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (command === undefined) throw unknownSubcommand('config', name, subcommands);
    if (words.length !== command.words.length) {
      const expected = command.words.map((word) => ` <${word}>`).join('');
      throw wrongUsage('config', `expected: turnout config ${name}${expected}`);
    }
    return await command.run(words, options);
  } catch (error) {
    return explainFailure(error);
  }
}
