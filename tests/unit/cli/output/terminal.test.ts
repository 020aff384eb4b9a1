import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Terminal } from '../../../../src/cli/output/terminal.js';

const text = 'SAFE\rEVIL \u202e\u2066\u200b\u001b[2J\u009b ❤️\r\nend\n';

describe('what others have written, on a terminal (18.5)', () => {
  it('is shown with its odd characters by name', async () => {
    const out = new Output(true);
    const terminal = new Terminal(out, new Output(true));
    await terminal.write(text);
    await terminal.writeIn('failed', 'a\rb\n', true);
    expect(out.written).toBe(
      'SAFE␍EVIL [U+202E][U+2066][U+200B]␛[2J[U+009B] ❤️\nend\n\u001b[31ma␍b\u001b[0m\n',
    );
  });

  it('so are messages and hints', () => {
    const err = new Output(true);
    const terminal = new Terminal(new Output(true), err);
    terminal.say('a\r\u202eb');
    terminal.hint('[Bash] a\u200b\u001b[0m');
    expect(err.written).toContain('turnout: a␍[U+202E]b\n');
    expect(err.written).toContain('[Bash] a[U+200B]␛[0m');
  });

  it('is left as it is where no terminal reads it', async () => {
    const out = new Output(false);
    await new Terminal(out, new Output(false)).write(text);
    expect(out.written).toBe(text);
  });
});

class Output extends Writable {
  written = '';

  constructor(readonly isTTY: boolean) {
    super();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written += chunk.toString();
    done();
  }
}
