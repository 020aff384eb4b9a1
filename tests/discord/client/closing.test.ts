import { expect, it } from 'vitest';
import { noLog } from '../../../src/config/log.js';
import {
  type ConnectionState,
  openClient,
} from '../../../src/gateway/channels/discord/client/open-client.js';
import { loopbackOptions } from '../loopback/connect-client.js';
import { startDiscord } from '../loopback/stage.js';
import { until } from '../loopback/until.js';

const portal = 'https://discord.com/developers/applications';

async function setUp() {
  const discord = await startDiscord();
  const { rest, ws } = loopbackOptions(discord);
  const open = () => {
    const states: ConnectionState[] = [];
    const client = openClient({
      ...{ token: discord.token, apiUrl: discord.apiUrl, log: noLog, firstDelayMs: 5 },
      options: { ...(rest && { rest }), ...(ws && { ws }) },
      onEvent: () => {},
      onSession: () => {},
      onState: (state) => states.push(state),
    });
    const problem = () => {
      const last = states.at(-1);
      return last?.type === 'failed' ? last.problem : undefined;
    };
    return { client, states, problem };
  };
  return { discord, open };
}

it.each(['as it connects', 'while it is connected'])(
  'a closing %s that no try changes is explained and final (17.7)',
  async (when) => {
    const { discord, open } = await setUp();
    for (const code of [4004, 4010, 4011, 4012, 4013, 4014]) {
      if (when === 'as it connects') discord.gateway.closeNext(code);
      const { client, states, problem } = open();
      if (when === 'while it is connected') {
        await until(() => states.at(-1)?.type === 'connected' && discord.gateway.connected);
        discord.gateway.close(code);
      }
      await until(() => problem()?.code === code, `${code}`);
      expect(problem()?.message).toContain(`(${code})`);
      expect(problem()?.hint).toContain(code === 4004 || code === 4014 ? portal : 'Turnout');
      const sessions = discord.gateway.identifies;
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(states.filter(({ type }) => type === 'failed')).toHaveLength(1);
      expect(states.at(-1)?.type).toBe('failed');
      expect([discord.gateway.identifies, discord.gateway.connected]).toEqual([sessions, false]);
      await client.close();
    }
  },
);

it('a closing that a new connection helps against is none (17.7)', async () => {
  const { discord, open } = await setUp();
  const { client, states } = open();
  await until(() => discord.gateway.connected);
  discord.gateway.close(4000);
  await until(() => !discord.gateway.connected);
  await until(() => discord.gateway.connected && states.at(-1)?.type === 'connected');
  expect(states.some(({ type }) => type === 'failed')).toBe(false);
  await client.close();
});

it('a token that Discord refuses in a request is looked at again, and then explained (17.7)', async () => {
  const { discord, open } = await setUp();
  const { client, states, problem } = open();
  await until(() => discord.gateway.connected && states.at(-1)?.type === 'connected');
  const refused = { type: 'refuse', status: 401, code: 0, message: '401: Unauthorized' } as const;
  const route = 'POST /channels/:channel/messages';
  const send = () => client.api.send(discord.channel.id, { content: 'hello' });
  discord.faults.order(route, refused);
  await expect(send()).rejects.toMatchObject({ status: 401 });
  await send();
  expect(problem()).toBeUndefined();
  discord.faults.order(route, refused);
  discord.faults.order('GET /users/@me', refused);
  await expect(send()).rejects.toMatchObject({ status: 401 });
  await until(() => problem()?.code === 4004);
  await until(() => !discord.gateway.connected);
  expect(states.at(-1)?.type).toBe('failed');
  await client.close();
});
