import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  hashPairingCode,
  readPairingCode,
} from '../../../src/gateway/channels/discord/access/pairing-code.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import { until } from '../loopback/until.js';
import { setUpBot } from './stage.js';

/** Each of its turns costs a quarter of a dollar. */
const costlyAgent = `#!/bin/sh
sleep 0.3
echo '{"type":"system","subtype":"init","session_id":"s1","tools":[]}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s1","total_cost_usd":0.25,"usage":{"input_tokens":1,"output_tokens":1}}'
`;

it('a stranger is paired with the code of a DM, and what was written before is answered (17.5)', async () => {
  const { discord, stage, start } = await setUpBot();
  await start();
  await until(() => discord.gateway.connected);
  const eve = discord.people.join('eve');
  const { channelId } = discord.people.writeDirectly(eve, 'what is two and two?');
  const direct = discord.world.channels.get(channelId);
  if (direct === undefined) throw new Error('there is a DM');
  await until(() => discord.answers(direct).length === 1, 'the code');
  const code = readPairingCode(/approve (\w+)/.exec(discord.answers(direct)[0] ?? '')?.[1] ?? '') ?? '';
  // Another process does the same, beside the gateway.
  const store = await openSqliteStore(join(stage.home, 'turnout.db'));
  const approval = await store.approveDiscordCode({ hash: await hashPairingCode(code), at: Date.now() });
  await store.close();
  expect(approval).toMatchObject({ type: 'paired', person: { userId: eve.id } });
  await until(() => discord.answers(direct).length === 3, 'the welcome and the answer');
  expect(discord.answers(direct).join()).toContain('I’m answering what you wrote');
  expect(discord.violations).toEqual([]);
});

it('a message that waited gets no agent if the one before has cost too much (17.5)', async () => {
  const { discord, stage, anna, start } = await setUpBot();
  const { people, channel, mention } = discord;
  const agent = join(stage.home, '..', 'costly-agent.sh');
  writeFileSync(agent, costlyAgent, { mode: 0o755 });
  await start({ DISCORD_USER_SPEND_PER_DAY: '0.2', BACKEND_CLI_PATH: agent });
  await until(() => discord.gateway.connected);
  for (const text of ['one', 'two', 'three']) people.write(anna, channel, `${mention} ${text}`);
  // A note that a message waits may be there for a while, too.
  const refusals = () => discord.answers(channel).filter((text) => text.includes('may cost in a day'));
  await until(() => refusals().length === 2, 'two refusals');
  expect(discord.answers(channel).filter((text) => text === 'done')).toHaveLength(1);
});
