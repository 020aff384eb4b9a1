import { useState } from 'preact/hooks';
import { type ChatCommand, chatCommands } from '../../src/gateway/commands/command-list.js';

export interface CommandMenu {
  /** The commands that begin with what is typed; none while the list is closed. */
  readonly offered: readonly ChatCommand[];
  readonly active: number;
  point(index: number): void;
  close(): void;
  /** True if the key was for the list. `choose` writes a command. */
  takeKey(event: KeyboardEvent, choose: (command: ChatCommand) => void): boolean;
}

/** The list of commands behind a `/` at the very beginning of a message. Escape closes it until the text is another one. */
export function useCommandMenu(text: string): CommandMenu {
  const [closedAt, setClosedAt] = useState<string>();
  const [pointed, setPointed] = useState({ text: '', index: 0 });
  const offered = closedAt === text ? none : commandsFor(text);
  const active = pointed.text === text ? Math.min(pointed.index, offered.length - 1) : 0;
  const point = (index: number) => setPointed({ text, index });
  const close = () => setClosedAt(text);
  return {
    ...{ offered, active, point, close },
    takeKey(event, choose) {
      const command = offered[active];
      if (command === undefined || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)
        return false;
      const { length } = offered;
      if (event.key === 'ArrowDown') point((active + 1) % length);
      else if (event.key === 'ArrowUp') point((active + length - 1) % length);
      else if (event.key === 'Escape') close();
      // What is written out is sent, and Tab goes on to the buttons.
      else if (event.key === 'Tab' && text !== commandText(command)) choose(command);
      else if (event.key === 'Enter' && text.toLowerCase() !== `/${command.name}`) choose(command);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

const none: readonly ChatCommand[] = [];

export function commandsFor(text: string): readonly ChatCommand[] {
  const typed = /^\/([a-z]*)$/i.exec(text)?.[1]?.toLowerCase();
  return typed === undefined ? none : chatCommands.filter(({ name }) => name.startsWith(typed));
}

/** The text of a command that was chosen: behind it there may be more. */
export function commandText({ name, argument }: ChatCommand): string {
  return argument === undefined ? `/${name}` : `/${name} `;
}
