import { afterAll, describe, expect, it } from 'vitest';
import { parseChatOptions } from '../../../../src/cli/chat/chat-options.js';
import { registerDemoBackend } from '../../../../src/cli/demo/demo-backend.js';

const unregister = registerDemoBackend();
afterAll(unregister);
const parse = (line: string) => parseChatOptions(line.split(' '));

describe('the options of turnout chat (18.1)', () => {
  it('knows its own flags and those of a turn, and leaves what is behind -- alone', () => {
    const flags = parse(
      '--native hello --backend codex-cli --settings s.json --model m --allow-unsupported -- --native x',
    );
    expect(flags).toMatchObject({
      native: true,
      prompt: 'hello',
      backend: 'codex',
      settings: 's.json',
      model: 'm',
      allowUnsupported: true,
      rawArgs: ['--native', 'x'],
    });
    expect(parse('hello')).toMatchObject({ native: false, allowUnsupported: false, settings: undefined });
    expect(parse('--help')).toBe('help');
    expect(parse('--gateway home --demo')).toMatchObject({
      gateway: { channel: 'home', choice: { demo: true }, flags: ' --demo' },
    });
  });

  it.each([
    ['--native --settings', '--settings expects a value'],
    ['--native --print', '--print is an option of `turnout run`'],
    ['--native --live', '--live is an option of `turnout run`'],
    ['--native --output json', '--output is an option of `turnout run`'],
    ['--native --timeout 5', '--timeout is an option of `turnout run`'],
    ['--nativ', 'Did you mean --native?'],
    ['--gatway home', 'Did you mean --gateway?'],
    ['--gateway', '--gateway expects a value'],
    ['--native --backend demo', 'the demo agent has no terminal UI of its own'],
    ['--gateway home --model m', '--model and --gateway were both given'],
    ['--demo hello', '--demo is for --gateway'],
    ['--gateway home --demo --url http://127.0.0.1:1', 'were both given'],
    ['--native --resume a --continue', '--resume and --continue were both given'],
  ])('refuses %s', (line, message) => {
    expect(() => parse(line)).toThrow(message);
  });
});
