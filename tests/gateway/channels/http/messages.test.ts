import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TurnoutError } from '../../../../src/core/errors.js';
import { StoreError } from '../../../../src/store/errors.js';
import { type Running, startChannel } from './fake-gateway.js';

let http: Running;
beforeEach(async () => {
  http = await startChannel();
});
afterEach(() => http.channel.stop());

const post = (body: unknown, headers: Record<string, string> = {}, channel = 'room') =>
  http.call(`/v1/channels/${channel}/messages`, { method: 'POST', body, headers });

describe('POST /v1/channels/:id/messages', () => {
  it('accepts a message as it is, and names its event', async () => {
    const text = '  /word "quoted"\n\tümlaut 🚂 \u0000 ';
    const answer = await post({ text, author: 'Ada' });
    expect(answer).toMatchObject({ status: 202, json: { eventId: 'event-1', state: 'queued' } });
    expect(Object.keys(answer.json)).toEqual(['eventId', 'state']);
    expect(answer.headers.get('location')).toBe('/v1/events/event-1');
    expect(http.gateway.received).toEqual([
      { channel: 'room', source: 'http', text, messageId: undefined, author: 'Ada' },
    ]);
  });

  it('makes repeats of a key one event, with its present state', async () => {
    const key = { 'Idempotency-Key': 'k-1' };
    expect(await post({ text: 'one' }, key)).toMatchObject({ status: 202, json: { eventId: 'event-1' } });
    http.gateway.change('event-1', { state: 'answered', responseText: 'done' });
    const again = await post({ text: 'one' }, key);
    expect(again).toMatchObject({ status: 202, json: { eventId: 'event-1', state: 'answered' } });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await post({ text: 'one' }, key, 'other')).json.eventId).toBe('event-2');
    expect((await post({ text: 'one' })).json.eventId).toBe('event-3');
  });

  it.each([
    ['', 'empty'],
    ['a b', 'a blank'],
    ['k'.repeat(256), 'too long'],
    ['schlüssel', 'not ASCII'],
  ])('refuses the key %j: %s', async (key) => {
    const answer = await post({ text: 'x' }, { 'Idempotency-Key': key });
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'bad_request' } } });
    expect(answer.json.error.message).toContain('Idempotency-Key');
    expect(http.gateway.received).toEqual([]);
  });

  it('tells of a refused one in the same way, with the reason', async () => {
    const error = { code: 'overloaded', message: '100 messages wait already.' } as const;
    await post({ text: 'x' }, { 'Idempotency-Key': 'k' });
    http.gateway.change('event-1', { state: 'refused', error });
    const answer = await post({ text: 'x' }, { 'Idempotency-Key': 'k' });
    expect(answer).toMatchObject({ status: 202, json: { eventId: 'event-1', state: 'refused', error } });
  });

  it.each<[unknown, string]>([
    ['', 'empty'],
    ['{"text": ', 'not valid JSON'],
    ['"text"', 'a JSON object is expected'],
    ['[]', 'a JSON object is expected'],
    ['null', 'a JSON object is expected'],
    [{}, '"text": a text is expected'],
    [{ text: 5 }, '"text": a text is expected'],
    [{ text: '' }, '"text": it is blank'],
    [{ text: ' \n\t\u00a0' }, '"text": it is blank'],
    ['{"text": "\\ud83d"}', 'half of a surrogate pair'],
    [{ text: 'x', txet: 'y', other: 1 }, 'unknown fields "txet", "other"'],
    ['{"text": "x", "__proto__": {}}', '__proto__'],
    [{ text: 'x', author: '' }, '"author"'],
    [{ text: 'x', author: null }, '"author"'],
    [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'UTF-8'],
  ])('refuses the body %j', async (body, reason) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toEqual({ code: 'bad_request', message: expect.stringContaining(reason) });
    expect(http.gateway.received).toEqual([]);
  });

  it.each(['text/html', 'multipart/form-data', 'application/json; charset=latin1'])(
    'refuses the content type %s',
    async (type) => {
      const answer = await post({ text: 'x' }, { 'Content-Type': type });
      expect(answer).toMatchObject({ status: 415, json: { error: { code: 'unsupported_media_type' } } });
    },
  );

  it.each([
    'application/json; charset=UTF-8',
    'application/vnd.x+json',
    '',
    // The types that fetch and `curl -d` send by themselves.
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
  ])('accepts the content type %j', async (type) =>
    expect(await post({ text: 'x' }, { 'Content-Type': type })).toMatchObject({ status: 202 }),
  );

  it('refuses an encoded body', async () => {
    expect(await post({ text: 'x' }, { 'Content-Encoding': 'gzip' })).toMatchObject({ status: 415 });
  });

  it.each(['a', 'A-z_0.9:x@host', 'x'.repeat(128), '...', 'a%40b'])('takes the channel %s', async (id) => {
    expect(await post({ text: 'x' }, {}, id)).toMatchObject({ status: 202 });
    expect(http.gateway.received[0]?.channel).toBe(decodeURIComponent(id));
  });

  it.each(['a%20b', 'a%2Fb', '%2E%2E%2F', 'x'.repeat(129), 'ü', 'a%00', '%zz', 'a%252e'])(
    'refuses the channel %s',
    async (id) => {
      const answer = await post({ text: 'x' }, {}, id);
      expect(answer.status).toBe(400);
      expect(answer.json.error.message).toContain('A-Z a-z 0-9 . _ : @ -');
    },
  );

  it('says that a message was not accepted when the store fails', async () => {
    http.gateway.failure = new StoreError('full', 'SQLITE_FULL: /secret/path');
    const answer = await post({ text: 'x' });
    expect(answer).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } });
    expect(answer.json.error.message).toMatch(/^The message was NOT accepted: .*full/);
    expect(answer.json.error.message).not.toContain('secret');
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(http.lines.filter((line) => line.level === 'warn')).toHaveLength(1);
  });

  it('tells nothing of the inside when it breaks, and logs it', async () => {
    http.gateway.failure = new Error('secret detail');
    const answer = await post({ text: 'x' });
    expect(answer).toMatchObject({ status: 500, json: { error: { code: 'internal' } } });
    expect(JSON.stringify(answer.json)).not.toContain('secret');
    expect(http.lines.find((line) => line.level === 'error')).toMatchObject({
      error: { message: 'secret detail' },
    });
    http.gateway.failure = new TurnoutError('bad_request', 'Not like this.');
    expect(await post({ text: 'x' })).toMatchObject({
      status: 400,
      json: { error: { message: 'Not like this.' } },
    });
  });

  it('logs requests without what they say', async () => {
    await post({ text: 'a private matter' });
    expect(http.lines.at(-1)).toMatchObject({ level: 'debug', method: 'POST', status: 202 });
    expect(JSON.stringify(http.lines)).not.toMatch(/private matter|a-token/);
  });
});

