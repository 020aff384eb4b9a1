import { afterEach, describe, expect, it } from 'vitest';
import type { Script } from '../../../src/lab/model/script.js';
import { refusedUrl, type ScriptedModel, startScriptedModel } from '../../../src/lab/model/server.js';
import { apiNames, ask, hear, hearText } from './model-client.js';

const started: ScriptedModel[] = [];

async function model(script: Script): Promise<ScriptedModel> {
  const server = await startScriptedModel({ script });
  started.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

describe.each(apiNames)('%s', (api) => {
  it('streams text piece by piece', async () => {
    const { url } = await model([{ steps: [{ text: ['one ', 'two ', 'three'], delayMs: 1 }] }]);
    const heard = await hear(await ask(url, api, 'hello'));
    expect(heard.pieces).toEqual(['one ', 'two ', 'three']);
    expect(['end_turn', 'completed', 'stop', 'STOP']).toContain(heard.stop);
  });

  it('sends thinking apart from text', async () => {
    const { url } = await model([{ steps: [{ thinking: ['deep ', 'thought'] }, { text: 'said' }] }]);
    const heard = await hear(await ask(url, api, 'hello'));
    expect(heard).toMatchObject({ thinking: 'deep thought', text: 'said' });
  });

  it('calls a tool by its own name', async () => {
    const { url } = await model([{ steps: [{ text: 'see' }, { tool: 'anything', input: { a: [1, 'ü'] } }] }]);
    const heard = await hear(await ask(url, api, 'hello'));
    expect(heard.calls).toEqual([{ name: 'anything', input: { a: [1, 'ü'] } }]);
    expect(['tool_use', 'completed', 'tool_calls', 'STOP']).toContain(heard.stop);
  });

  it('reports the usage of the script', async () => {
    const { url } = await model([
      { steps: [{ text: 'x' }], usage: { inputTokens: 600, cachedInputTokens: 300, outputTokens: 70 } },
    ]);
    const { usage } = await hear(await ask(url, api, 'hello'));
    const numbers = Object.values(usage as object).filter((value) => typeof value === 'number');
    const expected = api === 'anthropic' ? [280, 300, 70] : api === 'gemini' ? [600, 300, 68] : [600, 70];
    expect(numbers).toEqual(expect.arrayContaining(expected));
  });

  it('answers in one piece when no stream is asked for', async () => {
    const { url } = await model([
      { steps: [{ thinking: 'hm' }, { text: ['who', 'le'] }, { tool: 't', input: { x: 1 } }] },
    ]);
    const response = await ask(url, api, 'hello', { stream: false });
    expect(response.headers.get('content-type')).toBe('application/json');
    const json = JSON.stringify(await response.json());
    for (const part of ['"whole"', 'hm', '"t"', 'x']) expect(json).toContain(part);
  });

  it.each([400, 401, 403, 404, 429, 500, 503, 529])('fails with %i, headers and body', async (status) => {
    const { url } = await model([{ status, message: 'no way', headers: { 'retry-after': '7' } }]);
    const response = await ask(url, api, 'hello');
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toMatchObject({ error: { message: 'no way' } });
  });

  it('fails inside a stream that began well', async () => {
    const { url } = await model([
      { steps: [{ text: 'so far' }, { fail: { status: 529, message: 'busy' } }] },
    ]);
    const heard = await hear(await ask(url, api, 'hello'));
    expect(heard).toMatchObject({ text: 'so far', error: { message: 'busy' } });
  });

  it('drops the connection before any byte', async () => {
    const server = await model([{ drop: true }]);
    const error = await ask(server.url, api, 'hello').catch((reason: Error) => reason);
    expect(error).toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(server.turns[0]?.outcome).toBe('dropped');
  });

  it.each([true, false])('cuts an answer in the middle (stream: %s)', async (stream) => {
    const server = await model([{ steps: [{ text: ['aa ', 'bb '] }, { cut: true }] }]);
    const response = await ask(server.url, api, 'hello', { stream });
    expect(response.status).toBe(200);
    const { text, cut } = await readUntilCut(response);
    expect(cut).toBe(true);
    if (stream) expect(hearText(text).pieces).toEqual(['aa ', 'bb ']);
    expect(server.turns[0]?.outcome).toBe('cut');
  });

  it('hangs after the headers, and notices that the client gave up', async () => {
    const server = await model([{ steps: [{ text: 'first' }, { hang: true }] }]);
    const abort = new AbortController();
    const response = await ask(server.url, api, 'hello', { signal: abort.signal });
    expect(response.status).toBe(200);
    await expect.poll(() => server.turns[0]?.outcome).toBe('hanging');
    abort.abort();
    await expect(response.text()).rejects.toThrow();
    await expect.poll(() => server.turns[0]?.outcome).toBe('abandoned');
  });

  it('stays silent without headers', async () => {
    const server = await model([{ silent: true }]);
    await expect(ask(server.url, api, 'hello', { signal: AbortSignal.timeout(100) })).rejects.toThrow();
    await expect.poll(() => server.turns[0]?.outcome).toBe('abandoned');
  });

  it('records what was asked, in one form', async () => {
    const server = await model(['fine']);
    await hear(
      await ask(server.url, api, 'say "hi"\n\u2028😀', { system: 'be brief', tools: ['Bash', 'Read'] }),
    );
    expect(server.turns).toHaveLength(1);
    expect(server.turns[0]).toMatchObject({
      api,
      method: 'POST',
      prompt: 'say "hi"\n\u2028😀',
      system: 'be brief',
      stream: true,
      side: undefined,
      outcome: 'answered',
      toolResults: [],
    });
    expect(server.turns[0]?.model).toMatch(/-test$/);
    expect(server.turns[0]?.tools.map((tool) => tool.name)).toEqual(['Bash', 'Read']);
    expect(server.turns[0]?.messages.map((message) => message.role)).toEqual(['system', 'user']);
    expect(server.turns[0]?.headers['content-type']).toBe('application/json');
  });

  it('serves ten turns at once, each by its own prompt', async () => {
    const { url } = await model((request) => ({
      steps: [{ text: ['to ', request.prompt], delayMs: 20 }],
    }));
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => (await hear(await ask(url, api, `p${index}`))).text),
    );
    expect(answers).toEqual(Array.from({ length: 10 }, (_, index) => `to p${index}`));
  });

  it('carries a prompt and an answer of more than 10 MB', async () => {
    const piece = '0123456789abcdé😀'.repeat(1000);
    const count = Math.ceil(11_000_000 / Buffer.byteLength(piece));
    const server = await model([{ steps: [{ text: Array.from({ length: count }, () => piece) }] }]);
    const heard = await hear(await ask(server.url, api, 'x'.repeat(11_000_000)));
    expect(heard.text === piece.repeat(count)).toBe(true);
    expect(server.turns[0]?.prompt.length).toBe(11_000_000);
  });
});

