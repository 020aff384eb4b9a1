import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FinalFailure } from '../../../src/gateway/channels/final-failure.js';
import { agentUser, filesOf, workTree } from '../../unit/process/agent-user.js';
import { tooLarge } from '../loopback/rest/faults.js';
import { restApi } from './rest-api.js';
import { setUpDeliver } from './stage.js';

const send = 'POST /channels/:channel/messages';
const long = (pieces: number) =>
  Array.from({ length: pieces }, (_, i) => `${i} ${'word '.repeat(390)}`).join('\n\n');

describe('an answer in Discord (17.2, 17.6)', () => {
  it('is a reply to what it answers, in its first piece, and pings nobody', async () => {
    const { discord, store, say, deliverNext } = await setUpDeliver();
    const person = discord.people.join('ann');
    const asked = discord.people.write(person, discord.channel, 'hello');
    const { event } = await store.accept(
      {
        channel: `discord:${discord.channel.id}`,
        source: 'discord',
        kind: 'prompt',
        text: 'hello',
        messageId: asked.id,
        at: 1,
      },
      { maxWaiting: 10 },
    );
    await say(`@everyone <@${person.id}> ${long(2)}`, discord.channel, event.id);
    await deliverNext();
    const answers = discord.visible(discord.channel).slice(1);
    expect(answers.length).toBeGreaterThan(1);
    expect(answers.map(({ replyTo }) => replyTo)).toEqual([
      asked.id,
      ...answers.slice(1).map(() => undefined),
    ]);
    expect(answers.flatMap(({ pinged }) => pinged)).toEqual([]);
    expect(discord.violations).toEqual([]);
  });

  it.each([
    [400, 50035],
    [403, 160002],
  ])('is no reply where Discord refuses that (%i, %i)', async (status, code) => {
    const { discord, store, say, deliverNext } = await setUpDeliver();
    const asked = discord.people.write(discord.people.join('ann'), discord.channel, 'hello');
    const channel = `discord:${discord.channel.id}`;
    const { event } = await store.accept(
      { channel, source: 'discord', kind: 'prompt', text: 'hello', messageId: asked.id, at: 1 },
      { maxWaiting: 10 },
    );
    await say('hi', discord.channel, event.id);
    discord.faults.order(send, { type: 'refuse', status, code, message: 'no' });
    await deliverNext();
    expect(discord.visible(discord.channel)[1]).toMatchObject({ content: 'hi' });
    expect(discord.visible(discord.channel)[1]?.replyTo).toBeUndefined();
  });

  it('has its pieces in order, and its rows go when the outbox has recorded it', async () => {
    const { discord, store, say, deliverNext } = await setUpDeliver();
    const first = await say(long(3));
    await say('short');
    await deliverNext();
    expect(discord.answers(discord.channel).map((text) => text.slice(0, 1))).toEqual(['0', '1', '2']);
    await deliverNext();
    expect(discord.answers(discord.channel).at(-1)).toBe('short');
    expect(await store.discordPieces(first)).toEqual([]);
  });

  it('that is empty is delivered with nothing', async () => {
    const { discord, say, deliverNext } = await setUpDeliver();
    await say(' \n ');
    await deliverNext();
    expect(discord.answers(discord.channel)).toEqual([]);
  });

  it('that is very long goes as a file, and as messages where Discord refuses the file', async () => {
    const { discord, say, deliverNext } = await setUpDeliver({ rateLimitScale: 0.001 });
    await say(long(15));
    await deliverNext();
    expect(discord.visible(discord.channel)[0]?.files[0]?.text).toBe(long(15).trim());
    discord.faults.order(send, tooLarge);
    await say(long(15));
    await deliverNext();
    expect(
      discord
        .answers(discord.channel)
        .slice(1)
        .map((text) => text.slice(0, 2).trim()),
    ).toEqual(Array.from({ length: 15 }, (_, i) => `${i}`));
    await say('x'.repeat(200_000));
    discord.faults.order(send, tooLarge);
    await deliverNext();
    expect(discord.answers(discord.channel).at(-1)).toMatch(
      /100,000 more characters are in the gateway’s archive/,
    );
    expect(discord.violations).toEqual([]);
  });

  it.each([
    [10003, 404, 'not there any more'],
    [50001, 403, 'does not see'],
    [50013, 403, 'may not write'],
    [50007, 403, 'takes no direct messages'],
    [50035, 400, 'was refused'],
  ])('is given up for good at %i, with what to do', async (code, status, what) => {
    const { discord, say, deliverNext } = await setUpDeliver();
    discord.faults.order(send, { type: 'refuse', status, code, message: 'no' });
    await say('hello');
    const failure = await deliverNext().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FinalFailure);
    expect(failure).toMatchObject({ message: expect.stringContaining(what), hint: expect.any(String) });
  });

  it('that somebody deleted before we heard of it is not sent again', async () => {
    const { discord, say, deliverNext } = await setUpDeliver();
    discord.faults.order(send, { type: 'drop', commit: true });
    await say('hello');
    await expect(deliverNext()).rejects.toThrow('other side closed');
    const [message] = discord.world.messagesOf(discord.channel.id);
    if (message) message.deleted = true;
    await deliverNext();
    expect(discord.answers(discord.channel)).toEqual([]);
  });

  it('that says the same as the one before is not taken for it', async () => {
    const { discord, say, parts, deliverNext } = await setUpDeliver();
    for (let i = 0; i < 2; i++) await say('OK');
    await deliverNext();
    discord.faults.order(send, { type: 'drop' });
    await expect(deliverNext()).rejects.toThrow();
    discord.clock.advance(600_000);
    await deliverNext(parts);
    expect(discord.answers(discord.channel)).toEqual(['OK', 'OK']);
  });

  it('of a new store with the same ids is another one', async () => {
    const { discord, say, deliverNext } = await setUpDeliver();
    await say('OK');
    await deliverNext();
    const other = await setUpDeliver();
    const api = restApi(discord);
    await other.store.post(
      { channel: `discord:${discord.channel.id}`, role: 'assistant', text: 'OK' },
      discord.clock.now(),
    );
    await other.deliverNext({ ...other.parts, api }, discord.channel);
    expect(discord.answers(discord.channel)).toEqual(['OK', 'OK']);
  });
});

