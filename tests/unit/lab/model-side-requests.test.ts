import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../../src/lab/model/server.js';
import { ask, hear } from './model-client.js';

let model: ScriptedModel;

beforeAll(async () => {
  model = await startScriptedModel({ script: ['the script'] });
});
beforeEach(() => model.forget());
afterAll(() => model.close());

function post(path: string, body: object): Promise<Response> {
  return fetch(model.url + path, { method: 'POST', body: JSON.stringify(body) });
}

it.each([
  ['HEAD', '/', 200, 'probe'],
  ['GET', '/v1/models?client_version=1', 200, 'models'],
  ['GET', '/v1/responses', 426, 'websocket'],
  ['GET', '/favicon.ico', 404, 'unknown'],
])('%s %s is no turn', async (method, path, status, side) => {
  expect((await fetch(model.url + path, { method })).status).toBe(status);
  expect(model.requests).toMatchObject([{ method, path, side }]);
  expect(model.turns).toEqual([]);
});

it('counts tokens for Claude Code and Gemini', async () => {
  const claude = await post('/v1/messages/count_tokens?beta=true', { messages: [] });
  expect(await claude.json()).toEqual({ input_tokens: 60 });
  const gemini = await post('/v1beta/models/m:countTokens', { contents: [] });
  expect(await gemini.json()).toEqual({ totalTokens: 60 });
  expect(model.requests.map((request) => request.side)).toEqual(['count_tokens', 'count_tokens']);
});

it("gives Gemini's router JSON of the shape it asks for", async () => {
  const response = await post('/v1beta/models/gemini-3.5-flash-lite:generateContent', {
    contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
    generationConfig: {
      responseMimeType: 'application/json',
      responseJsonSchema: {
        type: 'OBJECT',
        properties: { reason: { type: 'STRING' }, score: { type: 'INTEGER' }, kind: { enum: ['a', 'b'] } },
      },
    },
  });
  const body = (await response.json()) as { candidates: [{ content: { parts: [{ text: string }] } }] };
  expect(JSON.parse(body.candidates[0].content.parts[0].text)).toEqual({
    reason: 'scripted',
    score: 1,
    kind: 'a',
  });
  expect(model.requests[0]?.side).toBe('json');
});

it("names OpenCode's conversation without the script", async () => {
  const system = 'You are a title generator. You output ONLY a thread title.';
  expect((await hear(await ask(model.url, 'openai-chat', 'hello', { system }))).text).toBe('Scripted title');
  expect((await hear(await ask(model.url, 'anthropic', 'hello', { system }))).text).toBe('Scripted title');
  expect(model.requests.map((request) => request.side)).toEqual(['title', 'title']);
});

it('takes a prompt about titles for a turn', async () => {
  const heard = await hear(await ask(model.url, 'openai-chat', 'You are a title generator', { system: 'x' }));
  expect(heard.text).toBe('the script');
  expect(model.turns).toHaveLength(1);
});

it('takes every request that offers tools for a turn', async () => {
  const options = { system: 'You are a title generator', tools: ['Read'] };
  expect((await hear(await ask(model.url, 'openai-chat', 'hello', options))).text).toBe('the script');
  expect(model.turns).toHaveLength(1);
});

it('lets a test answer side requests itself', async () => {
  const own = await startScriptedModel({
    side: (request) => (request.side === 'title' ? { status: 500, message: 'no titles' } : undefined),
  });
  const response = await ask(own.url, 'openai-chat', 'x', { system: 'You are a title generator' });
  expect(response.status).toBe(500);
  await own.close();
});

it('gives the terminal UIs of Gemini and Codex a title', async () => {
  const summary = "Summarize the user's primary intent or goal in this conversation in ONE sentence.";
  await post('/v1beta/models/m:generateContent', {
    contents: [{ role: 'user', parts: [{ text: summary }] }],
  });
  const title = 'Generate a concise, single-line task title of at most 36 characters.';
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: title }] }];
  await post('/v1/responses', { model: 'm', input, tools: [{ type: 'function', name: 'x' }] });
  expect(model.requests.map((request) => request.side)).toEqual(['title', 'title']);
  expect(model.turns).toEqual([]);
});
