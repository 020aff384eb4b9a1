import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { claudeLive } from '../../src/backends/claude/live/protocol.js';
import { codexLive } from '../../src/backends/codex/live/protocol.js';
import { geminiLive } from '../../src/backends/gemini/live/protocol.js';
import { openCodeLive } from '../../src/backends/opencode/live/protocol.js';
import type { VendorName } from '../../src/backends/registry.js';
import type { ChatEvent } from '../../src/core/chat-event.js';
import { makeHome } from '../../src/lab/home.js';
import type { Reply } from '../../src/lab/model/script.js';
import { startScriptedModel } from '../../src/lab/model/server.js';
import type { BackendSession } from '../../src/sessions/types.js';
import { setUpGateway } from '../gateway/stage.js';
import { installedCli } from './installed-cli.js';
import { LabGateway } from './lab-gateway.js';
import { type Lab, setUpLab } from './set-up-lab.js';

// Something is said into a running turn: the model hears it in the same turn, and the turn has one end.

const protocols = { claude: claudeLive, codex: codexLive, gemini: geminiLive, opencode: openCodeLive };
const slowTool: Reply = { steps: [{ shell: 'sleep 2; echo done' }] };
const slowAnswer: Reply = { steps: [{ text: ['one ', 'two ', 'three ', 'four'], delayMs: 300 }] };

describe.each(['claude', 'codex', 'opencode'] as const)('%s', (backend) => {
  const lab = setUp(backend);

  it('says that it can', () => {
    expect(protocols[backend].capabilities.steer).toBe(true);
  });

  it('during a tool: the model’s next request has it, and the turn ends once', async () => {
    const { model, session } = lab;
    model.use([slowTool, 'After both.', 'never asked for']);
    const { events, taken } = await steered(
      session,
      'use the tool',
      'STEER-TOOL',
      ({ type }) => type === 'tool_start',
    );
    expect(taken).toEqual([true]);
    expect(model.turns).toHaveLength(2);
    expect(model.turns[0]?.rawBody).not.toContain('STEER-TOOL');
    expect(model.turns[1]?.rawBody).toContain('STEER-TOOL');
    expect(endings(events)).toMatchObject([{ type: 'complete', text: 'After both.' }]);
    await goesOn(lab, 'STEER-TOOL');
  });

  it('during an answer: it is answered in the same turn', async () => {
    const { model, session } = lab;
    model.use([slowAnswer, 'And that too.', 'never asked for']);
    const { events, taken } = await steered(session, 'count', 'STEER-TEXT', ({ type }) => type === 'text');
    expect(taken).toEqual([true]);
    expect(model.turns).toHaveLength(2);
    expect(model.turns[1]?.rawBody).toContain('STEER-TEXT');
    // Codex drops the answer that is being written; with the others it stays said.
    const text = backend === 'codex' ? 'And that too.' : 'one two three four\n\nAnd that too.';
    expect(endings(events)).toMatchObject([{ type: 'complete', text }]);
    const said = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
    expect(said.endsWith(text)).toBe(true);
    const usage = events.findLast(({ type }) => type === 'usage');
    expect(usage).toMatchObject({ outputTokens: backend === 'codex' ? expect.any(Number) : 14 });
    await goesOn(lab, 'STEER-TEXT');
  });

  it('twice: both are heard', async () => {
    const { model, session } = lab;
    model.use([slowTool, 'After all.', 'After all.', 'After all.']);
    const { events, taken } = await steered(
      session,
      'use the tool',
      ['STEER-ONE', 'STEER-TWO'],
      ({ type }) => type === 'tool_start',
    );
    expect(taken).toEqual([true, true]);
    expect(endings(events)).toMatchObject([{ type: 'complete' }]);
    for (const said of ['STEER-ONE', 'STEER-TWO']) expect(model.turns.at(-1)?.rawBody).toContain(said);
    await goesOn(lab, 'STEER-TWO');
  });

  it('then interrupted: the turn ends as interrupted, and nothing of it goes on', async () => {
    const { model, session } = lab;
    model.use([
      { steps: [{ text: ['one ', 'two ', 'three '], delayMs: 500 }, { hang: true }] },
      { steps: [{ hang: true }] },
    ]);
    const events: ChatEvent[] = [];
    for await (const event of session.send('count')) {
      events.push(event);
      if (event.type !== 'text' || events.filter(({ type }) => type === 'text').length !== 1) continue;
      expect(await session.steer('STEER-STOPPED')).toBe(true);
      await session.interrupt();
      expect(await session.steer('TOO LATE')).toBe(false);
    }
    expect(endings(events)).toMatchObject([{ type: 'error', code: 'interrupted' }]);
    model.use(['on again']);
    model.forget();
    expect(endings(await all(session, 'next'))).toMatchObject([{ type: 'complete', text: 'on again' }]);
    expect(model.turns).toHaveLength(1);
    expect(model.turns[0]?.rawBody).not.toContain('TOO LATE');
  });

  it('at the very end, over and over: what is taken is answered in the turn, what is not is not said', async () => {
    const { model, session } = lab;
    const seen = { taken: 0, refused: 0 };
    for (let round = 0; round < 30; round += 1) {
      const mark = `RACE-${round}-`;
      model.forget();
      model.use(['first', 'second', 'third']);
      const events: ChatEvent[] = [];
      let steering: Promise<boolean> | undefined;
      for await (const event of session.send(`go ${round}`)) {
        events.push(event);
        if (event.type !== 'text' || steering !== undefined) continue;
        const late = round % 10;
        steering = new Promise((resolve) => setTimeout(resolve, late * 3)).then(() => session.steer(mark));
      }
      const taken = await steering;
      seen[taken ? 'taken' : 'refused'] += 1;
      const asked = model.turns.filter(({ rawBody }) => rawBody.includes(mark)).length;
      expect([round, taken, asked]).toEqual([round, taken, taken ? 1 : 0]);
      expect(endings(events), mark).toMatchObject(
        [{ type: 'complete', text: taken ? /second$/ : 'first' }].map(matching),
      );
    }
    // How often each comes is the machine's business.
    expect(seen.taken + seen.refused).toBe(30);
    await goesOn(lab);
  });

  it('without a turn: not taken', async () => {
    const { model, session } = lab;
    model.forget();
    expect(await session.steer('STEER-NOBODY')).toBe(false);
    await goesOn(lab, undefined, 'STEER-NOBODY');
  });
});

