import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, setUpGateway } from '../stage.js';

/** A module hook: this expression of `payload`. */
function hook(expression: string): string {
  return `export default (payload) => (${expression});\n`;
}

describe('hooks in the gateway (R10)', () => {
  it('message: may rewrite and refuse; the sender sees which', async () => {
    const stage = setUpGateway();
    stage.configure('hooks.json', JSON.stringify({ message: [{ module: './message.mjs' }] }));
    stage.configure(
      'message.mjs',
      hook(`payload.text.includes('secret')
        ? { action: 'block', reason: 'no secrets here' }
        : { action: 'continue', payload: { text: payload.text.replace('red', 'green') } }`),
    );
    const client = await stage.start();
    expect(await client.ask('a', 'say exactly: red')).toMatchObject({ responseText: 'green' });
    expect(await client.ask('a', 'my secret')).toMatchObject({
      state: 'refused',
      error: { message: 'Blocked by a hook: no secrets here' },
    });
    expect((await client.messages('a')).at(-1)).toMatchObject({ role: 'system' });
  });

  it('message: the order of a channel is kept, however long a hook takes', async () => {
    const stage = setUpGateway();
    stage.configure('hooks.json', JSON.stringify({ message: [{ module: './message.mjs' }] }));
    stage.configure(
      'message.mjs',
      `export default async (payload) => {
        if (payload.text.endsWith('slow')) await new Promise((resolve) => setTimeout(resolve, 300));
      };\n`,
    );
    const client = await stage.start();
    const slow = client.post('a', 'say exactly: slow');
    const fast = client.post('a', 'say exactly: fast');
    const [first, second] = [await slow, await fast];
    await client.ended(second);
    const answers = (await client.messages('a')).filter(({ role }) => role === 'assistant');
    expect(answers.map(({ eventId }) => eventId)).toEqual([first, second]);
  });

  it('a hook that fails loses no message', async () => {
    const stage = setUpGateway();
    stage.configure(
      'hooks.json',
      JSON.stringify({ message: [{ command: ['false'] }, { module: './broken.mjs' }] }),
    );
    stage.configure('broken.mjs', 'export default () => { throw new Error("broken") };\n');
    const client = await stage.start();
    expect(await client.ask('a', 'say exactly: all the same')).toMatchObject({
      responseText: 'all the same',
    });
    expect(
      stage.log.filter(({ level, message }) => level === 'warn' && message === 'hook failed'),
    ).toHaveLength(2);
  });

  it('turn_start and turn_end: the prompt, the system prompt and the answer may be rewritten', async () => {
    const stage = setUpGateway();
    stage.configure(
      'hooks.json',
      JSON.stringify({ turn_start: [{ module: './start.mjs' }], turn_end: [{ module: './end.mjs' }] }),
    );
    stage.configure('start.mjs', hook('{ payload: { systemPrompt: "You are hooked." } }'));
    stage.configure('end.mjs', hook('{ payload: { responseText: payload.responseText + " (seen)" } }'));
    const client = await stage.start();
    const { responseText } = await client.ask('a', 'what is your system prompt');
    expect(responseText).toMatch(/You are hooked\.[\s\S]* \(seen\)$/);
    expect((await client.messages('a')).at(-1)?.text).toBe(responseText);
  });

  it('startup, error and shutdown are told', async () => {
    const stage = setUpGateway();
    const events = ['startup', 'shutdown', 'error'] as const;
    const tell = {
      command: ['sh', '-c', `cat >> ${join(stage.root, 'told')}`],
    };
    stage.configure('hooks.json', JSON.stringify(Object.fromEntries(events.map((name) => [name, [tell]]))));
    const client = await stage.start();
    await client.ask('a', 'fail with 401');
    await client.stop();
    await eventually(() => readFileSync(join(stage.root, 'told'), 'utf8').includes('shutdown'));
    const told = readFileSync(join(stage.root, 'told'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told.map(({ event }) => event)).toEqual(['startup', 'error', 'shutdown']);
    expect(told[1]).toMatchObject({ code: 'auth', channel: 'a' });
  });
});
