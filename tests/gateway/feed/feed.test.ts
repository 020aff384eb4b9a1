import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Frame, openStream, type Stream, textOf } from '../read-stream.js';
import { type Client, eventually, setUpGateway } from '../stage.js';

const path = '/v1/channels/a/events';
const kept = ({ id }: Frame) => id !== undefined;
const ended = (stream: Stream) => () =>
  stream.frames.some(({ event, data }) => event === 'turn' && data.state !== 'running');

const answered = (stream: Stream) => () => stream.frames.filter(kept).at(-1)?.data.role === 'assistant';

/** Frames as they are when pieces of text are joined, which a reader can't count on. */
function joined(frames: readonly Frame[]): readonly unknown[] {
  const whole: { event?: string | undefined; data: Record<string, unknown> }[] = [];
  for (const { event, data } of frames.filter(kept)) {
    const last = whole.at(-1);
    const isText = event === undefined && ['text', 'thinking'].includes(data.type);
    if (isText && last !== undefined && last.event === undefined && last.data['type'] === data.type)
      last.data = { ...last.data, text: `${last.data['text']}${data.text}` };
    // The backend and the model are known a moment later.
    else if (event === 'turn' && data.state === 'running')
      whole.push({ event, data: { turnId: data.turnId } });
    else whole.push({ event, data: { ...data } });
  }
  return whole;
}

