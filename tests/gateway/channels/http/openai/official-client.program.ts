import OpenAI, { APIError, type ClientOptions } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, eventually, setUpGateway } from '../../../stage.js';

// One file: to import the client takes longer than most of the tests. They share a gateway, each in channels of its own.
const stage = setUpGateway({}, undefined, afterAll);
let client: Client;
let openai: OpenAI;

beforeAll(async () => {
  client = await stage.start();
  openai = openAiClient(client);
});

describe.concurrent('a conversation through the OpenAI client', () => {
  it('goes on by previous_response_id, and each response can be read again (16.3)', async () => {
    const first = await openai.responses.create({
      model: 'claude',
      input: 'remember that the signal is green',
    });
    expect(first).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'claude',
      output_text: 'I will remember: the signal is green',
      error: null,
      usage: { total_tokens: expect.any(Number) },
    });
    expect(first.usage?.output_tokens).toBeGreaterThan(0);
    expect(first.metadata?.['channel']).toMatch(/^openai:[\da-f-]{36}$/);

    const second = await openai.responses.create({
      model: 'claude',
      input: 'what do you remember',
      previous_response_id: first.id,
    });
    expect(second.output_text).toBe('I remember:\n- the signal is green');
    expect(second).toMatchObject({ previous_response_id: first.id, metadata: first.metadata });

    const { model: _asked, previous_response_id: _id, ...kept } = second;
    const again = await openai.responses.retrieve(second.id);
    expect(again).toMatchObject(kept);
    expect(again.model).toMatch(/^claude/);
    expect(await failureOf(openai.responses.retrieve('resp_evt_none'))).toMatchObject({ status: 404 });
    for (const previous of ['resp_evt_none', 'chatcmpl-1']) {
      const request = openai.responses.create({
        model: 'claude',
        input: 'hi',
        previous_response_id: previous,
      });
      expect(await failureOf(request)).toMatchObject({ status: 400, param: 'previous_response_id' });
    }
    const elsewhere = { model: 'claude', input: 'hi', previous_response_id: second.id, user: 'ada' };
    expect(await failureOf(openai.responses.create(elsewhere))).toMatchObject({
      status: 400,
      param: 'previous_response_id',
    });
  });

  it('goes on by user and by metadata.channel; what the request repeats is known (16.3)', async () => {
    const told = said('remember that the signal is green');
    const first = await openai.chat.completions.create({ model: 'default', user: 'ada', messages: [told] });
    expect(first).toMatchObject({ object: 'chat.completion', model: 'default' });
    const [choice] = first.choices;
    expect(choice).toMatchObject({ index: 0, finish_reason: 'stop', message: { role: 'assistant' } });
    const reply = { role: 'assistant', content: choice?.message.content ?? '' } as const;
    expect(reply.content).toBe('I will remember: the signal is green');

    const { data, response } = await openai.chat.completions
      .create({
        model: 'claude-cli',
        metadata: { channel: 'ada' },
        user: 'somebody-else',
        messages: [told, reply, said('what do you remember')],
      })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('I remember:\n- the signal is green');
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    expect(response.headers.get('turnout-channel')).toBe('ada');
    expect((await client.messages('ada')).map(({ text }) => text)).toEqual([
      told.content,
      reply.content,
      'what do you remember',
      'I remember:\n- the signal is green',
    ]);
    // A command of the chat is one here, too.
    const status = await openai.responses.create({ input: '/status', user: 'ada' });
    expect(status.output_text).toContain('backend: claude');
  });

  it('begins with the request’s own history, its instructions, and the model that it asks for (16.3)', async () => {
    const { data, response } = await openai.chat.completions
      .create({
        model: 'claude/demo-model-2',
        reasoning_effort: 'high',
        messages: [
          { role: 'system', content: 'You are a signalman.' },
          said('Which signal is it?'),
          { role: 'assistant', content: 'The green one.' },
          { role: 'developer', content: 'Be brief.' },
          said('Say it again.'),
        ],
      })
      .withResponse();
    const channel = response.headers.get('turnout-channel') ?? '';
    const eventId = data.id.replace('chatcmpl-', '');
    expect((await client.messages(channel)).map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Which signal is it?'],
      ['assistant', 'The green one.'],
      ['user', 'Say it again.'],
      ['assistant', data.choices[0]?.message.content],
    ]);
    const [turn] = (await client.gateway.reports.turns(eventId)) ?? [];
    expect(turn?.setup).toMatchObject({ model: 'demo-model-2', prompt: { seededMessages: 2 } });
    expect(await client.gateway.status(channel)).toMatchObject({ model: 'demo-model-2', thinking: 'high' });
    expect(await client.gateway.event(eventId)).toMatchObject({
      text: 'Say it again.',
      instructions: 'You are a signalman.\n\nBe brief.',
    });

    const asked = await openai.responses.create({
      model: 'claude',
      metadata: { channel },
      instructions: 'You are a guard.',
      input: 'what is your system prompt',
    });
    expect(asked.output_text).toContain('You are a guard.');
    expect(asked.output_text).not.toContain('signalman');
    expect(asked.instructions).toBe('You are a guard.');
    expect((await client.gateway.status(channel)).model).toBeUndefined();
  });

  it('gives each request a turn of its own with its own model, also in a channel that collects (16.3)', async () => {
    stage.configure('channels/busy/channel.md', '---\nqueue: collect\n---\n');
    const ask = (model: string, input: string) =>
      openai.responses.create({ model: `claude/${model}`, user: 'busy', input });
    const hanging = failureOf(ask('m0', 'hang'));
    await eventually(async () => (await client.gateway.status('busy')).running !== undefined);
    const models = ['m1', 'm2'];
    const answers = Promise.all(models.map((model) => ask(model, `say exactly: ${model}`)));
    await eventually(async () => (await client.gateway.status('busy')).waitingCount === models.length);
    expect((await client.gateway.status('busy')).model).toBe('m0');
    await client.interrupt('busy');
    await hanging;
    const turns = await Promise.all(
      (await answers).map(async ({ id, output_text: text }) => {
        const [turn] = (await client.gateway.reports.turns(id.replace('resp_', ''))) ?? [];
        return [text, turn?.setup?.model, turn?.eventIds.length];
      }),
    );
    expect(turns).toEqual(models.map((model) => [model, model, 1]));
    const last = (await client.messages('busy')).at(-1)?.text;
    expect((await client.gateway.status('busy')).model).toBe(last);
  });
});

