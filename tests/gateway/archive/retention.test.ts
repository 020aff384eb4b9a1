import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../../src/gateway/gateway.js';
import { openDatabase } from '../../../src/store/sqlite/open-database.js';
import { eventually, type GatewayStage, setUpGateway } from '../stage.js';

/** As if all of it had been said so many days earlier. */
async function age(stage: GatewayStage, days: number): Promise<void> {
  const db = await openDatabase(join(stage.home, databaseFile));
  const ms = days * 86_400_000;
  db.run('UPDATE events SET created_at = created_at - ?1, ended_at = ended_at - ?1', ms);
  db.run('UPDATE messages SET created_at = created_at - ?1', ms);
  db.run('UPDATE turns SET started_at = started_at - ?1, ended_at = ended_at - ?1', ms);
  db.run('UPDATE removed_events SET ended_at = ended_at - ?', ms);
  db.close();
}

describe('retention', () => {
  it('removes what is older than RETENTION_DAYS at the start, and the conversation goes on', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    const old = await client.ask('a', 'remember that the signal is green');
    await client.stop();
    await age(stage, 40);

    const keeping = await stage.start();
    expect((await keeping.event(old.eventId)).state).toBe('answered');
    await keeping.stop();

    const removing = await stage.start({ RETENTION_DAYS: '30' });
    await eventually(async () => (await removing.messages('a')).length === 0);
    await expect(removing.event(old.eventId)).rejects.toThrow(/404/);
    const told = () => stage.log.find(({ msg, message }) => /older than 30 days/.test(`${msg}${message}`));
    await eventually(async () => told() !== undefined);
    expect(told()).toMatchObject({ level: 'info', messages: 2, events: 1 });
    const fresh = await removing.ask('a', 'what do you remember');
    expect(fresh.responseText).toContain('the signal is green');
    await removing.stop();

    const again = await stage.start({ RETENTION_DAYS: '30' });
    expect((await again.messages('a')).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(existsSync(join(stage.home, 'archive', 'a'))).toBe(true);
  });

  it('does not make a second turn of a message that is repeated after its event was removed', async () => {
    const stage = setUpGateway({ RETENTION_DAYS: '30' });
    const client = await stage.start();
    const { eventId } = await client.postFully('a', 'say exactly: once', 'key-1');
    await client.ended(eventId);
    await client.stop();
    await age(stage, 40);

    const removing = await stage.start();
    await eventually(async () => (await removing.messages('a')).length === 0);
    expect(await removing.postFully('a', 'say exactly: once', 'key-1')).toEqual({
      eventId,
      state: 'answered',
    });
    await expect(removing.event(eventId)).rejects.toThrow(/410 .*gone.*RETENTION_DAYS/);
    await expect(removing.ended(eventId)).rejects.toThrow(/410/);
    expect(await removing.messages('a')).toEqual([]);
    await removing.stop();
    await age(stage, 40);

    const later = await stage.start();
    await eventually(async () => /404/.test(String(await later.event(eventId).catch(String))));
    // After all that time it is a new one.
    expect((await later.postFully('a', 'say exactly: twice', 'key-1')).eventId).not.toBe(eventId);
  });
});
