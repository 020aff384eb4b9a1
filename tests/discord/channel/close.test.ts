import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLog } from '../../../src/config/log.js';
import { openClient } from '../../../src/gateway/channels/discord/client/open-client.js';
import { loopbackOptions } from '../loopback/connect-client.js';
import { startDiscord } from '../loopback/stage.js';

it('a client that is closed while it logs in is gone then, and stays away (17.7)', async () => {
  const discord = await startDiscord({});
  const { rest, ws } = loopbackOptions(discord);
  for (const afterMs of [0, 2, 4, 6, 10]) {
    const client = openClient({
      token: discord.token,
      apiUrl: discord.apiUrl,
      log: createLog('error', () => {}),
      onEvent: () => {},
      onSession: () => {},
      onState: () => {},
      options: { ...(rest && { rest }), ...(ws && { ws }) },
    });
    await sleep(afterMs);
    const closed = await Promise.race([client.close().then(() => true), sleep(1500, false)]);
    expect({ afterMs, closed, connected: discord.gateway.connected }).toEqual({
      ...{ afterMs, closed: true, connected: false },
    });
  }
  // discord.js would connect again after half a second.
  await sleep(600);
  expect(discord.gateway.connected).toBe(false);
});