describe('gemini', () => {
  const lab = setUp('gemini');

  it('can’t: a second prompt would cancel the running one', async () => {
    const { model, session } = lab;
    expect(protocols.gemini.capabilities.steer).toBeUndefined();
    model.use([slowTool, 'After the tool.']);
    const { events, taken } = await steered(
      session,
      'use the tool',
      'STEER',
      ({ type }) => type === 'tool_start',
    );
    expect(taken).toEqual([false]);
    expect(endings(events)).toMatchObject([{ type: 'complete', text: 'After the tool.' }]);
    expect(model.turns.some(({ rawBody }) => rawBody.includes('STEER'))).toBe(false);
  });
});

describe('through the gateway, with the queue mode `steer`', () => {
  it.each(['claude', 'codex', 'opencode'] as const)('%s: one turn answers both messages', async (backend) => {
    const model = await startScriptedModel({ script: [slowTool, 'For both of you.'] });
    const home = await makeHome(backend, model.url);
    try {
      const stage = setUpGateway({
        ...home.env,
        AGENT_BACKEND: backend,
        BACKEND_CLI_PATH: installedCli(backend),
        ...(home.model === undefined ? {} : { BACKEND_MODEL: home.model }),
        BACKEND_LIVE: '1',
        QUEUE_MODE: 'steer',
        WORKING_DIR: home.workingDir,
      });
      const client = await stage.start();
      const first = await client.post('a', 'the first message');
      await vi.waitFor(() => expect(stage.points).toContain('tool_started'), { timeout: 60_000 });
      const second = await client.post('a', 'the second message');
      for (const id of [first, second]) {
        expect(await client.ended(id)).toMatchObject({
          state: 'answered',
          responseText: 'For both of you.',
          attempts: 1,
        });
      }
      expect(model.turns).toHaveLength(2);
      expect(model.turns[1]?.rawBody).toContain('the second message');
      const messages = await client.messages('a');
      expect(messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
      await client.stop();
    } finally {
      await model.close();
      await home.remove();
    }
  });

  it('and killed: after the next start one turn answers both', async () => {
    const model = await startScriptedModel({ script: [{ steps: [{ text: 'half' }, { hang: true }] }] });
    const gateway = await LabGateway.make(model.url, {
      AGENT_BACKEND: 'codex',
      BACKEND_CLI_PATH: installedCli('codex'),
      BACKEND_LIVE: '1',
      QUEUE_MODE: 'steer',
    });
    try {
      await gateway.start();
      const first = await gateway.post('a', 'the first message');
      await model.turn(1);
      // The gateway hears of the turn's beginning a moment later than the model.
      await sleep(500);
      const second = await gateway.post('a', 'the second message');
      expect((await model.turn(2)).rawBody).toContain('the second message');
      await gateway.kill();
      model.use(['For both of you.']);
      model.forget();
      await gateway.start();
      for (const id of [first, second]) {
        const answer = { state: 'answered', responseText: 'For both of you.', attempts: 1 };
        expect(await gateway.ended(id), gateway.log).toMatchObject(answer);
      }
      expect(model.turns).toHaveLength(1);
      expect(model.turns[0]?.prompt).toBe('the first message\n\nthe second message');
      const roles = (await gateway.messages('a')).map(({ role }) => role);
      expect(roles).toEqual(['user', 'user', 'assistant']);
    } finally {
      await gateway.remove();
      await model.close();
    }
  });
});

interface SteeredLab extends Lab {
  readonly session: BackendSession;
}

function setUp(backend: VendorName): SteeredLab {
  const lab = setUpLab(backend) as SteeredLab;
  beforeAll(async () => {
    const session = await lab.sessions.open({ backend, config: lab.config, permissionMode: 'bypass' });
    Object.assign(lab, { session });
  }, 120_000);
  return lab;
}

/** A turn, and what is said into it at the first event of a kind. */
async function steered(
  session: BackendSession,
  prompt: string,
  said: string | readonly string[],
  when: (event: ChatEvent) => boolean,
): Promise<{ readonly events: readonly ChatEvent[]; readonly taken: readonly (boolean | undefined)[] }> {
  const events: ChatEvent[] = [];
  let steering: Promise<(boolean | undefined)[]> | undefined;
  for await (const event of session.send(prompt)) {
    events.push(event);
    if (steering !== undefined || !when(event)) continue;
    steering = Promise.all([said].flat().map(async (text) => session.steer(text)));
  }
  return { events, taken: (await steering) ?? [] };
}

async function all(session: BackendSession, prompt: string): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of session.send(prompt)) events.push(event);
  return events;
}

/** The next turn is its own: nothing of the one before leaks into it, and the model still knows what was said. */
async function goesOn({ model, session }: SteeredLab, known?: string, unknown?: string): Promise<void> {
  expect(await session.steer('after the end')).toBe(false);
  model.use(['The next answer.']);
  model.forget();
  const events = await all(session, 'and now?');
  expect(endings(events)).toMatchObject([{ type: 'complete', text: 'The next answer.' }]);
  expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')).toBe(
    'The next answer.',
  );
  expect(model.turns).toHaveLength(1);
  const sent = model.turns[0]?.rawBody ?? '';
  expect(sent).not.toContain('after the end');
  if (known !== undefined) expect(sent).toContain(known);
  if (unknown !== undefined) expect(sent).not.toContain(unknown);
  model.forget();
}

function endings(events: readonly ChatEvent[]): readonly ChatEvent[] {
  return events.filter(({ type }) => type === 'complete' || type === 'error');
}

function matching({ type, text }: { type: string; text: string | RegExp }): object {
  return { type, text: typeof text === 'string' ? text : expect.stringMatching(text) };
}
