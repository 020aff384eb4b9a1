import { createHash } from 'node:crypto';
import type { RESTPutAPIApplicationCommandsJSONBody } from 'discord.js';
import { backendNames } from '../../../../backends/registry.js';
import { queueModes } from '../../../../config/settings.js';
import type { ListedCommand } from './ports.js';

/** The command that is a prompt. */
export const askCommand = 'ask';

const text = 3;

/** The slash commands, in Discord's words and within its limits. */
export function slashCommands(commands: readonly ListedCommand[]): RESTPutAPIApplicationCommandsJSONBody {
  return [
    {
      name: askCommand,
      description: 'Ask the agent something, or give it a task',
      options: [
        { type: text, name: 'prompt', description: 'What it should do', required: true, max_length: 6000 },
      ],
    },
    ...commands.map(({ name, argument, summary }) => ({
      name,
      description: beginningOf(summary, 100),
      ...(argument === undefined ? {} : { options: [option(name, argument)] }),
    })),
  ].map((command) => ({ ...command, type: 1, contexts: [0, 1] }));
}

function option(command: string, argument: string) {
  // Of several things the last one is named: whoever has no id needs none.
  const last = argument.split(' ').at(-1) ?? '';
  const name = /^[a-z]{1,32}$/.test(last) ? last : 'action';
  const choices = choicesOf(command)?.map((value) => ({ name: value, value }));
  return {
    type: text,
    name,
    description: beginningOf(
      descriptions[command] ?? `${argument} (leave it out to see what is set now)`,
      100,
    ),
    required: false,
    ...(choices === undefined ? { max_length: 200 } : { choices }),
  };
}

const descriptions: Readonly<Record<string, string>> = {
  allow: 'Which question, if several wait (/status lists them); always: and the like of it',
  deny: 'Why, for the agent; in front of it which question, if several wait (/status lists them)',
};
/** Models and depths of thinking depend on the CLI: they are typed. */
function choicesOf(command: string): readonly string[] | undefined {
  if (command === 'backend') return backendNames();
  return command === 'queue' ? ['clear', ...queueModes] : undefined;
}

function beginningOf(words: string, max: number): string {
  return words.length <= max ? words : `${words.slice(0, max - 1)}…`;
}

/** Tells whether Discord has these commands already: each change of them counts for a limit of 200 a day. */
export function fingerprint(commands: RESTPutAPIApplicationCommandsJSONBody): string {
  return createHash('sha256').update(JSON.stringify(commands)).digest('hex');
}

/**
 * What only looks at something is for the one who asked; what changes the conversation is for everybody in it. The turn that /stop
 * ends tells everybody itself.
 */
export function isPrivate(name: string, argument: string): boolean {
  if (name === 'status' || name === 'usage' || name === 'stop') return true;
  return argument === '' && !['new', 'retry', 'allow', 'deny'].includes(name);
}
