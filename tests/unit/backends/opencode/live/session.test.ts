import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { TurnStream } from '../../../../../src/backends/live/turn-stream.js';
import type { LiveEvent } from '../../../../../src/backends/live/types.js';
import { OpenCodeSession, type SessionServer } from '../../../../../src/backends/opencode/live/session.js';
import type { HttpAnswer, HttpCall } from '../../../../../src/backends/opencode/live/transport.js';

const sessionID = 'ses_1';
const output = 'x'.repeat(1024 * 1024);

/** A server that answers a prompt when it is aborted, or when `finish` is called. */
class Server implements SessionServer {
  readonly pid = process.pid;
  readonly prompts: string[] = [];
  aborts = 0;
  readonly session = new OpenCodeSession(
    this,
    { id: sessionID, directory: tmpdir() },
    { cwd: tmpdir(), systemPrompt: '', permissionMode: 'bypass', allowedTools: [], disallowedTools: [] },
  );
  #finish: (answer: HttpAnswer) => void = () => {};
  #tools = 0;

  async call({ path, body }: HttpCall): Promise<HttpAnswer> {
    if (path.endsWith('/abort')) {
      this.aborts += 1;
      this.finish();
    }
    if (!path.endsWith('/message') || body === undefined) return { status: 200, body: [] };
    const { messageID, parts } = body as { messageID: string; parts: { text: string }[] };
    this.prompts.push(parts[0]?.text ?? '');
    const info = { id: `${messageID}a`, role: 'assistant', parentID: messageID };
    this.say('message.updated', { info });
    return new Promise((resolve) => {
      this.#finish = (answer) => {
        this.say('message.updated', { info: { ...info, finish: 'stop', time: { completed: 1 } } });
        this.say('session.idle', {});
        resolve(answer);
      };
      this.toolEnds = () => {
        const id = `tool-${this.#tools++}`;
        const state = { status: 'completed', input: {}, output };
        const part = { id, callID: id, messageID: info.id, type: 'tool', tool: 'bash', state };
        this.say('message.part.updated', { part });
      };
    });
  }

  toolEnds: () => void = () => {};

  finish(): void {
    this.#finish({ status: 200, body: {} });
  }

  say(type: string, properties: object): void {
    this.session.receive({ type, properties: { sessionID, ...properties } }, '');
  }

  rules = async () => [];
  adopt(): void {}
  forget(): void {}
  traceLine(): void {}
}

describe('a turn of an OpenCode session', () => {
  it('whose reader does not keep up is aborted, once', async () => {
    const server = new Server();
    const stream = server.session.turn('flood');
    const first = stream.next();
    await expect.poll(() => server.prompts).toEqual(['flood']);
    for (let count = 0; count < 300; count++) server.toolEnds();
    await first;
    await expect.poll(() => server.aborts).toBe(1);
    const events = await all(stream);
    expect(events.filter(({ type }) => type === 'tool_end').length).toBeLessThan(40);
    expect(events.at(-1)).toMatchObject({
      type: 'ending',
      ending: { code: 'interrupted', message: expect.stringContaining('32 MiB behind') },
    });
    expect(server.aborts).toBe(1);
  });

  it('that waits for the one before it is not begun when it is stopped or left', async () => {
    const server = new Server();
    await leave(server, 'first');
    const stopped = all(server.session.turn('stopped'));
    await server.session.interrupt();
    expect(await stopped).toMatchObject([{ type: 'ending', ending: { code: 'interrupted' } }]);
    await leave(server, 'second');
    const left = server.session.turn('left');
    void left.next();
    await left.return();
    const last = all(server.session.turn('last'));
    await expect.poll(() => server.prompts).toEqual(['first', 'second', 'last']);
    server.finish();
    expect((await last).at(-1)).toMatchObject({ ending: { type: 'answered' } });
  });

  it('is refused when the session is closed', async () => {
    const { session } = new Server();
    await session.close();
    expect(await all(session.turn('late'))).toMatchObject([
      { type: 'ending', ending: { type: 'failed', code: 'bad_request' } },
    ]);
  });
});

/** Reads the beginning of a turn and no more. */
async function leave(server: Server, prompt: string): Promise<void> {
  const stream = server.session.turn(prompt);
  const first = stream.next();
  await expect.poll(() => server.prompts.at(-1)).toBe(prompt);
  server.toolEnds();
  await first;
  await stream.return();
}

async function all(stream: TurnStream): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
