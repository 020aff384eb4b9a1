import { queueModes } from '../../config/settings.js';
import { chatCommands } from '../../gateway/commands/command-list.js';
import { type Command, ownCommands } from './state/commands.js';

/** Commands that the chat words itself: the conversation tells the gateway what they ask for. */
const wordedHere = ['backend', 'model', 'thinking', 'new'];
const ofTheChat = ['help', 'quit'];

/** The commands of a chat in a channel: the gateway's, and a few of the chat's own. */
export const gatewayCommands: readonly Command[] = [
  ...ownCommands.filter(({ name }) => wordedHere.includes(name)),
  ...chatCommands
    .filter(({ name }) => !wordedHere.includes(name) && !ofTheChat.includes(name))
    .map(
      (command): Command => ({
        name: command.name,
        ...('argument' in command ? { argument: `[${command.argument.replaceAll(' ', '] [')}]` } : {}),
        ...(command.name === 'queue' ? { values: ['clear', ...queueModes] } : {}),
        summary: command.summary.charAt(0).toLowerCase() + command.summary.slice(1),
        anytime: !command.waits,
        handedOn: true,
      }),
    ),
  ...ownCommands.filter(({ name }) => ofTheChat.includes(name)),
  ...ownCommands
    .filter(({ name }) => name === 'permissions' || name === 'sessions')
    .map((command): Command => ({ ...command, hidden: true })),
];
