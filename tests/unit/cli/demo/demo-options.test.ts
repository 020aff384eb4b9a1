import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDemoOptions } from '../../../../src/cli/demo/demo-options.js';

describe('the command line of a demo (16.6)', () => {
  it('asks for the page, unless there is a prompt or --text', () => {
    expect(readDemoOptions([])).toEqual({ type: 'page', open: true, settings: {} });
    expect(readDemoOptions(['--no-open', '--port', '0', '--host=::1', '--home', 'here'])).toEqual({
      type: 'page',
      open: false,
      settings: { HTTP_PORT: '0', HTTP_HOST: '::1', TURNOUT_HOME: resolve('here') },
    });
    expect(readDemoOptions(['--text'])).toEqual({ type: 'text', prompt: 'look around', settings: {} });
    expect(readDemoOptions(['--text', 'count', 'to', '3'])).toMatchObject({ prompt: 'count to 3' });
    expect(readDemoOptions(['hello'])).toMatchObject({ type: 'text', prompt: 'hello' });
    expect(readDemoOptions(['--', '--port', '1'])).toMatchObject({ type: 'text', prompt: '--port 1' });
    expect(readDemoOptions(['-h', 'hello'])).toEqual({ type: 'help' });
  });

  it.each([
    [['--prot', '1'], '--prot'],
    [['-x'], '-x'],
    [['--port'], '--port'],
    [['--port', 'many'], '--port'],
    [['--port=65536'], '--port'],
    [['--port', '-1'], '--port'],
    [['--no-open=1'], '--no-open'],
    [['--text', '--port', '1'], '--port'],
    [['hello', '--host', 'x'], '--host'],
    [['hello', '--no-open'], '--no-open'],
  ])('names the flag that is wrong: %j', (argv, flag) => {
    expect(() => readDemoOptions(argv)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(flag) }),
    );
  });
});
