import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import type { ChatEvent, PermissionDecision } from '../../src/core/chat-event.js';
import { Sessions } from '../../src/sessions/sessions.js';
import type { BackendSession, SessionOptions } from '../../src/sessions/types.js';
import { killProcesses, setUpLab } from './set-up-lab.js';

// One table of what a live session does. All four CLIs can do all of it.
describe.each(vendorNames)('a live session with %s (S1)', (backend) => {
  const lab = setUpLab(backend);

  const options = (): SessionOptions => ({ backend, config: lab.config });
  const open = (more: Partial<SessionOptions> = {}): Promise<BackendSession> =>
    lab.sessions.open({ ...options(), ...more });

  const scenario = (name: string, run: () => Promise<void>) => it(name, run, 90_000);

  scenario('answers three turns in one conversation, piece by piece, with thinking', async () => {
    const session = await open({ systemPrompt: 'MARK-SYSTEM' });
    for (const turn of [1, 2, 3]) {
      lab.model.use([
        { steps: [{ thinking: 'a thought' }, { text: ['piece one, ', 'piece two, ', `turn ${turn}`] }] },
      ]);
      lab.model.forget();
      const events = await collect(session.send(`question ${turn}`));
      expect(events.at(-1)).toMatchObject({ type: 'complete', text: `piece one, piece two, turn ${turn}` });
      expect(texts(events).length).toBeGreaterThan(1);
      expect(texts(events).join('')).toBe(`piece one, piece two, turn ${turn}`);
      expect(events.map((event) => (event.type === 'thinking' ? event.text : '')).join('')).toContain(
        'a thought',
      );
      // Gemini's ACP tells neither cached nor thinking tokens.
      const tokens =
        backend === 'gemini'
          ? { inputTokens: 60, outputTokens: 5 }
          : { inputTokens: 60, outputTokens: 7, cachedInputTokens: 30 };
      expect(events.findLast((event) => event.type === 'usage')).toMatchObject(tokens);
      const request = lab.model.turns.at(-1);
      expect(request?.prompt).toContain(`question ${turn}`);
      expect(request?.rawBody).toContain('MARK-SYSTEM');
      for (let before = 1; before < turn; before++) expect(request?.rawBody).toContain(`question ${before}`);
    }
    await session.close();
  });

  scenario('loses nothing when it is written to through several objects, live and one-shot', async () => {
    const first = await open();
    const said: string[] = [];
    const say = async (session: BackendSession) => {
      const prompt = `marked-${said.length}-`;
      lab.model.use(['ok']);
      expect((await collect(session.send(prompt))).at(-1)).toMatchObject({ type: 'complete', text: 'ok' });
      for (const before of said) expect(lab.model.turns.at(-1)?.rawBody, prompt).toContain(before);
      said.push(prompt);
    };
    await say(first);
    const { sessionId } = first;
    const second = await open({ sessionId });
    // Of another program part, which knows nothing of the first one.
    const elsewhere = new Sessions();
    const third = await elsewhere.open({ ...options(), sessionId });
    const oneShot = await open({ sessionId, live: false });
    for (const session of [first, second, first, third, oneShot, first, second]) await say(session);
    for (const session of [first, second, third, oneShot]) await session.close();
    await elsewhere.close();
  });

  scenario('runs a tool that is allowed', async () => {
    const session = await open({ permissionMode: 'ask' });
    const events = await toolTurn(session, 'allowed.txt', 'allow');
    expect(events.map(({ type }) => type)).toContain('permission_request');
    expect(events.find((event) => event.type === 'permission_resolved')).toMatchObject({ decision: 'allow' });
    expect(existsSync(join(lab.home.workingDir, 'allowed.txt'))).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'After the tool.' });
    const started = events.find((event) => event.type === 'tool_start');
    expect(started).toBeDefined();
    await session.close();
  });

  scenario('does not run a tool that is denied', async () => {
    const session = await open({ permissionMode: 'ask' });
    const events = await toolTurn(session, 'denied.txt', 'deny');
    expect(events.find((event) => event.type === 'permission_resolved')).toMatchObject({ decision: 'deny' });
    expect(existsSync(join(lab.home.workingDir, 'denied.txt'))).toBe(false);
    expect(['complete', 'error']).toContain(events.at(-1)?.type);
    lab.model.use(['still here']);
    expect((await collect(session.send('go on'))).at(-1)).toMatchObject({
      type: 'complete',
      text: 'still here',
    });
    await session.close();
  });

  scenario('is not asked again about what is allowed always', async () => {
    const session = await open({ permissionMode: 'ask' });
    const types = async () => (await toolTurn(session, 'always.txt', 'allow_always')).map(({ type }) => type);
    expect(await types()).toContain('permission_request');
    rmSync(join(lab.home.workingDir, 'always.txt'));
    expect(await types()).not.toContain('permission_request');
    expect(existsSync(join(lab.home.workingDir, 'always.txt'))).toBe(true);
    await session.close();
  });

  scenario('changes its permission mode', async () => {
    const session = await open({ permissionMode: 'ask' });
    await session.setPermissionMode('bypass');
    const events = await toolTurn(session, 'bypassed.txt', undefined);
    expect(events.map(({ type }) => type)).not.toContain('permission_request');
    expect(existsSync(join(lab.home.workingDir, 'bypassed.txt'))).toBe(true);
    await session.setPermissionMode('ask');
    const asked = await toolTurn(session, 'asked.txt', 'deny');
    expect(asked.map(({ type }) => type)).toContain('permission_request');
    expect(existsSync(join(lab.home.workingDir, 'asked.txt'))).toBe(false);
    await session.close();
  });

  scenario('asks from now on, although it began without', async () => {
    const session = await open({ permissionMode: 'bypass' });
    lab.model.use(['ok']);
    await collect(session.send('marked-unasked'));
    const { sessionId } = session;
    const unasked = await toolTurn(session, 'unasked.txt', undefined);
    expect(unasked.map(({ type }) => type)).not.toContain('permission_request');
    expect(existsSync(join(lab.home.workingDir, 'unasked.txt'))).toBe(true);
    await session.setPermissionMode('ask');
    const asked = await toolTurn(session, 'asked-for.txt', 'deny');
    expect(asked.map(({ type }) => type)).toContain('permission_request');
    expect(existsSync(join(lab.home.workingDir, 'asked-for.txt'))).toBe(false);
    expect(lab.model.turns.at(-1)?.rawBody).toContain('marked-unasked');
    expect(session.sessionId).toBe(sessionId);
    await session.close();
  });

  scenario('denies a permission that nobody answers', async () => {
    const session = await open({ permissionMode: 'ask', clocks: { permissionMs: 300 } });
    const events = await toolTurn(session, 'unanswered.txt', undefined);
    expect(events.find((event) => event.type === 'permission_resolved')).toMatchObject({ decision: 'deny' });
    expect(existsSync(join(lab.home.workingDir, 'unanswered.txt'))).toBe(false);
    await session.close();
  });

  scenario('is interrupted in the middle of a stream, and then answers', async () => {
    const session = await open();
    lab.model.use([{ steps: [{ text: ['one ', 'two '], delayMs: 50 }, { hang: true }] }]);
    const events: ChatEvent[] = [];
    for await (const event of session.send('tell me a long story')) {
      events.push(event);
      if (event.type === 'text') void session.interrupt();
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'interrupted' });
    lab.model.use(['a good answer']);
    expect((await collect(session.send('short, please'))).at(-1)).toMatchObject({
      type: 'complete',
      text: 'a good answer',
    });
    await session.close();
  });

  scenario('goes on after kill -9 of its process, and says so', async () => {
    const session = await open();
    lab.model.use(['before the crash']);
    await collect(session.send('the first question'));
    lab.model.use([{ steps: [{ text: ['half '] }, { hang: true }] }]);
    const events: ChatEvent[] = [];
    let killedAt = 0;
    let toldAt = 0;
    for await (const event of session.send('the fatal question')) {
      events.push(event);
      if (event.type === 'error') toldAt = performance.now();
      if (event.type !== 'text') continue;
      killProcesses(lab.home);
      killedAt = performance.now();
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'crashed' });
    expect(toldAt - killedAt).toBeLessThan(1000);
    lab.model.use(['after the crash']);
    const after = await collect(session.send('the last question'));
    expect(after.at(-1)).toMatchObject({ type: 'complete', text: 'after the crash' });
    expect(after.some((event) => event.type === 'notice' && event.message.includes('resumed'))).toBe(true);
    expect(lab.model.turns.at(-1)?.rawBody).toContain('the first question');
    await session.close();
  });

  scenario('goes on after kill -9 in its first turn, resumed or begun anew', async () => {
    const session = await open();
    lab.model.use([{ steps: [{ text: ['half '] }, { hang: true }] }]);
    for await (const event of session.send('the fatal question'))
      if (event.type === 'text') killProcesses(lab.home);
    lab.model.use(['after the crash']);
    const after = await collect(session.send('the last question'));
    expect(after[0]).toMatchObject({ type: 'notice', message: expect.stringMatching(/resumed|begun/) });
    expect(after.at(-1)).toMatchObject({ type: 'complete', text: 'after the crash' });
    await session.close();
  });

  scenario('is resumed by its id in a new process', async () => {
    const first = await open();
    lab.model.use(['remembered']);
    await collect(first.send('remember this'));
    const { sessionId } = first;
    await first.close();
    await lab.sessions.close();
    lab.sessions = new Sessions();
    const second = await open({ sessionId });
    lab.model.use(['yes']);
    const events = await collect(second.send('do you remember?'));
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'yes', sessionId });
    expect(lab.model.turns.at(-1)?.rawBody).toContain('remember this');
    await second.close();
  });

  scenario('is resumed in the directory that it was made in, whichever is asked for', async () => {
    const made = join(lab.home.directory, 'made-here');
    mkdirSync(made);
    const first = await open({ cwd: made });
    lab.model.use(['remembered']);
    await collect(first.send('remember this'));
    const { sessionId } = first;
    await first.close();
    await lab.sessions.close();
    lab.sessions = new Sessions();
    const second = await open({ sessionId, cwd: lab.home.workingDir });
    expect(second.cwd).toBe(made);
    lab.model.use(['yes']);
    const events = await collect(second.send('do you remember?'));
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'yes', sessionId });
    expect(lab.model.turns.at(-1)?.rawBody).toContain('remember this');
    await second.close();
  });

  scenario('names an unknown session and a rejected key', async () => {
    const unknown =
      backend === 'opencode' ? 'ses_111111111111111111111111111' : '11111111-1111-4111-8111-111111111111';
    const opened = open({ sessionId: unknown }).then((session) => collect(session.send('hi')));
    const code = await opened.then(
      (events) => (events.at(-1) as { code?: string }).code,
      (error: { code?: string }) => error.code,
    );
    expect(code).toBe('session_not_found');
    const session = await open();
    lab.model.use([{ status: 401, message: 'bad key' }]);
    expect((await collect(session.send('hi'))).at(-1)).toMatchObject({ type: 'error', code: 'auth' });
    lab.model.use(['well again']);
    expect((await collect(session.send('hi'))).at(-1)).toMatchObject({
      type: 'complete',
      text: 'well again',
    });
    await session.close();
  });

  scenario('ends a silent model by name, and stays usable', async () => {
    const session = await open({ clocks: { modelSilenceMs: 4000 } });
    lab.model.use([{ silent: true }]);
    expect((await collect(session.send('anyone?'))).at(-1)).toMatchObject({
      type: 'error',
      code: 'timeout',
      message: 'No output from the model for 4 s',
    });
    lab.model.use(['here']);
    expect((await collect(session.send('anyone now?'))).at(-1)).toMatchObject({
      type: 'complete',
      text: 'here',
    });
    await session.close();
  });

  async function toolTurn(
    session: BackendSession,
    file: string,
    decision: PermissionDecision | undefined,
  ): Promise<ChatEvent[]> {
    lab.model.use([{ steps: [{ shell: `touch ${file}` }] }, 'After the tool.']);
    const events: ChatEvent[] = [];
    for await (const event of session.send('use the tool')) {
      events.push(event);
      if (event.type === 'permission_request' && decision !== undefined) {
        await session.answerPermission(event.id, decision, 'because I say so');
      }
    }
    return events;
  }
});

async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function texts(events: readonly ChatEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
}
