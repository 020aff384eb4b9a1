import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../../src/gateway/commands/parse-command.js';
import { commandsFor, commandText } from '../../../web/conversation/use-command-menu.js';

describe('the commands that a slash offers (16.4)', () => {
  it('are all of the gateway’s, and only at the beginning of a message', () => {
    const all = commandsFor('/');
    expect(all.map((command) => parseCommand(commandText(command))?.name)).toEqual(
      all.map(({ name }) => name),
    );
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['backend', 'stop', 'retry']));
    for (const text of ['', ' /', 'a /', '/ ', '/stop now', '/x/y', '/\n'])
      expect(commandsFor(text)).toEqual([]);
  });

  it('are those that begin with what is typed, in any case', () => {
    expect(commandsFor('/ST').map(({ name }) => name)).toEqual(['stop', 'status']);
    expect(commandsFor('/compact')).toEqual([]);
  });

  it('leave room for what may follow', () => {
    const [backend] = commandsFor('/backend');
    const [stop] = commandsFor('/stop');
    expect([backend, stop].map((one) => one && commandText(one))).toEqual(['/backend ', '/stop']);
  });
});
