import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { linkedSignal } from '../../../src/core/linked-signal.js';
import { waitLimit } from '../../../src/core/wait-limit.js';
import { Shadow } from '../../../src/gateway/changes/shadow.js';
import { WorkTreeFiles } from '../../../src/process/work-tree-files.js';

const listeners = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length;

describe('a linked signal', () => {
  it('is aborted with any of the others, also with one that is aborted already (16.4)', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const linked = linkedSignal([one.signal, other.signal]);
    expect(linked.signal.aborted).toBe(false);
    other.abort();
    expect(linked.signal.aborted).toBe(true);
    expect(linkedSignal([one.signal, other.signal]).signal.aborted).toBe(true);
  });

  it('leaves nothing with them when it is released (16.4)', async () => {
    const long = new AbortController();
    for (const { release } of [linkedSignal([long.signal]), waitLimit(60_000, [long.signal])]) release();
    expect(listeners(long)).toBe(0);
    const workTrees = new WorkTreeFiles({ home: '/nowhere' });
    const parts = { home: '/nowhere', path: process.env['PATH'], workTrees };
    const shadow = new Shadow('/', { ...parts, signal: long.signal });
    const { signal } = new AbortController();
    expect(String(await shadow.git(['version'], { signal, root: '/' }))).toMatch(/^git version/);
    expect(listeners(long)).toBe(0);
  });
});
