import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../../src/gateway/gateway.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import { eventually, setUpGateway } from '../stage.js';

describe('schedules in the gateway (R10)', () => {
  it('a heartbeat becomes an event of the queue, answered into the output channel', async () => {
    const stage = setUpGateway({ OUTPUT_CHANNEL_ID: 'ops' });
    stage.configure('heartbeat.md', '---\ninterval: 1s\n---\nsay exactly: all is well\n');
    const client = await stage.start();
    await eventually(async () => (await client.messages('ops')).some(({ role }) => role === 'assistant'));
    const [prompt, answer] = await client.messages('ops');
    expect(prompt).toMatchObject({ role: 'system', text: 'say exactly: all is well' });
    expect(answer).toMatchObject({ role: 'assistant', text: 'all is well' });
    expect(prompt?.eventId).toBe(answer?.eventId);
  });

  it('a cron entry that was missed for years is caught up once, in the channel that it names', async () => {
    const stage = setUpGateway();
    stage.configure(
      'cron.md',
      '## Report\n- schedule: `0 0 1 1 *`\n- channel: reports\n- timezone: UTC\n\nsay exactly: report\n',
    );
    const client = await stage.start();
    expect(await client.messages('reports')).toEqual([]);
    await client.stop();
    const store = await openSqliteStore(join(stage.home, databaseFile));
    const years = 3 * 366 * 86_400_000;
    await store.saveRun('cron: Report (0 0 1 1 * UTC)', Date.now() - years);
    await store.close();

    const second = await stage.start();
    await eventually(async () => (await second.messages('reports')).length === 2);
    expect((await second.messages('reports')).map(({ text }) => text)).toEqual([
      'say exactly: report',
      'report',
    ]);
    await second.stop();
    const third = await stage.start();
    await third.ask('other', 'hello');
    expect(await third.messages('reports')).toHaveLength(2);
  });

  it('a heartbeat that has nothing to say is recorded, and brought to nobody (18.5)', async () => {
    const stage = setUpGateway({ OUTPUT_CHANNEL_ID: 'ops', RETRY_DELAY_MS: '50' });
    stage.configure('heartbeat.md', '---\ninterval: 1s\n---\nsay exactly: NO_REPLY\n');
    const client = await stage.start();
    await eventually(async () => (await client.messages('ops')).some(({ role }) => role === 'assistant'));
    stage.configure('heartbeat.md', '---\ninterval: 1s\nenabled: false\n---\n');
    const [prompt, answer] = await client.messages('ops');
    expect(prompt).toMatchObject({ role: 'system', text: 'say exactly: NO_REPLY' });
    expect(answer).toMatchObject({ role: 'assistant', text: 'NO_REPLY', silent: true });
    // A person who asks for the same words gets them.
    await client.ask('ops', 'say exactly: NO_REPLY');
    const last = (await client.messages('ops')).at(-1);
    expect(last).toMatchObject({ role: 'assistant', text: 'NO_REPLY' });
    expect(last).not.toHaveProperty('silent');
    await client.stop();
    const store = await openSqliteStore(join(stage.home, databaseFile), { readOnly: true });
    expect(await store.undelivered({ now: Number.MAX_SAFE_INTEGER, limit: 9 })).toEqual([]);
    await store.close();
  });

  it('turns of schedules and of people take their turns in one channel', async () => {
    const stage = setUpGateway({ OUTPUT_CHANNEL_ID: 'a' });
    stage.configure('heartbeat.md', '---\ninterval: 1s\n---\nremember that the heart beats\n');
    const client = await stage.start();
    await eventually(async () => (await client.messages('a')).some(({ role }) => role === 'assistant'));
    stage.configure('heartbeat.md', '---\ninterval: 1s\nenabled: false\n---\n');
    expect((await client.ask('a', 'what do you remember')).responseText).toContain('the heart beats');
  });
});
