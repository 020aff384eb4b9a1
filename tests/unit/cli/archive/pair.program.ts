import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { hashPairingCode } from '../../../../src/gateway/channels/discord/access/pairing-code.js';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import { it, type Stage } from '../../../contract/stage.js';
import { buildOnce, turnout } from '../turnout.js';

const userId = '100000000000000001';

beforeAll(buildOnce);

describe.concurrent('turnout pair (17.5)', { timeout: 60_000 }, () => {
  it('lists, approves and removes while the gateway has the store open', async ({ stage }) => {
    const store = await withStranger(stage, 'ABCDEFGH');
    try {
      const listed = await turnout(stage, ['pair', 'list']);
      expect(listed).toMatchObject({ code: 0, stderr: '' });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none may reach the terminal
      expect(listed.stdout).not.toMatch(/[\u001b\u0007\u202e]/);
      expect(listed.stdout).toContain(userId);

      const approved = await turnout(stage, ['pair', 'approve', 'abcd-', 'efgh', '--json']);
      expect(approved).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(approved.stdout)).toMatchObject({ paired: { userId } });
      expect(await store.isDiscordPaired(userId)).toBe(true);

      expect(await turnout(stage, ['pair', 'remove', userId])).toMatchObject({ code: 0 });
      expect(await store.isDiscordPaired(userId)).toBe(false);
      const again = await turnout(stage, ['pair', 'remove', userId]);
      expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not paired') });
    } finally {
      await store.close();
    }
  });

  it('tells what is wrong: no data, no code, a wrong code, too many of them', async ({ stage }) => {
    const none = await turnout(stage, ['pair', 'list']);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('no gateway data') });
    const store = await withStranger(stage, 'ABCDEFGH');
    for (let wrong = 0; wrong < 4; wrong++) await store.approveDiscordCode({ hash: 'no', at: Date.now() });
    await store.close();
    const noCode = await turnout(stage, ['pair', 'approve', 'ABCD0FGH']);
    expect(noCode).toMatchObject({ code: 2, stderr: expect.stringContaining('without 0, 1, I and O') });
    const wrong = await turnout(stage, ['pair', 'approve', 'ABCDEFGG']);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('No valid code is ABCDEFGG.') });
    const paused = await turnout(stage, ['pair', 'approve', 'ABCDEFGH']);
    expect(paused).toMatchObject({ code: 1, stderr: expect.stringContaining('too many wrong codes') });
  });
});

async function withStranger(stage: Stage, code: string) {
  const store = await openSqliteStore(join(stage.home, 'turnout.db'));
  await store.openDiscordCode({
    ...{ userId, name: 'Eve\u001b[2J\u0007\u202e\nroot', channelId: '2', messageId: '3', salt: 's' },
    ...{ hash: await hashPairingCode(code), at: Date.now(), maxOpen: 10 },
  });
  return store;
}
