import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { openApiDocument } from '../../../../src/gateway/channels/http/openapi/openapi.js';
import { operations } from '../../../../src/gateway/channels/http/openapi/operations.js';
import { type AnswerName, answers } from '../../../../src/gateway/channels/http/openapi/schemas.js';
import type { ChainRun, ChainRuns } from '../../../../src/gateway/channels/lookups.js';
import { sessionId, writeSessions } from '../../../unit/backends/record/written-sessions.js';
import { type Client, eventually, setUpGateway } from '../../stage.js';

/** Calls operations, checks what they answer, and knows what was not checked. */
class Checker {
  readonly #base: string;
  readonly #unchecked = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  readonly #answers = new Set<string>(Object.keys(answers));

  constructor({ gateway }: Client) {
    this.#base = `http://${gateway.address.host}:${gateway.address.port}`;
  }

  /** The operations and the answers that were not checked. */
  get left(): readonly string[] {
    return [...this.#unchecked, ...this.#answers];
  }

  /** `get /v1/channels/{id}`; the id is `a` unless given. */
  async check(
    name: string,
    { id = 'a', query = '', body }: { id?: string; query?: string; body?: unknown } = {},
    // biome-ignore lint/suspicious/noExplicitAny: the schema says what it is
  ): Promise<any> {
    const operation = operations.find(({ method, path }) => `${method} ${path}` === name);
    if (operation === undefined) throw new Error(`There is no operation ${name}`);
    const { method, answer, status = 200, open } = operation;
    const path = operation.path.replace(/\{\w+\}/, encodeURIComponent(id)) + query;
    const response = await this.fetch(method, path, { body, open });
    const text = await response.text();
    expect(response.status, `${name}: ${text}`).toBe(status);
    this.#unchecked.delete(name);
    if (typeof answer === 'object') expect(response.headers.get('content-type')).toContain(answer.type);
    if (typeof answer !== 'string') return text;
    return this.fits(answer, JSON.parse(text), name);
  }

  /** A request that is refused. */
  async refused(name: AnswerName, status: number, path: string, body?: unknown): Promise<void> {
    const response = await this.fetch(body === undefined ? 'get' : 'post', path, { body });
    expect(response.status, path).toBe(status);
    this.fits(name, await response.json(), path);
  }

  fits<T>(name: AnswerName, answer: T, where: string): T {
    expect(problemsOf(answers[name], answer), `${name} at ${where}`).toEqual([]);
    this.#answers.delete(name);
    return answer;
  }

  /** Notes what is checked in another way. */
  see(operation: string): void {
    this.#unchecked.delete(operation);
  }

  fetch(
    method: string,
    path: string,
    { body, open }: { body?: unknown; open?: boolean | undefined },
  ): Promise<Response> {
    const headers: Record<string, string> = open ? {} : { authorization: 'Bearer a-token-for-the-tests' };
    return fetch(`${this.#base}${path}`, {
      method: method.toUpperCase(),
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}

const chainRun: ChainRun = {
  ...{ runId: 'r1', chain: 'build', status: 'failed', startedAt: '2026-01-01T00:00:00.000Z' },
  steps: [
    {
      ...{ name: 'plan', agent: 'planner', backend: 'claude', status: 'failed', iterations: 1, output: 'x' },
      ...{ reason: 'error', error: { code: 'overloaded', message: 'busy' }, verified: false },
      usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.1 },
    },
  ],
};
const chainRuns: ChainRuns = {
  list: async () => [{ ...chainRun, cwd: '/work' }].map(({ steps: _, ...run }) => run),
  read: async (runId) => (runId === chainRun.runId ? chainRun : undefined),
};

describe('the OpenAPI document (16.2)', () => {
  it('describes what a gateway really answers, whatever it is asked', { timeout: 60_000 }, async () => {
    const stage = setUpGateway({ PERMISSION_MODE: 'ask', WORK_TREE_CHANGES: '1' });
    const bin = join(stage.root, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'codex'), '#!/bin/sh\n', { mode: 0o755 });
    const written = { id: sessionId(1), cwd: stage.work, usedAt: 1000, prompt: 'look around' };
    writeSessions('codex', stage.root, [written]);
    const env = { PATH: [bin, process.env['PATH']].join(delimiter) };
    const client = await stage.start(env, undefined, { chainRuns });
    const checker = new Checker(client);
    const check: Checker['check'] = (name, asked) => checker.check(name, asked);
    expect(JSON.parse(await check('get /openapi.json'))).toEqual(
      JSON.parse(JSON.stringify(openApiDocument())),
    );

    const send = 'post /v1/channels/{id}/messages';
    const { eventId } = await check(send, { body: { text: 'write a note: on the page' } });
    await eventually(async () => (await pendingOf(client)).length === 1);
    const waiting = await check(send, { body: { text: 'and more' } });
    expect(await check('get /v1/gateway')).toMatchObject({ ready: true, problems: [] });
    await check('get /v1/schedules');
    await check('get /v1/queue');
    await check('get /v1/permissions');
    expect(await check('get /v1/channels/{id}')).toMatchObject({
      running: { eventIds: [eventId] },
      waitingCount: 1,
      permissions: [{ preview: { type: 'edit', files: [{ path: 'demo-note.txt' }] } }],
    });
    const [permission] = await pendingOf(client);
    expect(permission?.preview?.files[0]?.diff).toMatch(
      /^--- \/dev\/null\n\+\+\+ b\/demo-note.txt\n@@ .*\n\+/,
    );
    await check('post /v1/events/{eventId}/cancel', { id: waiting.eventId });
    await check('get /v1/permissions/{id}', { id: permission?.id ?? '' });
    await check('post /v1/permissions/{id}', { id: permission?.id ?? '', body: { decision: 'allow' } });
    await check('get /v1/events/{eventId}', { id: eventId, query: '?wait=20' });
    expect(await check('get /v1/events/{eventId}/turns', { id: eventId })).toMatchObject({
      turns: [{ state: 'answered', backend: 'claude' }],
    });
    await check('post /v1/channels/{id}/interrupt');
    await check('get /v1/channels/{id}/messages', { query: '?before=latest&limit=2' });

    for (const { name, data } of await streamed(client, '/v1/channels/a/events?after=0.0.0.0', 'complete'))
      checker.fits(streamedAs[name] ?? 'Problem', data, name);
    checker.see('get /v1/channels/{id}/events');

    const { files } = await check('get /v1/channels/{id}/changes');
    expect(files).toMatchObject([{ path: 'demo-note.txt', status: 'added', changedSince: false }]);
    const revert = { scope: 'turn', path: 'demo-note.txt', shown: files[0].shown };
    await check('post /v1/channels/{id}/changes/revert', { body: revert });

    expect(await check('get /v1/channels')).toMatchObject({
      channels: [{ channel: 'a', title: 'write a note: on the page' }],
    });
    expect(await check('get /v1/channels', { query: '?search=ON%20THE%20P' })).toMatchObject({
      channels: [{ found: expect.stringContaining('on the page') }],
    });
    expect(await check('get /v1/channels', { query: '?search=%25' })).toEqual({ channels: [] });
    await check('patch /v1/channels/{id}', { body: { title: 'Notes' } });
    expect(await check('get /v1/backends')).toMatchObject({
      backends: [{ name: 'claude', isDefault: true, installed: true }, {}, {}, {}],
    });
    expect(await check('get /v1/usage', { query: '?by=backend' })).toMatchObject({
      rows: [{ key: 'claude', turns: 1 }],
    });
    expect(await check('get /v1/statistics')).toMatchObject({
      series: [{ key: 'claude', points: [{ turns: 1, answered: 1 }] }],
    });
    expect((await check('get /v1/chains/runs')).runs).toHaveLength(1);
    expect((await check('get /v1/chains/runs/{id}', { id: 'r1' })).steps).toHaveLength(1);
    const { sessions } = await check('get /v1/channels/{id}/sessions');
    expect(sessions).toMatchObject([{ backend: 'codex', title: 'look around' }]);
    const { backend, sessionId: adopted } = sessions[0];
    await check('post /v1/channels/{id}/session', { body: { backend, sessionId: adopted } });

    const models = await check('get /v1/models');
    await check('get /v1/models/{id}', { id: models.data[1].id });
    const messages = [{ role: 'user', content: 'say exactly: hi' }];
    const completion = await check('post /v1/chat/completions', { body: { model: 'claude', messages } });
    expect(completion.choices[0].message.content).toBe('hi');
    const made = await check('post /v1/responses', { body: { model: 'claude', input: 'say exactly: hi' } });
    await check('get /v1/responses/{id}', { id: made.id });
    await checker.refused('OpenAiProblem', 404, '/v1/models/unknown');
    await checker.refused('OpenAiProblem', 500, '/v1/responses', { model: 'claude', input: 'fail' });

    await check('post /v1/page-session');
    await check('delete /v1/page-session');
    await check('get /healthz');
    await check('get /readyz');
    await check('get /metrics');
    await checker.refused('Problem', 404, '/v1/events/none');
    // A ChatEvent is a part of Turns.
    expect(checker.left).toEqual(['ChatEvent']);
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