describe('files of the agent (17.2)', () => {
  it('are attached to the last piece, and their lines are not shown', async () => {
    const { discord, workTree, say, deliverNext } = await setUpDeliver();
    await mkdir(join(workTree, 'out'));
    await writeFile(join(workTree, 'out', 'plan.txt'), 'the plan');
    await say('Here it is.\n[attach: out/plan.txt]\n```\n[attach: out/code.txt]\n```');
    await deliverNext();
    const [message] = discord.visible(discord.channel);
    expect(message?.files).toEqual([{ name: 'plan.txt', text: 'the plan' }]);
    expect(message?.content).toBe('Here it is.\n```\n[attach: out/code.txt]\n```');
    await say('[attach: out/plan.txt]');
    await deliverNext();
    expect(discord.visible(discord.channel)[1]).toMatchObject({ content: 'plan.txt', files: [{}] });
  });

  it('are left out with a sentence if Discord refuses them', async () => {
    const { discord, workTree, say, deliverNext } = await setUpDeliver({ maxUploadBytes: 1000 });
    await writeFile(join(workTree, 'large.bin'), Buffer.alloc(2000));
    await say('Done.\n[attach: large.bin]');
    await deliverNext();
    expect(discord.visible(discord.channel)).toMatchObject([
      {
        content:
          'Done.\n\n*The file `large.bin` is not attached: it has 0.1 MB, which is too large for Discord here.*',
        files: [],
      },
    ]);
    discord.permit(discord.channel, 'AttachFiles', false);
    await writeFile(join(workTree, 'small.bin'), 'x');
    await say('Again.\n[attach: small.bin]');
    await deliverNext();
    expect(discord.answers(discord.channel)[1]).toContain('the bot lacks the permission "Attach Files" here');
  });

  it('that are not sent have the names that the agent wrote, and too large ones their size', async () => {
    const { discord, workTree, say, deliverNext } = await setUpDeliver();
    await writeFile(join(workTree, '.env'), 'x');
    await writeFile(join(workTree, 'a`b *c*.bin'), Buffer.alloc(9 * 1024 ** 2 + 1));
    await say('[attach: .env]\n[attach: a`b *c*.bin]');
    await deliverNext();
    expect(discord.answers(discord.channel)).toEqual([
      '*The file `.env` is not attached: it is hidden.*\n' +
        '*The file `aˋb *c*.bin` is not attached: it has 9.1 MB, and 9 MB is the limit.*',
    ]);
  });

  it('without a way to send any, a long answer is ten messages and a sentence about the rest', async () => {
    const { discord, say, deliverNext } = await setUpDeliver();
    discord.permit(discord.channel, 'AttachFiles', false);
    await say('A sentence with some words. '.repeat(1500));
    await deliverNext();
    const answers = discord.answers(discord.channel);
    expect(answers.length).toBeLessThanOrEqual(11);
    expect(answers.join('').length).toBeGreaterThan(19_000);
    expect(answers.at(-1)).toMatch(
      /That’s not all: 2[12],\d{3} more characters are .* archive .* page.*"Attach Files" here/,
    );
    expect(discord.violations).toEqual([]);
  });

  it('are none of those that a hostile answer asks for', async () => {
    const { discord, workTree, parts, say, deliverNext } = await setUpDeliver();
    const tree = join(workTree, 'tree');
    await mkdir(join(tree, 'home'), { recursive: true });
    await mkdir(join(tree, '.ssh'));
    await writeFile(join(workTree, 'secret'), 'secret');
    await writeFile(join(tree, '.ssh', 'key'), 'secret');
    await writeFile(join(tree, 'home', 'token'), 'secret');
    await symlink('/etc', join(tree, 'etc'));
    await symlink('../secret', join(tree, 'link'));
    await link(join(workTree, 'secret'), join(tree, 'hard'));
    const hostile = [
      '/etc/passwd',
      'etc/passwd',
      '../secret',
      'link',
      'hard',
      '.ssh/key',
      'home/token',
      '.',
      'none',
    ];
    await say(['Look.', ...hostile.map((path) => `[attach: ${path}]`)].join('\n'));
    const attachPlace = async () => ({ workTree: tree, closed: [join(tree, 'home')] });
    await deliverNext({ ...parts, attachPlace });
    const [message, ...more] = discord.visible(discord.channel);
    expect([message, ...more].flatMap((one) => one?.files)).toEqual([]);
    expect(message?.content.match(/is not attached/g)).toHaveLength(hostile.length);
    expect(message?.content).not.toContain('secret:');
  });

  it('are none that AGENT_USER can’t read (27.11)', async (test) => {
    const user = agentUser(test);
    const { work, home } = workTree(user);
    const { discord, parts, say, deliverNext } = await setUpDeliver();
    await writeFile(join(work, 'open'), 'open\n', { mode: 0o644 });
    await writeFile(join(work, 'secret'), 'secret\n', { mode: 0o600 });
    await say('Look.\n[attach: open]\n[attach: secret]');
    const attachPlace = async () => ({ workTree: work, closed: [home] });
    await deliverNext({ ...parts, attachPlace, workTrees: filesOf(home, user) });
    const [message] = discord.visible(discord.channel);
    expect(message?.files.map(({ name }) => name)).toEqual(['open']);
    expect(message?.content).toContain('The file `secret` is not attached: the agent may not read it.');
  });

  it('of the gateway’s own words are none', async () => {
    const { discord, store, workTree, deliverNext } = await setUpDeliver();
    await writeFile(join(workTree, 'a.txt'), 'a');
    await store.post(
      { channel: `discord:${discord.channel.id}`, role: 'system', text: '[attach: a.txt]' },
      5,
    );
    await deliverNext();
    expect(discord.visible(discord.channel)).toMatchObject([{ content: '[attach: a.txt]', files: [] }]);
  });
});
