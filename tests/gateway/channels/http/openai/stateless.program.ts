import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, setUpGateway } from '../../../stage.js';

interface Said {
  readonly role: string;
  readonly content: string;
}

const stage = setUpGateway({}, undefined, afterAll);
let client: Client;
beforeAll(async () => {
  client = await stage.start();
});

describe('a client that sends the whole conversation with each request (16.3)', () => {
  it.each([false, true])('goes on in one channel, streamed: %s', async (stream) => {
    const told = said(`remember that the signal is green ${stream}`);
    const first = await complete([told], { stream });
    const second = await complete([told, first.reply, said('what do you remember')], { stream });
    expect(second.channel).toBe(first.channel);
    expect(second.reply.content).toBe(`I remember:\n- the signal is green ${stream}`);
    const seeded = (await client.gateway.reports.turns(second.eventId))?.at(0)?.setup?.prompt.seededMessages;
    expect(seeded).toBe(0);
    // What clients trim is the same conversation.
    const trimmed = { ...second.reply, content: ` ${second.reply.content.replaceAll('\n', '\r\n')}\n` };
    const third = await complete(
      [told, first.reply, said('what do you remember'), trimmed, said('say exactly: x')],
      { stream },
    );
    expect(third.channel).toBe(first.channel);
    expect(await client.messages(first.channel)).toHaveLength(6);
  });

  it('begins anew where the conversation is another one', async () => {
    const told = said('say exactly: one');
    const { reply, channel } = await complete([told]);
    const on = said('say exactly: two');
    const others = [
      await complete([told, { ...reply, content: 'One?' }, on]),
      await complete([said('say exactly: One'), reply, on]),
      await complete([said('before'), told, reply, on]),
      await complete([{ role: 'system', content: 'Be brief.' }, told, reply, on]),
      await complete([told, reply, on], { headers: { 'Idempotency-Key': 'k' } }),
      await complete([told, reply, on], { body: { user: 'ada' } }),
    ];
    expect(others.map((other) => other.channel)).not.toContain(channel);
    // The history that was sent again after another answer is a branch.
    expect((await complete([told, reply, on])).channel).toBe(channel);
    const branch = await complete([told, reply, said('say exactly: three')]);
    expect(branch.channel).not.toBe(channel);
    expect((await client.messages(branch.channel)).map(({ text }) => text)).toEqual([
      ...['say exactly: one', 'one', 'say exactly: three', branch.reply.content],
    ]);
  });

  it('begins anew where somebody else has spoken in the channel', async () => {
    const told = said('say exactly: red');
    const { reply, channel } = await complete([told]);
    await client.call(`/v1/events/${await client.post(channel, 'say exactly: a word')}?wait=20`);
    expect((await complete([told, reply, said('say exactly: x')])).channel).not.toBe(channel);

    const command = await complete([said('/status')]);
    expect((await complete([said('/status'), command.reply, said('say exactly: y')])).channel).not.toBe(
      command.channel,
    );
  });

  it('shares no turn with an equal request at the same time', async () => {
    const told = said('say exactly: blue');
    const { reply, channel } = await complete([told]);
    const both = await Promise.all([1, 2].map(() => complete([told, reply, said('say exactly: both')])));
    expect(both.map((one) => one.channel)).toContain(channel);
    expect(new Set(both.map((one) => one.channel)).size).toBe(2);
    expect(new Set(both.map((one) => one.eventId)).size).toBe(2);
  });
});

function said(content: string): Said {
  return { role: 'user', content };
}

async function complete(
  messages: readonly Said[],
  { stream = false, headers = {}, body = {} }: { stream?: boolean; headers?: object; body?: object } = {},
) {
  const { host, port } = client.gateway.address;
  const answer = await fetch(`http://${host}:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer a-token-for-the-tests',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ model: 'claude', messages, stream, ...body }),
  });
  expect(answer.status).toBe(200);
  const text = await answer.text();
  const chunks = stream
    ? [...text.matchAll(/^data: ({.*})$/gm)].map(([, json = '']) => JSON.parse(json).choices[0].delta)
    : [JSON.parse(text).choices[0].message];
  return {
    channel: answer.headers.get('turnout-channel') ?? '',
    eventId: answer.headers.get('x-request-id') ?? '',
    reply: { role: 'assistant', content: chunks.map(({ content = '' }) => content).join('') },
  };
}