describe('a script', () => {
  it('is consumed in order, and its last reply is repeated', async () => {
    const { url } = await model(['one', 'two']);
    const said: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) said.push((await hear(await ask(url, 'anthropic', 'x'))).text);
    expect(said).toEqual(['one', 'two', 'two']);
  });

  it('can be replaced, and the requests forgotten', async () => {
    const server = await model(['one']);
    await hear(await ask(server.url, 'gemini', 'x'));
    server.forget();
    server.use(['new']);
    expect((await hear(await ask(server.url, 'gemini', 'y'))).text).toBe('new');
    expect(server.turns.map((turn) => turn.prompt)).toEqual(['y']);
  });

  it('that throws says so to the client', async () => {
    const { url } = await model(() => {
      throw new Error('oops');
    });
    const response = await ask(url, 'openai-responses', 'x');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: 'The script threw: oops' } });
  });

  it('says which tools were offered where the wanted one is missing', async () => {
    const { url } = await model([{ steps: [{ shell: 'ls' }] }]);
    const heard = await hear(await ask(url, 'anthropic', 'x', { tools: ['Read', 'Edit'] }));
    expect(heard.text).toBe('[no shell tool among those offered: Read, Edit]');
  });

  it('may wait between steps', async () => {
    const { url } = await model([{ steps: [{ text: 'a' }, { wait: 60 }, { text: 'b' }] }]);
    const before = performance.now();
    expect((await hear(await ask(url, 'openai-chat', 'x'))).text).toBe('ab');
    expect(performance.now() - before).toBeGreaterThan(50);
  });

  it('splits a large piece without breaking a character', async () => {
    const { url } = await model([{ steps: [{ text: `x${'😀'.repeat(20_000)}` }] }]);
    const { pieces } = await hear(await ask(url, 'anthropic', 'x'));
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(piece).not.toMatch(/\p{Surrogate}/u);
  });
});

describe('the server', () => {
  it('tells when a turn has come in', async () => {
    const server = await model([{ steps: [{ hang: true }] }]);
    const abort = new AbortController();
    const turn = server.turn(1);
    const asked = ask(server.url, 'openai-responses', 'now', { signal: abort.signal });
    expect((await turn).prompt).toBe('now');
    abort.abort();
    await expect(asked.then((response) => response.text())).rejects.toThrow();
    await expect(server.turn(2, { signal: AbortSignal.timeout(30) })).rejects.toThrow();
  });

  it('closes while answers are still under way', async () => {
    const server = await startScriptedModel({ script: [{ steps: [{ text: 'a' }, { wait: 60_000 }] }] });
    const response = await ask(server.url, 'anthropic', 'x');
    await server.close();
    await expect(response.text()).rejects.toThrow();
    await expect(ask(server.url, 'anthropic', 'x')).rejects.toThrow('fetch failed');
  });

  it('waits for a slow reader instead of filling its memory', async () => {
    const piece = 'x'.repeat(100_000);
    const server = await model([{ steps: [{ text: Array.from({ length: 1000 }, () => piece) }] }]);
    const response = await ask(server.url, 'openai-chat', 'x');
    const reader = response.body?.getReader();
    await reader?.read();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(server.turns[0]?.outcome).toBe('pending');
    await reader?.cancel();
    await expect.poll(() => server.turns[0]?.outcome).toBe('abandoned');
  });

  it('keeps only as many requests as it should', async () => {
    const server = await startScriptedModel({ remember: 2 });
    started.push(server);
    for (const prompt of ['a', 'b', 'c']) await hear(await ask(server.url, 'gemini', prompt));
    expect(server.requests.map((request) => request.prompt)).toEqual(['b', 'c']);
  });

  it('refuses connections for a while', async () => {
    const server = await model(['back']);
    const refused = await server.refuse(() =>
      ask(server.url, 'gemini', 'x').catch((reason: Error) => reason),
    );
    expect(refused).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    expect((await hear(await ask(server.url, 'gemini', 'x'))).text).toBe('back');
  });

  it('can name a port where nothing listens', async () => {
    const error = await ask(await refusedUrl(), 'anthropic', 'x').catch((reason: Error) => reason);
    expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });
});

async function readUntilCut(response: Response): Promise<{ text: string; cut: boolean }> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text, cut: false };
  } catch {
    return { text, cut: true };
  }
}
