import { expect, it } from 'vitest';
import { describeEvent } from '../../../../src/cli/archive/describe-event.js';
import type { StoredEvent, StoredTurn } from '../../../../src/gateway/archive/open-archive.js';

it('a turn without a system prompt has none, in place of the facts of an empty one (16)', () => {
  const event = { id: 'e', channel: 'c', source: 'http', kind: 'prompt', state: 'answered', text: 'hi' };
  const prompt = { files: [], characters: 0, hash: 'e3b0c44298fc', seededMessages: 0 };
  const turn = (more: Partial<typeof prompt>) => {
    const setup = { backend: 'claude', cwd: '/work', live: true, prompt: { ...prompt, ...more } };
    const fields = { id: 't', channel: 'c', eventIds: ['e'], state: 'answered', startedAt: 1, tools: [] };
    return { turn: { ...fields, setup } as unknown as StoredTurn, events: [] };
  };
  const stored = { ...event, createdAt: 1 } as unknown as StoredEvent;
  const attempts = [turn({}), turn({ seededMessages: 2 }), turn({ characters: 5 })];
  const prompts = describeEvent(stored, attempts, { full: false }).match(/^ {2}prompt .*$/gm);
  expect(prompts).toEqual([
    '  prompt   none',
    '  prompt   none; 2 messages of the archive in front',
    '  prompt   0 files, 5 characters, sha256 e3b0c44298fc',
  ]);
});