describe.concurrent('a stream through the OpenAI client', () => {
  it('of a chat completion comes in pieces, with its usage at the end (16.3)', async () => {
    const stream = await openai.chat.completions.create({
      model: 'claude',
      messages: ask('count to 12 slowly'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const texts = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').filter((text) => text !== '');
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join('')).toMatch(/^1.*12/s);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    const eventId = chunks[0]?.id.replace('chatcmpl-', '') ?? '';
    expect((await client.event(eventId)).responseText).toBe(texts.join(''));
  });

  it('of a response has every event, in order and counted (16.3)', async () => {
    const stream = openai.responses.stream({ model: 'claude', input: 'count to 12' });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
    expect([...new Set(events.map(({ type }) => type))]).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const final = await stream.finalResponse();
    expect(final).toMatchObject({ status: 'completed', usage: { output_tokens: expect.any(Number) } });
    expect(final.output_text).toMatch(/^1.*12/s);
    const deltas = events.flatMap((event) =>
      event.type === 'response.output_text.delta' ? [event.delta] : [],
    );
    expect(deltas.join('')).toBe(final.output_text);
  });

  it('ends with the error of a turn that fails (16.3)', async () => {
    const chat = await openai.chat.completions.create({
      model: 'claude',
      messages: [{ role: 'user', content: 'fail with 400' }],
      stream: true,
    });
    const failure = await failureOf(drain(chat));
    expect(failure.message).toContain('400');
    expect(failure).toMatchObject({ type: 'invalid_request_error', code: 'bad_request' });

    const stream = await openai.responses.create({ model: 'claude', input: 'fail with 400', stream: true });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'error',
      'response.failed',
    ]);
    expect(events.at(-2)).toMatchObject({ code: 'bad_request', message: expect.stringContaining('400') });
    expect(events.at(-1)).toMatchObject({ response: { status: 'failed', error: { code: 'server_error' } } });
  });

  it('has nothing but OpenAI’s own lines on the wire (16.3)', async () => {
    const { host, port } = client.gateway.address;
    const response = await fetch(`http://${host}:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer a-token-for-the-tests', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'claude',
        messages: [{ role: 'user', content: 'say exactly: hi' }],
        stream: true,
      }),
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const lines = (await response.text()).trimEnd().split('\n\n');
    expect(lines.at(-1)).toBe('data: [DONE]');
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/^data: {"id":"chatcmpl-evt_[^\n]*}$/);
  });
});

describe.concurrent('what goes wrong, as the OpenAI client tells it', () => {
  it('lists the models, and names them to whoever asks for another (16.3)', async () => {
    const models = [];
    for await (const model of openai.models.list()) models.push(model);
    expect(models.map(({ id }) => id).slice(0, 2)).toEqual(['default', 'claude']);
    expect(models[1]).toMatchObject({ object: 'model', owned_by: 'claude', created: expect.any(Number) });
    expect(await openai.models.retrieve('claude/any-model')).toMatchObject({ id: 'claude/any-model' });
    expect(await failureOf(openai.models.retrieve('gpt-4o'))).toMatchObject({ status: 404 });

    const unknown = await failureOf(openai.chat.completions.create({ model: 'gpt-4o', messages: ask('hi') }));
    expect(unknown).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    expect(unknown.message).toMatch(/no model "gpt-4o".*default, claude/);

    const { data, response } = await openai.chat.completions
      .create({
        model: 'claude-sonnet-x',
        user: 'Ada Lovelace',
        reasoning_effort: 'minimal',
        messages: ask('hi'),
      })
      .withResponse();
    expect(data.model).toBe('claude-sonnet-x');
    const channel = response.headers.get('turnout-channel') ?? '';
    expect(channel).toMatch(/^user:Ada-Lovelace-/);
    expect(await client.gateway.status(channel)).toMatchObject({ model: 'claude-sonnet-x', thinking: 'low' });
    await openai.responses.create({ metadata: { channel }, input: 'hi again' });
    expect(await client.messages(channel)).toHaveLength(4);
  });

  it('tells of a wrong token, a wrong field and a wrong method in OpenAI’s shape (16.3)', async () => {
    const denied = await failureOf(openAiClient(client, { apiKey: 'wrong' }).models.list());
    expect(denied).toMatchObject({ status: 401, type: 'authentication_error', code: 'unauthorized' });
    expect(denied.message).toContain('The token is wrong');

    const openai = openAiClient(client);
    const refused = await failureOf(
      openai.chat.completions.create({ model: 'claude', messages: ask('hi'), n: 2 }),
    );
    expect(refused).toMatchObject({ status: 400, param: 'n', type: 'invalid_request_error' });
    const effort = await failureOf(
      openai.responses.create({ model: 'claude', input: 'hi', reasoning: { effort: 'endless' as 'high' } }),
    );
    expect(effort).toMatchObject({ status: 400, param: 'reasoning.effort' });
    expect(effort.message).toMatch(/claude has no depth of thinking "endless": it has .*low/);
    expect(await failureOf(openai.get('/chat/completions'))).toMatchObject({ status: 405 });
    expect(await failureOf(openai.post('/responses', { body: [] }))).toMatchObject({ status: 400 });
    expect(await client.gateway.messages('x', { limit: 1 })).toEqual([]);
  });

  it('tells why a turn failed, once: the client does not try it again by itself (16.3)', async () => {
    const auth = await failureOf(
      openai.responses.create({ model: 'claude', user: 'failing', input: 'fail with 401' }),
    );
    expect(auth).toMatchObject({ status: 502, code: 'auth', type: 'server_error' });
    const prompts = (await client.messages('failing')).filter(({ role }) => role === 'user');
    expect(prompts).toHaveLength(1);
  });

  it('stops the turn of a client that has gone, and drops what waits for it (16.3)', async () => {
    const leaving = new AbortController();
    const hanging = openai.chat.completions.create(
      { model: 'claude', user: 'leaving', messages: ask('hang') },
      { signal: leaving.signal },
    );
    await eventually(async () => (await client.gateway.status('leaving')).running !== undefined);
    const stream = await openai.responses.create({
      model: 'claude',
      user: 'leaving',
      input: 'hello',
      stream: true,
    });
    stream.controller.abort();
    await eventually(async () => (await client.gateway.status('leaving')).waitingCount === 0);
    expect((await client.gateway.status('leaving')).running).toBeDefined();

    leaving.abort();
    await expect(hanging).rejects.toThrow('aborted');
    await eventually(async () => (await client.gateway.status('leaving')).running === undefined);
    expect((await client.messages('leaving')).map(({ text }) => text)).toEqual([
      'hang',
      'hello',
      expect.stringContaining('Stopped by its client, which has gone'),
    ]);
  });

  it('runs a request with an Idempotency-Key once, whoever waits for it (16.3)', async () => {
    const headers = { 'Idempotency-Key': 'k1' };
    const body = { model: 'claude', user: 'keyed', input: 'wait 3 seconds' };
    const leaving = new AbortController();
    const first = openai.responses.create(body, { headers, signal: leaving.signal });
    await eventually(async () => (await client.gateway.status('keyed')).running !== undefined);
    leaving.abort();
    await expect(first).rejects.toThrow('aborted');
    const [again, twice] = await Promise.all([1, 2].map(() => openai.responses.create(body, { headers })));
    expect(again).toEqual(twice);
    expect(again?.status).toBe('completed');
    expect(await client.messages('keyed')).toHaveLength(2);
  });
});

describe('a client that has gone', () => {
  it.each([undefined, 'k2'])(
    'is no failure of the gateway, with the Idempotency-Key %s (16.3)',
    async (key) => {
      const before = stage.log.length;
      const leaving = new AbortController();
      const request = openai.responses.create(
        { model: 'claude', user: `gone-${key}`, input: 'wait 1 second' },
        { signal: leaving.signal, ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }) },
      );
      await eventually(async () => (await client.gateway.status(`gone-${key}`)).running !== undefined);
      leaving.abort();
      await expect(request).rejects.toThrow('aborted');
      await eventually(async () => stage.log.slice(before).some(({ status }) => status === 499));
      expect(stage.log.slice(before).filter(({ message }) => message === 'http request failed')).toEqual([]);
    },
  );
});

describe('a gateway that stops', () => {
  it('answers a request that waits: the message is kept (16.3)', async () => {
    const stopping = await setUpGateway().start();
    const request = { model: 'claude', user: 'a', input: 'hang' };
    const waiting = failureOf(openAiClient(stopping).responses.create(request));
    await eventually(async () => (await stopping.gateway.status('a')).running !== undefined);
    await stopping.stop();
    expect(await waiting).toMatchObject({ status: 503, code: 'unavailable' });
    expect((await waiting).message).toMatch(/is kept.*GET \/v1\/responses\/resp_evt_/);
  });
});

function said(content: string) {
  return { role: 'user', content } as const;
}

function ask(content: string) {
  return [said(content)];
}

/** The official client, as a user would set it up. */
function openAiClient(client: Client, options: ClientOptions = {}): OpenAI {
  const { host, port } = client.gateway.address;
  return new OpenAI({ baseURL: `http://${host}:${port}/v1`, apiKey: 'a-token-for-the-tests', ...options });
}

/** The error that a request ends with. */
async function failureOf(request: PromiseLike<unknown>): Promise<APIError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}
