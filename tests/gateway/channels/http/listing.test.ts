import { describe, expect, it } from 'vitest';
import type { ChannelStatusView, ChannelsView } from '../../../../src/gateway/channels/http/wire.js';
import { type Client, setUpGateway } from '../../stage.js';

describe('titles and archived conversations (16.4)', () => {
  it('are kept, listed apart, found, and brought back by a message', async () => {
    const client = await setUpGateway().start();
    const one = await client.post('one', 'the first words');
    const two = await client.post('two', 'something else');
    for (const id of [one, two]) await client.call(`/v1/events/${id}?wait=20`);
    const states = followStates(client, 'one');

    const changed = await patch(client, 'one', { title: '  Größe \u{1F600} ', archived: true });
    expect(changed.body).toMatchObject({ channel: 'one', title: 'Größe \u{1F600}', archived: true });
    await expect.poll(() => states.seen).toContain('Größe \u{1F600} true');
    expect(await listed(client)).toEqual(['two: something else']);
    expect(await listed(client, '?archived=true')).toEqual(['one: Größe \u{1F600} (archived)']);
    expect(await listed(client, '?search=grÖSSE')).toEqual([]);
    expect(await listed(client, '?search=grÖße')).toEqual(['one: Größe \u{1F600} (archived)']);
    expect(await listed(client, '?search=first&archived=false')).toEqual([]);
    expect(await listed(client, '?search=first&archived=true')).toHaveLength(1);

    expect(await client.call('/v1/channels/two/messages')).not.toHaveProperty('messages.0.author');
    expect((await patch(client, 'one', { title: null })).body).toMatchObject({ title: 'the first words' });
    expect(await listed(client, '?archived=1')).toEqual(['one: the first words (archived)']);
    await client.call(`/v1/events/${await client.post('one', 'again')}?wait=20`);
    expect(await listed(client, '?archived=false')).toEqual(['one: the first words', 'two: something else']);
    await states.stop();
  });

  it('puts nothing out of sight in which a question waits (16.5)', async () => {
    const client = await setUpGateway({ PERMISSION_MODE: 'ask' }).start();
    const event = await client.post('one', 'write a note: hi');
    const questions = async () => ((await client.call('/v1/channels/one')) as ChannelStatusView).permissions;
    await expect.poll(questions).toHaveLength(1);
    expect(await patch(client, 'one', { archived: true })).toMatchObject({ status: 409 });
    expect((await patch(client, 'one', { title: 'still named' })).status).toBe(200);
    const [question] = await questions();
    await client.call(`/v1/permissions/${question?.id}`, { body: { decision: 'deny' } });
    await client.ended(event);
    expect((await patch(client, 'one', { archived: true })).status).toBe(200);
  });

  it('refuses what is no title, no change and no channel', async () => {
    const client = await setUpGateway().start();
    await client.post('one', '/status');
    const long = await patch(client, 'one', { title: 'x'.repeat(200) });
    expect([long.status, (long.body as ChannelStatusView).title.length]).toEqual([200, 200]);
    const wrong = [
      ...[{}, { title: '' }, { title: ' ' }, { title: 'x'.repeat(201) }, { title: 1 }],
      ...[{ title: 'a\nb' }, { title: 'a\u0000b' }, { title: 'a\u001b[2Jb' }, { title: 'a\u2028b' }],
      ...[{ title: '\ud800' }, { archived: 'yes' }, { archived: null }, { name: 'x' }],
    ];
    for (const body of wrong) {
      expect((await patch(client, 'one', body)).status, JSON.stringify(body)).toBe(400);
    }
    expect((await patch(client, 'none', { archived: true })).status).toBe(404);
    expect((await patch(client, 'no id', { archived: true })).status).toBe(400);
    expect((await patch(client, 'one', { archived: true }, 'wrong')).status).toBe(401);
    await expect(client.call('/v1/channels?archived=maybe')).rejects.toThrow(/400.*true or false/);
  });
});

async function patch(client: Client, channel: string, body: unknown, token = 'a-token-for-the-tests') {
  const { host, port } = client.gateway.address;
  const answer = await fetch(`http://${host}:${port}/v1/channels/${encodeURIComponent(channel)}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

async function listed(client: Client, query = ''): Promise<string[]> {
  const { channels } = (await client.call(`/v1/channels${query}`)) as ChannelsView;
  return channels.map(
    ({ channel, title, archived }) => `${channel}: ${title}${archived ? ' (archived)' : ''}`,
  );
}

function followStates({ gateway }: Client, channel: string) {
  const leaving = new AbortController();
  const seen: string[] = [];
  const done = (async () => {
    for await (const entry of gateway.follow(channel, { signal: leaving.signal })) {
      if (entry.type === 'status') seen.push(`${entry.status.title} ${entry.status.archived}`);
    }
  })();
  return {
    seen,
    stop: () => {
      leaving.abort();
      return done;
    },
  };
}
