import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect } from 'vitest';
import type { ChatEvent } from '../../../src/core/chat-event.js';
import { HostClient, type HostOutcome } from '../../../src/host/client.js';
import { Frames } from '../../../src/host/frames.js';
import type { ClientMessage, HostedOptions, HostMessage } from '../../../src/host/messages.js';
import { it, Stage } from '../../contract/stage.js';

const program = fileURLToPath(import.meta.url);
const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A host that does what the test says with its one client. */
type Behaviour = (frames: Frames<ClientMessage, HostMessage>, next: () => Promise<ClientMessage>) => unknown;

async function turnAt(
  stage: Stage,
  behave: Behaviour,
  signal = new AbortController().signal,
  patienceMs?: number,
) {
  const path = stage.path('s');
  const server = createServer(async (socket: Socket) => {
    const frames = new Frames<ClientMessage, HostMessage>(socket);
    const messages = frames.read();
    await behave(frames, async () => (await messages.next()).value as ClientMessage);
  });
  closing.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const socket = connect(path);
  await new Promise((resolve) => socket.once('connect', resolve));
  const options: HostedOptions = { backend: 'claude', config: stage.config('replay.sh') };
  const turn = new HostClient(socket, program, patienceMs).turn('the prompt', options, signal);
  const events: ChatEvent[] = [];
  for (;;) {
    const { done, value } = await turn.next();
    if (done) return { events, outcome: value as HostOutcome };
    events.push(value as ChatEvent);
  }
}

const event = (value: ChatEvent): HostMessage => ({ type: 'event', event: value });
const session = event({ type: 'session', sessionId: 'abc', backend: 'claude' });
const text = event({ type: 'text', text: 'some words' });
const tool = event({ type: 'tool_start', id: '1', name: 'Bash', input: {} });

describe('a client of the host (18.7)', () => {
  it.each<readonly [string, Behaviour]>([
    ['refuses', (frames) => frames.send({ type: 'cold', reason: 'no' })],
    ['leaves at once', (frames) => frames.destroy()],
    ['says something else', (frames) => frames.send({ type: 'lost', reason: 'strange' })],
    [
      'leaves before it has a session',
      async (frames, next) => {
        await next();
        await frames.send({ type: 'accepted' });
        frames.destroy();
      },
    ],
    [
      'can’t open a session',
      async (frames) => {
        await frames.send({ type: 'accepted' });
        await frames.send({ type: 'cold', reason: 'auth' });
      },
    ],
  ])('runs its turn itself if the host %s: nothing was begun', async (_, behave) => {
    const stage = new Stage();
    closing.push(() => stage.close());
    expect(await turnAt(stage, behave)).toMatchObject({ events: [], outcome: { type: 'cold' } });
  });

  it('says go only when a session is open, and gets the turn’s events', async ({ stage }) => {
    const said: string[] = [];
    const { events, outcome } = await turnAt(stage, async (frames, next) => {
      said.push((await next()).type);
      await frames.send({ type: 'accepted' });
      await frames.send({ type: 'opened', reused: true });
      said.push((await next()).type);
      const done = {
        type: 'complete',
        text: 'some words',
        sessionId: 'abc',
        stopReason: 'end_turn',
      } as const;
      for (const message of [session, text, event(done)]) await frames.send(message);
    });
    expect(said).toEqual(['turn', 'go']);
    expect(events.map(({ type }) => type)).toEqual(['session', 'text', 'complete']);
    expect(outcome).toEqual({ type: 'ended' });
  });

  it('a host that dies before the agent was heard has lost the turn', async ({ stage }) => {
    const { outcome } = await turnAt(stage, dyingAfter(session));
    expect(outcome).toMatchObject({ type: 'lost', sessionId: 'abc' });
  });

  it('runs its turn itself if the host is silent before it has a session', async ({ stage }) => {
    const { outcome } = await turnAt(stage, (frames) => frames.send({ type: 'accepted' }), undefined, 150);
    expect(outcome).toMatchObject({ type: 'cold' });
  });

  it.each([session, text])('does not run again what a silent host may still do', async (heard) => {
    const stage = new Stage();
    closing.push(() => stage.close());
    const silent: Behaviour = async (frames) => {
      for (const message of [{ type: 'accepted' }, { type: 'opened', reused: true }, heard] as const)
        await frames.send(message);
    };
    const { events, outcome } = await turnAt(stage, silent, undefined, 150);
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'crashed' });
    expect(outcome).toMatchObject({ type: 'ended' });
  });

  it('waits for a host that gives signs of life', async ({ stage }) => {
    const { events } = await turnAt(
      stage,
      async (frames) => {
        await frames.send({ type: 'accepted' });
        await frames.send({ type: 'opened', reused: true });
        for (let sign = 0; sign < 12; sign++) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          await frames.send({ type: 'alive' });
        }
        await frames.send(text);
        await frames.send(
          event({ type: 'complete', text: 'some words', sessionId: 'abc', stopReason: 'end_turn' }),
        );
      },
      undefined,
      450,
    );
    expect(events.map(({ type }) => type)).toEqual(['text', 'complete']);
  });

  it.each([text, tool])('one that dies after that ends it as crashed: it is not run again', async (heard) => {
    const stage = new Stage();
    closing.push(() => stage.close());
    const { events, outcome } = await turnAt(stage, dyingAfter(session, heard));
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'crashed' });
    expect(outcome).toEqual({ type: 'ended', hostDied: true });
  });

  it('is interrupted at once before its turn has begun, and by the host afterwards', async ({ stage }) => {
    const early = new AbortController();
    const before = turnAt(
      stage,
      async (frames, next) => {
        await next();
        await frames.send({ type: 'accepted' });
        early.abort();
      },
      early.signal,
    );
    expect((await before).events).toMatchObject([{ type: 'error', code: 'interrupted' }]);
    for (const close of closing.splice(0)) close();

    const late = new AbortController();
    const after = await turnAt(
      stage,
      async (frames, next) => {
        await next();
        await frames.send({ type: 'accepted' });
        await frames.send({ type: 'opened', reused: true });
        await next();
        await frames.send(text);
        late.abort();
        expect((await next()).type).toBe('interrupt');
        await frames.send(
          event({ type: 'error', code: 'interrupted', message: 'as the CLI says', retryable: false }),
        );
      },
      late.signal,
    );
    expect(after.events.at(-1)).toMatchObject({ code: 'interrupted', message: 'as the CLI says' });
  });
});

function dyingAfter(...messages: readonly HostMessage[]): Behaviour {
  return async (frames, next) => {
    await next();
    await frames.send({ type: 'accepted' });
    await frames.send({ type: 'opened', reused: true });
    await next();
    for (const message of messages) await frames.send(message);
    frames.end();
  };
}