describe('GET /v1/channels/:id/messages', () => {
  const list = (query = '') => http.call(`/v1/channels/room/messages${query}`);

  it('tells who has sent a message, if that was told (16.2)', async () => {
    http.gateway.say({ channel: 'room', role: 'user', text: 'hi', author: 'Ada' });
    http.gateway.say({ channel: 'room', role: 'user', text: 'hi' });
    const { messages } = (await list()).json;
    expect(messages.map((message: object) => 'author' in message && message.author)).toEqual(['Ada', false]);
  });

  it('gives the conversation, oldest first', async () => {
    await post({ text: 'hello' });
    http.gateway.say({
      channel: 'room',
      eventId: 'event-1',
      role: 'assistant',
      text: 'hi',
      backend: 'claude',
    });
    http.gateway.say({ channel: 'room', role: 'system', text: 'a notice' });
    http.gateway.say({ channel: 'other', role: 'system', text: 'elsewhere' });
    expect((await list()).json).toEqual({
      messages: [
        { id: '1', eventId: 'event-1', role: 'user', text: 'hello', createdAt: '2026-01-02T03:04:05.001Z' },
        {
          id: '2',
          eventId: 'event-1',
          role: 'assistant',
          text: 'hi',
          createdAt: '2026-01-02T03:04:05.002Z',
          backend: 'claude',
        },
        { id: '3', eventId: null, role: 'system', text: 'a notice', createdAt: '2026-01-02T03:04:05.003Z' },
      ],
    });
  });

  it('pages through all of it, and ends', async () => {
    for (let n = 1; n <= 1001; n++) http.gateway.say({ channel: 'room', role: 'user', text: `${n}` });
    const sizes: number[] = [];
    const seen: string[] = [];
    let next: string | undefined = '0';
    while (next !== undefined) {
      const { json } = await list(`?limit=9999&after=${next}`);
      sizes.push(json.messages.length);
      seen.push(...json.messages.map((message: { text: string }) => message.text));
      next = json.next;
    }
    expect(sizes).toEqual([500, 500, 1]);
    expect(seen).toEqual(Array.from({ length: 1001 }, (_, n) => `${n + 1}`));
    expect((await list()).json.messages).toHaveLength(50);
    expect((await list('?limit=1&after=1000')).json.next).toBeUndefined();
    expect((await list('?after=1001')).json).toEqual({ messages: [] });
  });

  it('ends a page early when its messages are long', async () => {
    for (let n = 1; n <= 60; n++) {
      http.gateway.say({ channel: 'room', role: 'user', text: `${n} `.padEnd(1_000_000, 'x') });
    }
    const seen: number[] = [];
    let next: string | undefined = '';
    while (next !== undefined) {
      const { json } = await list(`?limit=500&after=${next}`);
      expect(json.messages.length).toBeLessThan(7);
      seen.push(...json.messages.map(({ text }: { text: string }) => Number.parseInt(text, 10)));
      next = json.next;
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  it('takes parameters without a value for none, and a slash at the end of the path', async () => {
    for (let n = 1; n <= 60; n++) http.gateway.say({ channel: 'room', role: 'user', text: `${n}` });
    const plain = await list();
    expect(plain.json).toMatchObject({ next: '50' });
    expect((await list('?limit=&after=')).json).toEqual(plain.json);
    expect((await http.call('/v1/channels/room/messages/')).json).toEqual(plain.json);
    const slash = { method: 'POST', body: { text: 'x' } };
    expect((await http.call('/v1/channels/room/messages/', slash)).status).toBe(202);
    expect((await fetch(`${http.url}/v1/permissions/`)).status).toBe(401);
    expect((await http.call('/v1/permissions/', { method: 'DELETE' })).status).toBe(405);
  });

  it.each(['limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'after=x', 'after=-1', 'after=1e3'])(
    'refuses %s',
    async (query) => {
      const answer = await list(`?${query}`);
      expect(answer).toMatchObject({ status: 400, json: { error: { code: 'bad_request' } } });
      expect(answer.json.error.message).toContain(`${query.split('=')[0]}:`);
    },
  );
});

describe('POST /v1/channels/:id/interrupt', () => {
  it('tells whether there was a turn to interrupt', async () => {
    const interrupt = (id: string) => http.call(`/v1/channels/${id}/interrupt`, { method: 'POST' });
    expect(await interrupt('busy')).toMatchObject({ status: 200, json: { interrupted: true } });
    expect(await interrupt('idle')).toMatchObject({ status: 200, json: { interrupted: false } });
    expect(await interrupt('a%20b')).toMatchObject({ status: 400 });
    expect(http.gateway.interrupted).toEqual([
      ['busy', undefined],
      ['idle', undefined],
    ]);
  });

  it('passes on the turn that is meant; the body may be left out, but not be wrong (16.1)', async () => {
    const interrupt = (body: unknown) =>
      http.call('/v1/channels/busy/interrupt', { method: 'POST', body }).then(({ status }) => status);
    expect(await Promise.all([{ turnId: 't1' }, {}, ''].map(interrupt))).toEqual([200, 200, 200]);
    expect(await Promise.all([{ turnId: 1 }, { turn: 't1' }, [], '{'].map(interrupt))).toEqual([
      400, 400, 400, 400,
    ]);
    expect(http.gateway.interrupted.map(([, turnId]) => turnId).toSorted()).toEqual([
      't1',
      undefined,
      undefined,
    ]);
  });
});
