import { describe, expect, it } from 'vitest';
import { lockDatabase } from './lock-database.js';
import { eventually, setUpGateway } from './stage.js';

describe('a database that is locked by another program', () => {
  it('refuses messages with a clear word, says so at /readyz, and goes on by itself', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    await client.ask('a', 'hello');
    const unlock = lockDatabase(stage);
    await expect(client.post('a', 'during')).rejects.toThrow(/503 .*NOT accepted/);
    await expect(client.call('/readyz')).rejects.toThrow(/503 .*locked/);
    unlock();
    expect(await client.ask('a', 'say exactly: after')).toMatchObject({ responseText: 'after' });
    expect(await client.call('/readyz')).toMatchObject({ ready: true });
    expect((await client.messages('a')).map(({ text }) => text)).not.toContain('during');
  });

  it('the result of a turn is kept until it can be written', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    const event = await client.post('a', 'wait 10 seconds');
    await eventually(() => stage.points.includes('session'));
    const unlock = lockDatabase(stage);
    await eventually(() =>
      stage.log.some(({ message }) => message === 'the result of a turn could not be written: trying again'),
    );
    unlock();
    expect(await client.ended(event)).toMatchObject({ state: 'answered', attempts: 1 });
    expect((await client.messages('a')).filter(({ role }) => role === 'assistant')).toHaveLength(1);
  });
});
