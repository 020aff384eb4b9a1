import { expect, it } from 'vitest';
import { noLog } from '../../../../../../src/config/log.js';
import { ChannelPosts } from '../../../../../../src/gateway/channels/discord/interactions/channel-posts.js';
import type { InteractionParts } from '../../../../../../src/gateway/channels/discord/interactions/ports.js';
import type { GatewayFace } from '../../../../../../src/gateway/channels/types.js';
import type { StoredPermission } from '../../../../../../src/store/rows.js';

/** Asks one question on a Discord that takes it; the status has no room for its input. */
async function asked(whole: StoredPermission | undefined) {
  const sent: { body: unknown; files: readonly { data: Uint8Array }[] }[] = [];
  const outline = { ...pending('rm -rf /home'), input: undefined, inputLeftOut: true };
  const gateway = {
    status: async () => ({ permissions: [outline], waiting: [], waitingCount: 0 }),
    permission: async () => whole,
    event: async () => undefined,
    reports: {
      preview: async ({ input }: StoredPermission) => {
        const { command } = (input ?? {}) as { command?: string };
        return command === undefined ? undefined : { type: 'command', command };
      },
    },
  } as unknown as GatewayFace;
  const parts = {
    log: noLog,
    store: { discordPosts: async () => [], saveDiscordPost: async () => undefined },
    api: {
      send: async (_: string, body: { content: string }, files: readonly { data: Uint8Array }[] = []) => {
        sent.push({ body, files });
        return { id: '7', content: body.content };
      },
    },
  } as unknown as InteractionParts;
  await new ChannelPosts(parts, gateway, { endDropped: async () => undefined }).bringUpToDate('discord:1');
  return sent;
}

function pending(command: string): StoredPermission {
  return {
    id: 'prm_12345678-1234-1234-1234-123456789012',
    ...{ channel: 'discord:1', eventId: 'evt_1', turnId: 'trn_1', tool: 'Bash', input: { command } },
    options: ['allow', 'deny'],
    ...{ state: 'pending', createdAt: Date.now() },
  };
}

it('a question whose input the status has no room for is asked with all of it (27.10)', async () => {
  const [short] = await asked(pending('rm -rf /home'));
  expect(short?.body).toMatchObject({ content: '**May I use `Bash`?**\n```sh\nrm -rf /home\n```' });
  const [long] = await asked(pending(`echo ${'x'.repeat(300_000)}; rm -rf /; echo ${'y'.repeat(300_000)}`));
  expect(new TextDecoder().decode(long?.files[0]?.data)).toContain('x; rm -rf /; echo y');
});

it('a question that was answered meanwhile is not asked (27.10)', async () => {
  expect(await asked({ ...pending('ls'), state: 'decided', decision: 'deny' })).toEqual([]);
  expect(await asked(undefined)).toEqual([]);
});
