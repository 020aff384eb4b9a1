import { describe, expect, it } from 'vitest';
import { meantCommand, unknownWords } from '../../../../src/cli/command/meant-command.js';

describe('a line that begins with no command (18.1)', () => {
  it.each([
    [['--continue'], 'chat'],
    [['-c'], 'chat'],
    [['-b', 'codex'], 'chat'],
    [['--gateway', 'home'], 'chat'],
    [['hello there'], 'chat'],
    [['hello there', '-b', 'codex'], 'chat'],
    [['-p', 'hi'], 'run'],
    [['-cp', 'hi'], 'run'],
    [['-b', 'codex', '--print', 'hi'], 'run'],
    [['hello there', '-p'], 'run'],
    [['--frob'], 'chat'],
    [['-c', '--', '-p'], 'chat'],
  ])('%j is a %s in a terminal', (argv, name) => {
    expect(meantCommand(argv, true)).toEqual({ name, argv });
  });

  it('without a terminal it is a run, or nothing', () => {
    expect(meantCommand(['-p', 'hi'], false)?.name).toBe('run');
    expect(meantCommand(['-c'], false)).toBeUndefined();
    expect(meantCommand(['hello there'], false)).toBeUndefined();
  });

  it('one word is a command that is not known, and so is a dash', () => {
    for (const word of ['hello', 'docter', '-', '', ' hello '])
      expect(meantCommand([word], true)).toBeUndefined();
  });

  it('the refusal says what to type', () => {
    expect(unknownWords(['docter'], ['doctor'])).toMatch(
      /^unknown command "docter"\. Did you mean "doctor"\?\n.*`turnout chat "…"` or `turnout run "…"`/,
    );
    expect(unknownWords(['--continue'], [])).toMatch(/^the option --continue .* needs a terminal\.\nHere/);
    expect(unknownWords(['a b'], [])).toMatch(/^a prompt without a command /);
  });
});
