import { describe, expect, it } from 'vitest';
import { toolsInFiles, withoutFailure } from '../../../../src/backends/record/read-records.js';

const query = { sessionId: 's', cwd: '/', since: 0, prompt: 'hello', clockSetBack: false };

function fault(code: string): Error {
  return Object.assign(new Error(`${code}: it says`), { code });
}

describe('a record that can’t be read', () => {
  it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EIO'])(
    'for want of something that may be there later is no doubt: it is to be read again: %s [fault 13.4: a shortage while a record is read]',
    async (code) => {
      const files = {
        directory: '/',
        ofSession: () => Promise.reject(fault(code)),
        candidates: async () => [],
        entries: () => [],
      };
      await expect(toolsInFiles(query, files)).rejects.toThrow(code);
    },
  );

  it('for another reason leaves a doubt', async () => {
    expect(await withoutFailure(() => Promise.reject(fault('EACCES')))).toEqual({
      type: 'unknown',
      reason: "the CLI's own record can't be read (EACCES: it says)",
    });
  });
});
