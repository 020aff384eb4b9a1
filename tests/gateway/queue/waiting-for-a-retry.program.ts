import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Client, eventually, setUpGateway } from '../stage.js';

/** A message that has failed once and waits for its next attempt, which is far away. */
async function startFailing(settings: Record<string, string> = {}): Promise<{ client: Client; id: string }> {
  const client = await setUpGateway({ RETRY_DELAY_MS: '60000', ...settings }).start();
  const id = await client.post('a', 'crash');
  await eventually(async () => {
    const { state, attempts } = await client.event(id);
    return state === 'queued' && attempts === 1;
  });
  return { client, id };
}

async function said(client: Client): Promise<string | undefined> {
  return (await client.messages('a')).findLast(({ role }) => role === 'system')?.text;
}

describe('a message that waits for its retry', () => {
  it('is stopped by /stop; what waits behind it goes on', async () => {
    const { client, id } = await startFailing();
    const behind = await client.post('a', 'say exactly: behind');
    const stop = await client.event(await client.post('a', '/stop'));
    expect(stop.responseText).toMatch(/^Stopped\./);
    expect(await client.event(id)).toMatchObject({
      state: 'cancelled',
      error: { code: 'interrupted', message: 'Stopped by /stop while it waited for its retry' },
    });
    expect(await client.ended(behind)).toMatchObject({ state: 'answered', responseText: 'behind' });
    expect((await client.event(await client.post('a', '/stop'))).responseText).toBe(
      'Nothing is running here.',
    );
  });

  it('is stopped over the API: whoever waits for it hears of it at once, and so does the channel', async () => {
    const { client, id } = await startFailing();
    const ending = client.ended(id);
    expect(await client.interrupt('a')).toBe(true);
    const before = performance.now();
    expect(await ending).toMatchObject({ state: 'cancelled' });
    expect(performance.now() - before).toBeLessThan(30_000);
    expect(await said(client)).toMatch(
      /^Stopped by an interrupt while it waited for its retry\. The last attempt had failed \(crashed\): .*\n.*\/retry/,
    );
    expect(await client.interrupt('a')).toBe(false);
  });

  it('gives way to a newer message in interrupt mode', async () => {
    const { client, id } = await startFailing({ QUEUE_MODE: 'interrupt' });
    expect(await client.ask('a', 'say exactly: next')).toMatchObject({ responseText: 'next' });
    expect(await client.event(id)).toMatchObject({
      state: 'cancelled',
      error: { message: 'Stopped by a newer message while it waited for its retry' },
    });
  });

  it('keeps its place in the other modes', async () => {
    const { client, id } = await startFailing();
    const behind = await client.post('a', 'say exactly: behind');
    await client.post('a', '/status');
    expect(await client.event(id)).toMatchObject({ state: 'queued' });
    expect(await client.event(behind)).toMatchObject({ state: 'queued', attempts: 0 });
  });

  it('goes with all that was collected into its turn', async () => {
    const stage = setUpGateway({ RETRY_DELAY_MS: '1500', QUEUE_MODE: 'collect' });
    const cli = join(stage.root, 'crashing.sh');
    writeFileSync(cli, '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
    const client = await stage.start({ BACKEND_CLI_PATH: cli });
    const ids = [await client.post('a', 'one')];
    await eventually(() => stage.points.includes('postponed'));
    ids.push(await client.post('a', 'two'));
    await eventually(() => stage.points.filter((point) => point === 'postponed').length === 2);
    const behind = await client.post('a', 'three');
    expect(await client.interrupt('a')).toBe(true);
    for (const id of ids) expect(await client.event(id)).toMatchObject({ state: 'cancelled' });
    expect((await client.event(behind)).state).not.toBe('cancelled');
  });

  it('/status and /queue tell when it is due', async () => {
    const { client } = await startFailing();
    // Its end is on disk a moment before the queue has cleared the turn away.
    await eventually(async () => {
      const status = await client.event(await client.post('a', '/status'));
      return /^turn: none, a retry is due in (60|5\d) s$/m.test(status.responseText ?? '');
    });
    const queue = await client.event(await client.post('a', '/queue'));
    expect(queue.responseText).toMatch(/^Nothing is running, a retry is due in (60|5\d) s; 1 waiting/);
  });
});