describe('GET /v1/channels/:id/events (16.1, 16.2)', () => {
  it('shows a turn while it runs: status, message, ChatEvents in their order, the answer', async () => {
    const client = await setUpGateway({ BACKEND_LIVE: '1' }).start();
    const stream = await openStream(client, path);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('x-content-type-options')).toBe('nosniff');
    await eventually(() => stream.frames.length > 0);
    const { responseText, eventId } = await client.ask('a', 'look around');
    await eventually(ended(stream));
    await eventually(() => stream.frames.some(({ data }) => data.role === 'assistant'));
    expect(stream.frames[0]).toMatchObject({ event: 'state', data: { channel: 'a', waiting: [] } });
    const order = stream.frames.filter(kept).map(({ event, data }) => event ?? data.type);
    expect(order.indexOf('said')).toBeLessThan(order.indexOf('turn'));
    expect(order.filter((name) => name === 'turn')).toHaveLength(2);
    expect(order).toContain('tool_start');
    expect(order.indexOf('complete')).toBeGreaterThan(order.lastIndexOf('text'));
    expect(order.at(-1)).toBe('said');
    expect(textOf(stream.frames)).toContain(responseText);
    const turns = stream.frames.filter(({ event }) => event === 'turn').map(({ data }) => data);
    expect(turns.map(({ state }) => state)).toEqual(['running', 'answered']);
    expect(turns[1]).toMatchObject({ eventIds: [eventId], backend: 'claude' });
    await client.stop();
    await eventually(() => stream.ended);
  });

  it('tells how full the context is, until /new (16.4)', async () => {
    const client = await setUpGateway({ BACKEND_LIVE: '1' }).start();
    const stream = await openStream(client, path);
    const state = () => stream.frames.findLast(({ event }) => event === 'state')?.data;
    await eventually(() => state() !== undefined);
    expect(state()).not.toHaveProperty('context');
    await client.ask('a', 'say exactly: hello');
    await eventually(() => state()?.context !== undefined);
    const { context } = state();
    const { usage } = stream.frames.findLast(({ event }) => event === 'turn')?.data ?? {};
    expect(usage).toMatchObject({ contextTokens: context.tokens, contextWindow: 200_000 });
    expect(context).toEqual({ tokens: usage.inputTokens + usage.outputTokens, window: 200_000 });
    const status = await client.event(await client.post('a', '/status'));
    expect(status.responseText).toMatch(/^context: [\d,]+ of 200,000 tokens \(\d+ %\)$/m);
    await client.ask('a', '/new');
    await eventually(() => state()?.context === undefined);
  });

  it('whoever comes back with any id gets just the rest, during the turn and after it, and after a restart', async () => {
    const stage = setUpGateway({ BACKEND_LIVE: '1', TURNOUT_DEMO_SPEED: '4' });
    const client = await stage.start();
    const stream = await openStream(client, path);
    const during: { at: number; stream: Stream }[] = [];
    const asked = client.ask('a', 'look around');
    while (during.length < 5 && !ended(stream)()) {
      const count = stream.frames.filter(kept).length;
      await eventually(() => stream.frames.filter(kept).length > count || ended(stream)());
      const at = stream.frames.filter(kept).length;
      const id = stream.frames.filter(kept)[at - 1]?.id ?? '';
      during.push({ at, stream: await openStream(client, path, { 'last-event-id': id }) });
    }
    await asked;
    // A machine that is busy shows less of it at a time.
    expect(during.length).toBeGreaterThan(0);
    await eventually(answered(stream));
    const all = stream.frames.filter(kept);
    for (const { at, stream: late } of during) {
      await eventually(() => at === all.length || answered(late)());
      expect(joined([...all.slice(0, at), ...late.frames])).toEqual(joined(all));
    }
    await client.stop();
    const again = await stage.start();
    for (const [index, { id = '' }] of all.slice(0, -1).entries()) {
      const late = await openStream(again, `${path}?after=${id}`);
      await eventually(() => late.frames.filter(kept).at(-1)?.id === all.at(-1)?.id);
      expect(joined([...all.slice(0, index + 1), ...late.frames])).toEqual(joined(all));
      late.close();
    }
  });

  it('without an id it begins with the turn that runs; what was said before is not repeated', async () => {
    const client = await setUpGateway({ BACKEND_LIVE: '1' }).start();
    await client.ask('a', 'say exactly: old');
    const first = await openStream(client, path);
    const event = await client.post('a', 'count to 30 slowly');
    await eventually(() => textOf(first.frames).length > 5);
    const late = await openStream(client, path);
    await eventually(() => textOf(late.frames).length > 5);
    expect(late.frames.filter(kept)[0]).toMatchObject({ event: 'turn', data: { eventIds: [event] } });
    await client.interrupt('a');
    await eventually(ended(late));
    expect(textOf(late.frames)).toBe(textOf(first.frames));
    expect(textOf(late.frames)).not.toContain('old');
  });

  it('an id of what a restored backup does not have means nothing, although it counts as far again', async () => {
    const stage = setUpGateway({ BACKEND_LIVE: '1' });
    const client = await stage.start();
    await client.ask('a', 'say exactly: kept');
    await client.stop();
    const backup = join(stage.root, 'backup');
    cpSync(stage.home, backup, { recursive: true });
    const before = await stage.start();
    const stream = await openStream(before, path);
    await before.ask('a', 'say exactly: vanished');
    await eventually(answered(stream));
    const { id = '' } = stream.frames.filter(kept).at(-1) ?? {};
    await before.stop();
    rmSync(stage.home, { recursive: true });
    cpSync(backup, stage.home, { recursive: true });
    const after = await stage.start();
    await after.ask('a', 'say exactly: new');
    const late = await openStream(after, `${path}?after=${id}`);
    await eventually(() => late.frames.length > 0);
    expect(late.frames[0]).toMatchObject({ event: 'reset' });
  });

  it('an id of another store means nothing: the reader is told to read anew', async () => {
    const client = await setUpGateway().start();
    const stream = await openStream(client, `${path}?after=999.999.3.0`);
    await eventually(() => stream.frames.length > 0);
    expect(stream.frames[0]).toEqual({ event: 'reset', data: {}, id: '0.0.ended' });
    await expect(client.call(`${path}?after=x`)).rejects.toThrow('400');
    await expect(client.call(`${path}?others=yes`)).rejects.toThrow('400');
  });

  it('tells of questions, of what waits, and of other channels', async () => {
    const client = await setUpGateway({ PERMISSION_MODE: 'ask' }).start();
    const stream = await openStream(client, `${path}?others=1`);
    const event = await client.post('a', 'write a note: hello');
    const last = () => stream.frames.filter((frame) => frame.event === 'state').at(-1)?.data;
    await eventually(() => last()?.permissions.length === 1);
    expect(last()).toMatchObject({ running: { eventIds: [event], tool: 'Write' } });
    const next = await client.post('a', 'say exactly: next');
    await eventually(() => last()?.waitingCount === 1);
    expect(last().waiting).toMatchObject([{ eventId: next, text: 'say exactly: next' }]);
    await client.call(`/v1/permissions/${last().permissions[0].id}`, { body: { decision: 'deny' } });
    await client.ended(next);
    await eventually(
      () => last()?.waitingCount === 0 && last()?.permissions.length === 0 && !last()?.running,
    );
    await client.ask('b', 'say exactly: there');
    await eventually(() =>
      stream.frames.some(({ event: name, data }) => name === 'channels' && data.channels.includes('b')),
    );
  });

  it('a reader that never reads holds nothing up', async () => {
    const client = await setUpGateway({ BACKEND_LIVE: '1' }).start();
    const reader = client.gateway.follow('a', { signal: new AbortController().signal });
    const iterator = reader[Symbol.asyncIterator]();
    await iterator.next();
    const answers: string[] = [];
    for (let turn = 0; turn < 3; turn++)
      answers.push((await client.ask('a', `say exactly: ${turn}`)).responseText ?? '');
    expect(answers).toEqual(['0', '1', '2']);
    const said: string[] = [];
    while (said.length < 3) {
      const { value } = await iterator.next();
      if (value?.type === 'message' && value.message.role === 'assistant') said.push(value.message.text);
    }
    expect(said).toEqual(answers);
    await iterator.return?.();
  });

  it('HEAD ends at once', async () => {
    const client = await setUpGateway().start();
    const { host, port } = client.gateway.address;
    const headers = { authorization: 'Bearer a-token-for-the-tests' };
    const response = await fetch(`http://${host}:${port}${path}`, { method: 'HEAD', headers });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('how a message meets a running turn, by its own word (16.4)', () => {
  const begin = async (client: Client) => {
    const first = await client.post('a', 'count to 100 slowly');
    await client.until(first, 'running');
    return first;
  };
  const post = (client: Client, queueMode: string) =>
    client.call('/v1/channels/a/messages', { body: { text: 'say exactly: now', queueMode } }) as Promise<{
      eventId: string;
    }>;

  it('interrupt stops the turn, whatever the channel’s mode is', async () => {
    const client = await setUpGateway({ BACKEND_LIVE: '1' }).start();
    const first = await begin(client);
    const { eventId } = await post(client, 'interrupt');
    expect(await client.ended(first)).toMatchObject({ state: 'cancelled' });
    expect(await client.ended(eventId)).toMatchObject({ state: 'answered', responseText: 'now' });
  });

  it('a waiting message can be dropped, once', async () => {
    const client = await setUpGateway({ BACKEND_LIVE: '1' }).start();
    await begin(client);
    const { eventId } = await post(client, 'queue');
    expect(await client.gateway.cancel(eventId)).toBe(true);
    expect(await client.ended(eventId)).toMatchObject({ state: 'cancelled' });
    expect(await client.gateway.cancel(eventId)).toBe(false);
    expect(await client.gateway.cancel('evt_unknown')).toBe(false);
    await client.interrupt('a');
  });

  it('another word is refused', async () => {
    const client = await setUpGateway().start();
    await expect(post(client, 'now')).rejects.toThrow(/400.*queueMode/);
  });
});
