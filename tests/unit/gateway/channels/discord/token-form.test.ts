import { expect, it } from 'vitest';
import { DiscordChannel } from '../../../../../src/gateway/channels/discord/discord-channel.js';
import { readToken } from '../../../../../src/gateway/channels/discord/token-form.js';

const right = `${'M'.repeat(26)}.Gx-_2b.${'a1'.repeat(19)}`;

it('a token is taken without white space around it (17.7)', () => {
  expect(readToken(` ${right}\r\n`)).toEqual({ token: right });
});

it.each([
  [`Bot ${right}`, 'begins with "Bot"'],
  [`“${right}”`, 'quotes'],
  [`"${right}"`, 'quotes'],
  [right.replace('.', '. '), 'a blank'],
  [right.replace('.', '\n.'), 'a line break'],
  [`${right}\u200b`, 'characters in it'],
  ['0123456789abcdefABCDEF-_01234567', 'client secret'],
  ['123456789012345678', 'an id of Discord'],
  [right.slice(0, 30), 'cut off'],
])('the token %j is no network fault: it is explained, and never shown (17.7)', (token, why) => {
  const read = readToken(token);
  const { message, hint } = 'problem' in read ? read.problem : { message: '', hint: '' };
  expect(message).toContain('DISCORD_BOT_TOKEN');
  expect(message).toContain(why);
  expect(hint).toContain('https://discord.com/developers/applications');
  expect(message + hint).not.toContain(token.trim());
});

it('a gateway with such a token starts without Discord, and says why (17.7)', async () => {
  const said: string[] = [];
  const log = { error: (text: string) => said.push(text) };
  const channel = new DiscordChannel({ token: `Bot ${right}`, log } as never);
  await channel.start({} as never);
  expect(channel.problems.join()).toContain('DISCORD_BOT_TOKEN');
  expect(said).toHaveLength(1);
  await expect(channel.deliver({} as never)).rejects.toThrow('DISCORD_BOT_TOKEN');
  await channel.stop();
});
