import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { StderrReader } from '../../../src/process/read-stderr.js';

describe('the last words on stderr', () => {
  it('are read although the loop was busy for longer than the grace', async () => {
    const stream = new PassThrough();
    const reader = new StderrReader(stream);
    reader.childExited();
    const until = performance.now() + 250;
    while (performance.now() < until);
    // Output that is in the pipe by then comes with the next look at it.
    setTimeout(() => stream.write('last words'), 0);
    await reader.settle();
    expect(reader.text()).toBe('last words');
    expect(stream.destroyed).toBe(true);
  });
});
