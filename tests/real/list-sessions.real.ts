import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import { createLog } from '../../src/config/log.js';
import { loadConfig } from '../../src/gateway/config.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { type ChatEvent, createBackend } from '../../src/index.js';
import { setUpLab } from './set-up-lab.js';

describe.each(vendorNames)('the sessions of %s in a directory (16.4)', (backend) => {
  const lab = setUpLab(backend);

  it('are listed with their first words, live ones too, and one of them goes on', async () => {
    lab.model.use(['an answer']);
    const adapter = createBackend(backend, lab.config);
    const cwd = lab.home.workingDir;
    const list = async () => (await adapter.listSessions?.(cwd, 50)) ?? [];
    expect(await list()).toEqual([]);

    const systemPrompt = 'Be brief.';
    const first = idIn(await collect(adapter.run({ prompt: 'the first\nquestion', systemPrompt })));
    const session = await lab.sessions.open({ backend, config: lab.config, systemPrompt });
    const second = idIn(await collect(session.send('begun live')));
    await session.close();
    const titles = (await list()).map(({ sessionId, title }) => [sessionId, title]);
    expect(titles).toEqual([
      [second, 'begun live'],
      [first, 'the first question'],
    ]);

    expect(idIn(await collect(adapter.run({ prompt: 'and then', sessionId: first })))).toBe(first);
    expect(lab.model.turns.at(-1)?.rawBody).toContain('the first');
    const exchange = { prompt: 'and then', answer: 'an answer' };
    expect(await adapter.lastExchange?.(first ?? '', cwd)).toEqual(exchange);
    expect(await adapter.lastExchange?.(second ?? '', cwd)).toEqual({ ...exchange, prompt: 'begun live' });
    const [newest, ...others] = await list();
    expect(newest).toMatchObject({ sessionId: first, title: 'the first question' });
    expect(Math.abs((newest?.updatedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(others.map(({ sessionId }) => sessionId)).toEqual([second]);
    expect(await adapter.listSessions?.(lab.home.directory, 50)).toEqual([]);
  }, 120_000);

  it('a channel of the gateway goes on with one, and the agent remembers', async () => {
    lab.model.use(['an answer']);
    const adapter = createBackend(backend, lab.config);
    const sessionId = idIn(await collect(adapter.run({ prompt: 'remember the word heron' })));
    const env = {
      ...lab.place.env,
      ...{ TURNOUT_HOME: join(lab.home.directory, 'turnout'), WORKING_DIR: lab.home.workingDir },
      ...{ HTTP_PORT: '0', BACKEND_LIVE: '1', SHUTDOWN_GRACE_MS: '0' },
    };
    const gateway = await Gateway.start({
      config: loadConfig(env),
      env,
      log: createLog('error', () => undefined),
    });
    try {
      const { sessions, problems } = await gateway.vendorSessions.list('c');
      expect(problems).toEqual([]);
      expect(sessions[0]).toMatchObject({ backend, sessionId, title: 'remember the word heron' });
      await gateway.vendorSessions.resume('c', backend, sessionId ?? '');
      for (const text of ['which word?', 'and once more?']) {
        const { event } = await gateway.receive({ channel: 'c', source: 'http', text });
        const ended = await gateway.waitForEnd(event.id, AbortSignal.timeout(60_000));
        expect(ended).toMatchObject({ state: 'answered', responseText: 'an answer' });
        expect(lab.model.turns.at(-1)?.rawBody).toContain('remember the word heron');
      }
    } finally {
      await gateway.stop('the end of the test');
    }
  }, 120_000);
});

function idIn(events: readonly ChatEvent[]): string | undefined {
  expect(events.at(-1)).toMatchObject({ type: 'complete' });
  return events.find((event) => event.type === 'session')?.sessionId;
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
