import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../src/gateway/gateway.js';
import { eventually, type GatewayStage, setUpGateway } from './stage.js';

/** Another program has the database to itself, until it lets go. */
function lockDatabase(stage: GatewayStage): () => void {
  const db = new DatabaseSync(join(stage.home, databaseFile));
  db.exec('PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE');
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
}

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
