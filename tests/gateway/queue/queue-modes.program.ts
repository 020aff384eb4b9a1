import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Client, eventually, setUpGateway } from '../stage.js';

describe('a message that comes during a turn', () => {
  it('queue: waits its turn, in the order of arrival', async () => {
    const client = await setUpGateway().start();
    const ids = [
      await client.post('a', 'wait 1 seconds'),
      await client.post('a', 'say exactly: one'),
      await client.post('a', 'say exactly: two'),
    ];
    for (const id of ids) expect(await client.ended(id)).toMatchObject({ state: 'answered', attempts: 1 });
    const answers = (await client.messages('a')).filter(({ role }) => role === 'assistant');
    expect(answers.map(({ eventId }) => eventId)).toEqual(ids);
  });

  it('interrupt: ends the running turn and comes next', async () => {
    const client = await setUpGateway({ QUEUE_MODE: 'interrupt' }).start();
    const running = await client.post('a', 'wait 300 seconds');
    await client.until(running, 'running');
    const next = await client.ask('a', 'say exactly: next');
    expect(next).toMatchObject({ state: 'answered', responseText: 'next' });
    expect(await client.event(running)).toMatchObject({
      state: 'cancelled',
      error: { code: 'interrupted', message: 'Stopped by a newer message' },
    });
  });

  it('interrupt: a message that is refused ends no turn', async () => {
    const stage = setUpGateway({ QUEUE_MODE: 'interrupt', MAX_QUEUE_DEPTH: '1', MAX_CONCURRENT_TURNS: '1' });
    const client = await stage.start();
    const running = await client.post('a', 'wait 3 seconds');
    await client.until(running, 'running');
    await client.post('b', 'hello');
    expect((await client.postFully('a', 'one too many')).state).toBe('refused');
    expect((await client.ended(running)).state).toBe('answered');
  });

  it('collect: waiting messages become one turn, up to a command; each is answered by it', async () => {
    const stage = setUpGateway();
    stage.configure('channels/a/channel.md', '---\nqueue: collect\n---\n');
    const client = await stage.start();
    const first = await client.post('a', 'wait 1 seconds');
    await client.until(first, 'running');
    const one = await client.post('a', 'remember that the signal is green');
    const two = await client.post('a', 'and the bridge is closed');
    const command = await client.post('a', '/usage');
    const three = await client.post('a', 'what did I say before');
    const answers = [await client.ended(one), await client.ended(two)];
    expect(answers[0]).toMatchObject({ state: 'answered' });
    expect(answers[1]).toMatchObject({ state: 'answered', responseText: answers[0]?.responseText });
    expect(await client.ended(command)).toMatchObject({ state: 'answered' });
    expect((await client.ended(three)).responseText).toMatch(/signal is green[\s\S]*bridge is closed/);
    const assistant = (await client.messages('a')).filter(({ role }) => role === 'assistant');
    expect(assistant.map(({ eventId }) => eventId)).toEqual([first, one, three]);
  });

  it('steer: waits where the CLI can’t be told', async () => {
    const client = await setUpGateway({ QUEUE_MODE: 'steer' }).start();
    const running = await client.post('a', 'wait 1 seconds');
    await client.until(running, 'running');
    expect(await client.ask('a', 'say exactly: later')).toMatchObject({
      state: 'answered',
      responseText: 'later',
    });
  });

  it('steer: goes into the running turn, whose one answer is the answer to both', async () => {
    const stage = setUpGateway({ QUEUE_MODE: 'steer', BACKEND_LIVE: '1' });
    const client = await stage.start();
    const steer = async (seconds: number) => {
      const begun = () => stage.points.filter((point) => point === 'tool_started').length;
      const before = begun();
      const channel = `a${seconds}`;
      const first = await client.post(channel, `run a tool for ${seconds} seconds`);
      await eventually(() => begun() > before);
      const second = await client.post(channel, 'say exactly: steered');
      await client.ended(first);
      const answer = await client.ended(second);
      return { channel, first, second, answer };
    };
    // A machine that is busy may not be fast enough for a short tool.
    let steered = await steer(2);
    for (const seconds of [20, 60]) {
      const [turn] = (await client.gateway.reports.turns(steered.second)) ?? [];
      if (turn?.eventIds.includes(steered.first)) break;
      steered = await steer(seconds);
    }
    const { channel, first, second, answer } = steered;
    expect(answer).toMatchObject({ state: 'answered', attempts: 1 });
    expect(answer.responseText).toMatch(/\n\nsteered$/);
    expect(await client.ended(first)).toMatchObject({
      state: 'answered',
      responseText: answer.responseText,
      attempts: 1,
    });
    expect(await spoken(client, channel)).toEqual(['assistant']);
    const [turn] = (await client.gateway.reports.turns(second)) ?? [];
    const steps = turn?.events.map((event) => (event.type === 'notice' ? event.message : event.type)) ?? [];
    const came = steps.indexOf('A message came in: say exactly: steered');
    expect(came).toBeGreaterThan(steps.indexOf('tool_start'));
    expect(turn?.events[came]).toMatchObject({ eventId: second });
    expect(await client.ask(channel, 'say exactly: next')).toMatchObject({ responseText: 'next' });
  });

  it('steer: a message that comes when the turn ends is answered too, by it or behind it', async () => {
    const client = await setUpGateway({ QUEUE_MODE: 'steer', BACKEND_LIVE: '1' }).start();
    for (let round = 0; round < 25; round += 1) {
      const first = await client.post('a', `say exactly: first ${round}.`);
      await sleep(round * 2);
      const second = await client.post('a', `say exactly: second ${round}.`);
      expect((await client.ended(first)).responseText).toContain(`first ${round}.`);
      expect((await client.ended(second)).responseText).toContain(`second ${round}.`);
    }
  });

  it('steer: a turn that is tried again has with it what was said into it', async () => {
    const stage = setUpGateway({ QUEUE_MODE: 'steer', BACKEND_LIVE: '1' });
    const client = await stage.start();
    await client.ask('a', 'say exactly: warm');
    const first = await client.post('a', 'wait 3 seconds');
    await client.until(first, 'running');
    await eventually(() => stage.points.filter((point) => point === 'session').length === 2);
    const second = await client.post('a', 'say exactly: steered');
    await client.until(second, 'running');
    await client.stop();
    const again = await stage.start();
    const answer = await again.ended(second);
    expect(answer).toMatchObject({ state: 'answered' });
    expect(await again.ended(first)).toMatchObject({ state: 'answered', responseText: answer.responseText });
    expect(await spoken(again, 'a')).toEqual(['assistant', 'assistant']);
  });

  it('other channels go on meanwhile, and a busy one starves nobody', async () => {
    const client = await setUpGateway({ MAX_CONCURRENT_TURNS: '2' }).start();
    const busy: string[] = [];
    for (let n = 0; n < 12; n += 1) busy.push(await client.post('busy', `say exactly: ${n}`));
    const quiet = await client.ask('quiet', 'say exactly: quiet');
    expect(quiet.state).toBe('answered');
    expect((await client.event(busy.at(-1) ?? '')).state).toBe('queued');
    for (const id of busy) expect((await client.ended(id)).state).toBe('answered');
  });
});

