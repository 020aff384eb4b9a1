import { describe, expect } from 'vitest';
import { endStrays } from '../../../src/process/end-strays.js';
import { startProcess } from '../../../src/process/start-process.js';
import { it } from '../../contract/stage.js';

const shellLine = '(setsid sleep 301 &); sleep 302 & echo ready; exec sleep 303';

describe('endStrays (18.7)', () => {
  it('ends what has lost its tie to the child, and nothing else', async ({ stage }) => {
    const { workingDir: cwd, env } = stage;
    const child = await startProcess({ command: '/bin/sh', args: ['-c', shellLine], cwd, env });
    const sleeping = () => stage.processes().map((row) => row.replace(/^\d+ /, '').trim());
    try {
      await expect.poll(() => sleeping().sort()).toEqual(['sleep 301', 'sleep 302', 'sleep 303']);
      await endStrays(child.pid);
      expect(sleeping().sort()).toEqual(['sleep 302', 'sleep 303']);
    } finally {
      await child.end();
    }
  });
});
