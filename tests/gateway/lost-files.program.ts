import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directory, exitCode, startProgram, url } from './program.js';

describe('the files of a running gateway', () => {
  it('removed altogether: a second gateway still does not start, until the first one has stopped (27.13) [fault 27.13: the home removed, then a second gateway]', async () => {
    const root = directory();
    const home = join(root, '.turnout', 'demo');
    const first = startProgram(root, {}, ['--demo']);
    await url(first);
    for (const lost of [join(home, 'gateway.lock'), home]) {
      rmSync(lost, { recursive: true });
      const second = startProgram(root, {}, ['--demo']);
      expect(await exitCode(second)).toBe(1);
      expect(second.err).toContain(`Another gateway (process ${first.child.pid}) is at work in ${home}.`);
    }
    first.child.kill('SIGKILL');
    await exitCode(first);
    const third = startProgram(root, {}, ['--demo']);
    await url(third);
    third.child.kill('SIGTERM');
    expect(await exitCode(third)).toBe(0);
  });
});
