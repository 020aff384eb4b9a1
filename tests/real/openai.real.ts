import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { installedCli } from './installed-cli.js';
import { isLeftOut } from './is-left-out.js';
import { LabGateway, secrets } from './lab-gateway.js';

// The official OpenAI client, with all four CLIs behind one gateway.

const otherModels: Readonly<Record<VendorName, string>> = {
  claude: 'claude-haiku-4-5',
  codex: 'gpt-5.1-codex',
  gemini: 'gemini-2.5-pro',
  opencode: 'lab/other-model',
};

const patience = { timeout: 60_000, interval: 50 };

describe.each(['one-shot', 'live'] as const)('the OpenAI client, %s', (mode) => {
  const backends = vendorNames.filter((backend) => !isLeftOut(backend, mode));
  let model: ScriptedModel;
  let gateway: LabGateway;
  let openai: OpenAI;

  beforeAll(async () => {
    model = await startScriptedModel();
    gateway = await LabGateway.make(model.url, {
      AGENT_BACKEND: 'claude',
      BACKEND_CLI_PATH: installedCli('claude'),
      BACKEND_MODEL: 'claude-sonnet-4-5',
      BACKEND_LIVE: mode === 'live' ? '1' : '0',
    });
    await gateway.start();
    openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secrets.HTTP_TOKEN });
  }, 120_000);

  afterAll(async () => {
    await gateway.remove();
    await model.close();
    expect(gateway.processes()).toEqual([]);
  }, 60_000);

  it('lists the four CLIs as models (16.3)', async () => {
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['default', ...vendorNames]));
  });

  it.each(backends)('holds a conversation with %s, in one piece and as it comes (16.3)', async (backend) => {
    model.use(['The first answer.']);
    model.forget();
    const first = await openai.responses.create({
      model: `${backend}/${otherModels[backend]}`,
      instructions: 'INSTRUCTIONS-OF-THE-TEST',
      input: [
        { role: 'user', content: 'EARLIER-QUESTION' },
        { role: 'assistant', content: 'EARLIER-ANSWER' },
        { role: 'user', content: 'the first question' },
      ],
    });
    expect(first, gateway.log).toMatchObject({ status: 'completed', output_text: 'The first answer.' });
    expect(first.usage?.total_tokens).toBeGreaterThan(0);
    const request = model.turns.at(-1);
    for (const said of [
      'INSTRUCTIONS-OF-THE-TEST',
      'EARLIER-QUESTION',
      'EARLIER-ANSWER',
      'the first question',
    ])
      expect(request?.rawBody).toContain(said);
    if (backend !== 'opencode') expect(request?.model).toBe(otherModels[backend]);

    model.use([
      { steps: [{ text: ['Let me ', 'look.'] }, { shell: 'echo done' }] },
      { steps: [{ text: ['The second ', 'answer.'] }] },
    ]);
    const stream = openai.responses.stream({
      model: `${backend}/${otherModels[backend]}`,
      input: 'the second question',
      previous_response_id: first.id,
    });
    const deltas: string[] = [];
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta));
    const second = await stream.finalResponse();
    const told = 'Let me look.\n\nThe second answer.';
    expect(second, gateway.log).toMatchObject({ status: 'completed', output_text: told });
    expect(deltas.join('')).toBe(told);
    // By its session: nothing is told again.
    expect(model.turns.at(-1)?.rawBody.split('EARLIER-QUESTION')).toHaveLength(2);
    expect(model.turns.at(-1)?.rawBody).toContain('The first answer.');

    model.use([{ steps: [{ shell: 'echo done' }] }, 'After the tool.']);
    const chat = await openai.chat.completions.create({
      model: `${backend}/${otherModels[backend]}`,
      metadata: { channel: first.metadata?.['channel'] ?? '' },
      messages: [{ role: 'user', content: 'use the tool' }],
    });
    expect(chat.choices[0], gateway.log).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'After the tool.' },
    });
  });

  it.each(backends)('stops the turn of %s when the client goes (16.3)', async (backend) => {
    model.use([{ steps: [{ text: ['once ', 'upon '] }, { hang: true }] }]);
    model.forget();
    const leaving = new AbortController();
    const request = openai.chat.completions.create(
      { model: backend, user: `leaving-${backend}`, messages: [{ role: 'user', content: 'tell a story' }] },
      { signal: leaving.signal },
    );
    request.catch(() => undefined);
    await expect.poll(() => model.turns.at(-1)?.outcome, patience).toBe('hanging');
    leaving.abort();
    await expect(request).rejects.toThrow('aborted');
    await expect
      .poll(async () => (await gateway.messages(`leaving-${backend}`)).at(-1)?.text, patience)
      .toContain('Stopped by its client, which has gone');
  });

  it('tells of a key that the vendor refuses (16.3)', async () => {
    model.use([{ status: 401, message: 'bad key' }]);
    const failure = await openai.responses
      .create({ model: 'claude', user: 'key', input: 'hi' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 502, code: 'auth' });
    expect((await gateway.messages('key')).filter(({ role }) => role === 'user')).toHaveLength(1);
  });
});
