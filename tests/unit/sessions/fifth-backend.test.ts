import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect } from 'vitest';
import {
  type BackendSession,
  type ChatEvent,
  openSession,
  registerBackend,
  type SessionOptions,
} from '../../../src/index.js';
import { it, type Stage } from '../../contract/stage.js';
import { ParrotBackend } from '../../fixtures/parrot/parrot-backend.js';

const program = fileURLToPath(new URL('../../fixtures/parrot/parrot.mjs', import.meta.url));

// A worker keeps its modules from one file of tests to the next: the function that this returns is called behind the last test.
beforeAll(() =>
  registerBackend('parrot', {
    create: ParrotBackend,
    command: 'parrot',
    install: 'cp parrot.mjs ~/bin/parrot',
  }),
);

describe.each([true, false])('a session of a registered backend, live: %s (S1, S6)', (live) => {
  const open = (stage: Stage, options: Partial<SessionOptions> = {}) =>
    openSession({ backend: 'parrot', config: stage.configFor(program), live, ...options });

  it('answers turn after turn with every kind of event, and is resumed by its id', async ({ stage }) => {
    writeFileSync(join(stage.workingDir, 'note.txt'), 'made by a tool');
    const session = await open(stage, { model: 'deep', systemPrompt: 'Be brief.' });
    const events = await collect(session.send('Looking. \nread note.txt\nnotes?'));
    expect(events).toMatchObject([
      { type: 'session', backend: 'parrot', model: 'deep', sessionId: session.sessionId },
      { type: 'text', text: 'Looking. ' },
      { type: 'tool_start', name: 'read', input: { file: 'note.txt' } },
      { type: 'tool_end', output: 'made by a tool', isError: false },
      { type: 'text', text: 'Be brief.' },
      { type: 'usage', inputTokens: 30, outputTokens: 18 },
      { type: 'complete', text: 'Be brief.', sessionId: session.sessionId, stopReason: 'end_turn' },
    ]);
    expect(await answer(session, 'before?')).toBe('Looking. \nread note.txt\nnotes?');
    await session.close();

    const again = await open(stage, { sessionId: session.sessionId });
    expect(await answer(again, 'before?')).toBe('before?');
    expect(again.sessionId).toBe(session.sessionId);
    await again.close();
  });

  it('is known with -cli behind its name, and calls itself by the name alone (O2)', async ({ stage }) => {
    const session = await open(stage, { backend: 'parrot-cli' });
    expect(session.backend).toBe('parrot');
    expect(await last(session, 'hello')).toMatchObject({ type: 'complete', text: 'hello' });
    await session.close();
  });

  it.for([
    [{ config: 5 }, "config can't be 5: expected an object"],
    [{ config: { clipath: 'x' } }, 'There is no option "config.clipath".'],
    [{ modle: 'x' }, 'There is no option "modle".'],
    [{ cwd: 7 }, "cwd can't be 7: expected a path."],
    [{ permissionMode: 'yolo' }, 'permissionMode can\'t be "yolo": expected one of bypass,'],
    [{ trace: true }, "trace can't be true: expected a function."],
    [
      { clocks: { modelSilence: 5 } },
      'There is no option "clocks.modelSilence". Did you mean clocks.modelSilenceMs?',
    ],
    [{ clocks: { turnMs: '5' } }, 'clocks.turnMs can\'t be "5"'],
    [{ backend: 'parot' }, 'Unknown backend "parot".'],
  ] as const)('%j is refused by the field (18.9)', async ([wrong, words], { stage }) => {
    await expect(open(stage, wrong as unknown as SessionOptions)).rejects.toMatchObject({
      name: 'TurnoutError',
      code: 'bad_request',
      message: expect.stringContaining(words),
    });
  });

  it('is interrupted, and goes on after that', async ({ stage }) => {
    const session = await open(stage);
    const events: ChatEvent[] = [];
    for await (const event of session.send('begun\nwait 60000\nnever')) {
      events.push(event);
      if (event.type === 'text') await session.interrupt();
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'interrupted' });
    expect(JSON.stringify(events)).not.toContain('never');
    expect(await answer(session, 'still here')).toBe('still here');
    await session.close();
  });

  it('tells failures by their code: of the agent, of its process, of a session that is not there', async ({
    stage,
  }) => {
    const session = await open(stage);
    expect(await last(session, 'fail invalid API key')).toMatchObject({ code: 'auth' });
    expect(await last(session, 'crash')).toMatchObject({
      code: 'crashed',
      message: 'Parrot CLI error (exit 9): unknown error',
    });
    expect(await answer(session, 'hello again')).toBe('hello again');
    await session.close();
    const lost = async () => {
      const other = await open(stage, { sessionId: 'nobody' });
      const { code } = (await last(other, 'hi')) as { code?: string };
      await other.close();
      return code;
    };
    expect(await lost().catch((error) => error.code)).toBe('session_not_found');
  });

  it('refuses by name what it can’t do', async ({ stage }) => {
    const refusal = async () => {
      const session = await open(stage, { permissionMode: 'plan' });
      const event = await last(session, 'hi');
      await session.close();
      return event;
    };
    const refused = await refusal().catch((error) => error);
    expect(refused).toMatchObject({ code: 'unsupported', message: expect.stringContaining('parrot') });
  });
});

async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function last(session: BackendSession, prompt: string): Promise<ChatEvent | undefined> {
  return (await collect(session.send(prompt))).at(-1);
}

async function answer(session: BackendSession, prompt: string): Promise<string | undefined> {
  const event = await last(session, prompt);
  return event?.type === 'complete' ? event.text : JSON.stringify(event);
}