describe('stopping', () => {
  it('by the API: the turn is cancelled, the channel goes on in the same session', async () => {
    const client = await setUpGateway().start();
    await client.ask('a', 'remember that the signal is green');
    const running = await client.post('a', 'count to 2000');
    await client.until(running, 'running');
    expect(await client.interrupt('a')).toBe(true);
    expect(await client.event(running)).toMatchObject({ state: 'cancelled' });
    expect(await client.interrupt('a')).toBe(false);
    expect((await client.ask('a', 'what do you remember')).responseText).toContain('the signal is green');
  });

  it('by the API: also a live CLI that hangs while it starts', async () => {
    const stage = setUpGateway({ BACKEND_LIVE: '1' });
    const cli = join(stage.root, 'hanging.sh');
    writeFileSync(cli, '#!/bin/sh\ntouch started; sleep 8; touch ended\n', { mode: 0o755 });
    const client = await stage.start({ BACKEND_CLI_PATH: cli });
    const event = await client.post('a', 'hello');
    await eventually(() => existsSync(join(stage.work, 'started')));
    expect(await client.interrupt('a')).toBe(true);
    expect((await client.event(event)).state).toBe('cancelled');
    expect(existsSync(join(stage.work, 'ended'))).toBe(false);
  });

  it('drains: a running turn may end, what waits stays, and is answered after the next start', async () => {
    const stage = setUpGateway({ SHUTDOWN_GRACE_MS: '20000' });
    const client = await stage.start();
    const running = await client.post('a', 'wait 1 seconds');
    await client.until(running, 'running');
    const waiting = await client.post('a', 'say exactly: later');
    await client.stop();
    const second = await stage.start();
    expect(await second.event(running)).toMatchObject({ state: 'answered', attempts: 1 });
    expect(await second.ended(waiting)).toMatchObject({ state: 'answered', responseText: 'later' });
  });

  it('a turn that does not end in time runs again when no tool had begun', async () => {
    const stage = setUpGateway({ SHUTDOWN_GRACE_MS: '100' });
    const client = await stage.start();
    const running = await client.post('a', 'wait 2 seconds');
    await client.until(running, 'running');
    await client.stop();
    const second = await stage.start();
    expect(await second.ended(running)).toMatchObject({ state: 'answered' });
    const said = (await second.messages('a')).filter(({ role }) => role !== 'user');
    expect(said.map(({ role }) => role)).toEqual(['assistant']);
  });

  it('a turn whose tools had begun is not repeated: its channel is told, and may /retry', async () => {
    const stage = setUpGateway({ SHUTDOWN_GRACE_MS: '100' });
    const client = await stage.start();
    const running = await client.post('a', 'run a tool for 30 seconds');
    await client.until(running, 'running');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await client.stop();
    const second = await stage.start({ TURNOUT_DEMO_SPEED: '1000' });
    expect(await second.event(running)).toMatchObject({ state: 'failed', error: { code: 'interrupted' } });
    expect((await second.messages('a')).at(-1)?.text).toMatch(/Tools that had begun:\n- Bash[\s\S]*\/retry/);
    expect(await second.ask('a', '/retry')).toMatchObject({ state: 'answered' });
  });
});

async function spoken(client: Client, channel: string): Promise<readonly string[]> {
  return (await client.messages(channel)).map(({ role }) => role).filter((role) => role !== 'user');
}
