import { expect, it } from 'vitest';
import { setUpGateway } from '../stage.js';

it('a message that waits is changed, and another one interrupts and runs next (17.5)', async () => {
  const client = await setUpGateway().start();
  const { gateway } = client;
  const running = await client.post('a', 'wait 300 seconds');
  await client.until(running, 'running');
  expect(await gateway.changeWaiting(running, 'too late')).toBe(false);
  const first = await client.post('a', 'say exactly: first');
  const second = await client.post('a', 'say exactly: second');
  expect(await gateway.changeWaiting(first, 'say exactly: changed')).toBe(true);
  expect(await gateway.runNext(second, { by: 'anna' })).toBe(true);
  expect(await client.ended(running)).toMatchObject({
    state: 'cancelled',
    error: { message: 'Stopped by anna' },
  });
  expect(await client.ended(first)).toMatchObject({ responseText: 'changed' });
  expect(await client.ended(second)).toMatchObject({ responseText: 'second' });
  const answers = (await client.messages('a')).filter(({ role }) => role === 'assistant');
  expect(answers.map(({ text }) => text)).toEqual(['second', 'changed']);
  expect(await gateway.runNext(second)).toBe(false);
});

it('a hook sees the changed text too, and drops a message that it refuses (17.5)', async () => {
  const stage = setUpGateway();
  stage.configure('hooks.json', JSON.stringify({ message: [{ module: './message.mjs' }] }));
  stage.configure(
    'message.mjs',
    `export default ({ text }) =>
      text.includes('secret') ? { action: 'block', reason: 'no' } : { action: 'continue', payload: { text } };`,
  );
  const client = await stage.start();
  const running = await client.post('a', 'wait 300 seconds');
  await client.until(running, 'running');
  const waiting = await client.post('a', 'harmless');
  expect(await client.gateway.changeWaiting(waiting, 'a secret')).toBe(true);
  expect(await client.event(waiting)).toMatchObject({ state: 'cancelled' });
  await client.interrupt('a');
});
