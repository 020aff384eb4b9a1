import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { openApiDocument } from '../../../../src/gateway/channels/http/openapi/openapi.js';
import { type AnswerName, answers } from '../../../../src/gateway/channels/http/openapi/schemas.js';
import { type Client, eventually, setUpGateway } from '../../stage.js';

describe('the OpenAPI document (16.2)', () => {
  it('describes what a gateway really answers', async () => {
    const stage = setUpGateway({ PERMISSION_MODE: 'ask' });
    const client = await stage.start();
    const checked = new Set<AnswerName>();
    const check = async (name: AnswerName, path: string, body?: unknown) => {
      const answer = await client.call(path, body === undefined ? {} : { body });
      expect(problemsOf(answers[name], answer), `${name} at ${path}`).toEqual([]);
      checked.add(name);
      return answer;
    };
    const document = (await client.call('/openapi.json', { headers: { authorization: '' } })) as object;
    expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument())));

    const receipt = await check('Receipt', '/v1/channels/a/messages', { text: 'write a note: on the page' });
    const { eventId } = receipt as { eventId: string };
    await eventually(async () => (await pendingOf(client)).length === 1);
    const waiting = (await check('Receipt', '/v1/channels/a/messages', {
      text: 'and more',
    })) as typeof receipt;
    await check('Queue', '/v1/queue');
    await check('Permissions', '/v1/permissions');
    const status = await check('ChannelStatus', '/v1/channels/a');
    expect(status).toMatchObject({
      running: { eventIds: [eventId] },
      waitingCount: 1,
      permissions: [{ preview: { type: 'edit', files: [{ path: 'demo-note.txt' }] } }],
    });
    const [permission] = await pendingOf(client);
    expect(permission?.preview?.files[0]?.diff).toMatch(
      /^--- \/dev\/null\n\+\+\+ b\/demo-note.txt\n@@ .*\n\+/,
    );
    await check('Cancelled', `/v1/events/${(waiting as { eventId: string }).eventId}/cancel`, {});
    await check('Permission', `/v1/permissions/${permission?.id}`, { decision: 'allow' });
    await check('Event', `/v1/events/${eventId}?wait=20`);
    const turns = await check('Turns', `/v1/events/${eventId}/turns`);
    expect(turns).toMatchObject({ turns: [{ state: 'answered', backend: 'claude' }] });
    await check('Interrupted', '/v1/channels/a/interrupt', {});
    await check('Messages', '/v1/channels/a/messages?before=latest&limit=2');

    for (const { name, data } of await streamed(client, '/v1/channels/a/events?after=0.0.0.0', 'complete')) {
      const schema = streamedAs[name] ?? 'Problem';
      expect(problemsOf(answers[schema], data), name).toEqual([]);
      checked.add(schema);
    }

    const all = await check('Channels', '/v1/channels');
    expect(all).toMatchObject({ channels: [{ channel: 'a', title: 'write a note: on the page' }] });
    const found = await check('Channels', '/v1/channels?search=ON%20THE%20P');
    expect(found).toMatchObject({ channels: [{ found: expect.stringContaining('on the page') }] });
    expect(await check('Channels', '/v1/channels?search=%25')).toEqual({ channels: [] });
    const backends = await check('Backends', '/v1/backends');
    expect(backends).toMatchObject({
      backends: [{ name: 'claude', isDefault: true, installed: true }, {}, {}, {}],
    });
    expect(await check('Usage', '/v1/usage?by=backend')).toMatchObject({
      rows: [{ key: 'claude', turns: 1 }],
    });
    const statistics = await check('Statistics', '/v1/statistics');
    expect(statistics).toMatchObject({ series: [{ key: 'claude', points: [{ turns: 1, answered: 1 }] }] });
    expect(await check('ChainRuns', '/v1/chains/runs')).toEqual({ runs: [] });
    await check('OpenAiObject', '/v1/models');
    await check('Sessions', '/v1/channels/a/sessions');
    await check('PageSession', '/v1/page-session', {});
    await check('Alive', '/healthz');
    await check('Readiness', '/readyz');
    const unknown = await fetch(
      `http://${client.gateway.address.host}:${client.gateway.address.port}/v1/events/none`,
    );
    expect(problemsOf(answers.Problem, await unknown.json())).toEqual([]);
    expect(checked.size).toBeGreaterThan(18);
  });
});

const streamedAs: Record<string, AnswerName> = {
  '': 'StreamedChatEvent',
  turn: 'Turn',
  said: 'Message',
  state: 'ChannelStatus',
};

/** Reads a stream of server-sent events until a ChatEvent of this type has come. */
async function streamed(client: Client, path: string, last: string) {
  const { host, port } = client.gateway.address;
  const headers = { authorization: 'Bearer a-token-for-the-tests' };
  const response = await fetch(`http://${host}:${port}${path}`, { headers });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.includes(`{"type":"${last}"`)) break;
  }
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks
    .filter((block) => block.includes('data: '))
    .map((block) => ({
      name: /^event: (.*)$/m.exec(block)?.[1] ?? '',
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? ''),
    }));
}

function problemsOf(schema: z.ZodType, answer: unknown): readonly string[] {
  const issues = schema.safeParse(answer).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

interface Pending {
  readonly id: string;
  readonly preview?: { readonly files: readonly { readonly diff: string }[] };
}

async function pendingOf(client: Client): Promise<readonly Pending[]> {
  return ((await client.call('/v1/permissions')) as { permissions: Pending[] }).permissions;
}
