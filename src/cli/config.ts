import { TurnoutError } from '../core/errors.js';
import { exitCodeFor, exitCodes } from '../core/exit-codes.js';
import { changeSetting, removeSetting } from './config-change.js';
import { getSetting, listSettings, printPath } from './config-show.js';
import { oneOf } from './flag-values.js';
import { endWithReader } from './quiet-pipe.js';
import { readFlags, wrongUsage } from './read-flags.js';
import { unknownCommand } from './unknown-command.js';

export const usageText = `Usage: turnout config [list] [--json]
       turnout config get <name> [--json]
       turnout config set <name> <value>
       turnout config unset <name>
       turnout config path [--json]

  list    every setting: its value, and where it comes from
  get     the value of one, its default if it is not set
  set     writes it into config.yaml of TURNOUT_HOME, whose comments stay; a
          value of "-" is read from stdin, so that a secret is in no history
  unset   takes it out of there
  path    where config.yaml is

A name may be written in lower case and with dashes: agent-backend. Secrets are
never shown. The environment is stronger than config.yaml.

  --json             JSON in place of text
  --output <format>  text (default), json

  turnout config set agent-backend codex
  turnout config set permission-mode edits
  turnout config get query-timeout-ms

Exit codes: 0 done · 1 not set, or config.yaml can't be written ·
2 wrong usage or settings
`;

/** What a command about settings may be asked for. */
export interface ConfigOptions {
  readonly json: boolean;
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
  endWithReader();
  try {
    const given = readFlags(argv, flagTable, { command: 'config' });
    if (given.has('help')) {
      process.stdout.write(usageText);
      return exitCodes.done;
    }
    const json = given.has('json') || oneOf('--output', given.text('output'), ['text', 'json']) === 'json';
    // A value that begins with a dash stands behind `--`.
    const [name = 'list', ...words] = [...given.positionals, ...given.rawArgs];
    const command = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (command === undefined)
      throw new TurnoutError('bad_request', unknownCommand(name, Object.keys(subcommands)));
    if (words.length !== command.words.length) {
      const expected = command.words.map((word) => ` <${word}>`).join('');
      throw wrongUsage('config', `expected: turnout config ${name}${expected}`);
    }
    return await command.run(words, { json });
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    process.stderr.write(`turnout: ${error.explanation}\n`);
    return error.code === 'bad_request' ? exitCodes.usage : exitCodeFor(error.code);
  }
}

const flagTable = {
  json: { type: 'switch' },
  output: { type: 'text' },
  help: { type: 'switch', short: 'h' },
} as const;
