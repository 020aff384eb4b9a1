import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { otherOwner, userName } from '../../../src/config/file-owner.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnout-owner-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('whose a file is (18.2)', () => {
  it('is not told of one that is ours', () => {
    expect(otherOwner(directory)).toBeUndefined();
    expect(otherOwner(join(directory, 'not', 'there'))).toBeUndefined();
  });

  it.runIf(process.getuid?.() === 0)('is told by name, also of what is hidden in a directory', () => {
    chownSync(directory, 54_321, 54_321);
    expect(otherOwner(join(directory, 'config.yaml'))).toBe('the user 54321');
  });

  it('is a name where the system has one', () => {
    expect(userName(0)).toBe('root');
    expect(userName(54_321)).toBe('54321');
  });
});
