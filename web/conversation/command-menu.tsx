import { useEffect, useRef } from 'preact/hooks';
import type { ChatCommand } from '../../src/gateway/commands/command-list.js';
import type { CommandMenu } from './use-command-menu.js';

export interface CommandMenuListProps {
  readonly menu: CommandMenu;
  readonly choose: (command: ChatCommand) => void;
}

export const commandMenuId = 'commands';

export function commandOptionId({ name }: ChatCommand): string {
  return `command-${name}`;
}

/** The commands that are offered. The focus stays in the message, which says which one is active. */
export function CommandMenuList({ menu: { offered, active, point }, choose }: CommandMenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active, offered.length]);
  return (
    <div id={commandMenuId} class="commands" role="listbox" aria-label="Commands" ref={list}>
      {offered.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the message takes the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the message
        <div
          key={command.name}
          id={commandOptionId(command)}
          class="command-option"
          role="option"
          aria-selected={index === active}
          // The focus stays where it is.
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => point(index)}
          onClick={() => choose(command)}
        >
          <span class="command-name">
            /{command.name}
            {command.argument !== undefined && <i> {command.argument}</i>}
          </span>
          <span class="command-summary">{command.summary}</span>
        </div>
      ))}
    </div>
  );
}
