import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { backendNames } from '../../../../../../src/backends/registry.js';
import { readCustomId } from '../../../../../../src/gateway/channels/discord/interactions/custom-id.js';
import { readInteraction } from '../../../../../../src/gateway/channels/discord/interactions/read-interaction.js';
import {
  isPrivate,
  slashCommands,
} from '../../../../../../src/gateway/channels/discord/interactions/slash-commands.js';
import { chatCommands } from '../../../../../../src/gateway/commands/command-list.js';

it('every chat command is a slash command within Discord’s limits (17.3)', () => {
  const commands = slashCommands(chatCommands) as readonly {
    name: string;
    description: string;
    options?: readonly { name: string; description: string; choices?: readonly { value: string }[] }[];
  }[];
  expect(commands.map(({ name }) => name)).toEqual(['ask', ...chatCommands.map(({ name }) => name)]);
  for (const one of commands.flatMap((command) => [command, ...(command.options ?? [])])) {
    expect(one.name).toMatch(/^[a-z]{1,32}$/);
    expect(one.description.length).toBeGreaterThan(0);
    expect(one.description.length).toBeLessThanOrEqual(100);
  }
  const backend = commands.find(({ name }) => name === 'backend')?.options?.[0];
  expect(backend?.choices?.map(({ value }) => value)).toEqual(backendNames());
});

it('the documentation names every slash command, and no other (17.3)', () => {
  const page = readFileSync(new URL('../../../../../../docs/discord-commands.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('## Slash commands'), page.indexOf('## Messages that wait'));
  const named = [...table.matchAll(/^\| `\/([a-z]+)/gm)].map(([, name]) => name);
  expect(named).toEqual(slashCommands(chatCommands).map(({ name }) => name));
});

it('what only looks is for the asker, what changes something for everybody (17.3)', () => {
  const shown = ['status', 'usage', 'queue', 'model', 'stop'].map((name) => isPrivate(name, ''));
  expect(shown).toEqual([true, true, true, true, true]);
  expect([isPrivate('queue', 'clear'), isPrivate('model', 'x'), isPrivate('new', '')]).toEqual([
    false,
    false,
    false,
  ]);
});

it('an interaction says who, where, and whether the bot can write there (17.3)', () => {
  const wire = {
    ...{ id: '1', token: 't', type: 2, channel_id: '5', guild_id: '9', data: { name: 'ask' } },
    channel: { type: 11, parent_id: '4' },
    member: { user: { id: '7', username: 'anna' }, nick: 'An\u202ena', roles: ['3'] },
  };
  expect(readInteraction({ ...wire, app_permissions: '0' })).toMatchObject({
    type: 'command',
    speaker: { id: '7', name: 'An[U+202E]na', roles: ['3'] },
    place: { channelId: '5', parentId: '4', guildId: '9' },
    canWrite: false,
  });
  const enough = String((1n << 10n) | (1n << 38n));
  expect(readInteraction({ ...wire, app_permissions: enough })).toMatchObject({ canWrite: true });
  expect(readInteraction({ ...wire, type: 5 })).toBeUndefined();
  for (const id of [
    '',
    'turnout:allow:',
    'turnout:drop:x',
    'other:allow:x',
    `turnout:allow:${'x'.repeat(99)}`,
  ])
    expect(readCustomId(id)).toBeUndefined();
});
