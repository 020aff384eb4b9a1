import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../../src/gateway/gateway.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import { eventually, setUpGateway } from '../stage.js';
import { storedTurns } from '../turns/stored-turns.js';

const slowStarter = fileURLToPath(new URL('../../fixtures/programs/slow-starter.mjs', import.meta.url));

describe('chat commands', () => {
  it('/stop, /status and /queue do not wait in the queue', async () => {
    const client = await setUpGateway().start();
    const running = await client.post('a', 'wait 300 seconds');
    await client.until(running, 'running');
    await client.post('a', 'say exactly: waiting');
    const status = await client.postFully('a', '/status');
    expect(status.state).toBe('answered');
    expect((await client.event(status.eventId)).responseText).toMatch(/turn: running for \d+ s\nwaiting: 1/);
    const queue = await client.event(await client.post('a', '/queue'));
    expect(queue.responseText).toMatch(
      /A turn is running; 1 waiting \(mode: queue\)\.\n1\. say exactly: waiting/,
    );
    const stop = await client.event(await client.post('a', '/stop'));
    expect(stop.responseText).toBe('Stopped. 1 message still waiting: /queue clear drops them.');
    expect(await client.event(running)).toMatchObject({
      state: 'cancelled',
      error: { message: 'Stopped by /stop' },
    });
    expect((await client.event(await client.post('b', '/stop'))).responseText).toBe(
      'Nothing is running here.',
    );
  });

  it('/help lists the commands, and does not go to the agent (16.5)', async () => {
    const client = await setUpGateway().start();
    const { state, eventId } = await client.postFully('a', '/help');
    expect(state).toBe('answered');
    expect((await client.event(eventId)).responseText).toMatch(
      /^\/backend \[name\]: .*\n[\s\S]*^\/help: .*\n/m,
    );
  });

  it('/allow and /deny answer what the agent asks here, and /status names it (18.5)', async () => {
    const stage = setUpGateway({ PERMISSION_MODE: 'ask' });
    const client = await stage.start();
    const reply = async (channel: string, text: string, key?: string) =>
      (await client.event(await client.post(channel, text, key))).responseText ?? '';
    const first = await client.post('a', 'write a note: from a');
    const second = await client.post('b', 'write a note: from b');
    await eventually(
      async () =>
        ((await client.call('/v1/permissions')) as { permissions: unknown[] }).permissions.length === 2,
    );
    const status = await reply('a', '/status');
    expect(status).toMatch(
      /\nasks: [0-9a-f]{8} {2}Write: demo-note\.txt\n {2}always: every edit of a file\n(?: {2}always: .+\n)*\/allow \[id\] or \/deny/,
    );
    const [, id = ''] = /asks: ([0-9a-f]{8})/.exec(await reply('b', '/status')) ?? [];
    // Another channel's question is none of this one's.
    expect(await reply('a', `/allow ${id}`)).toMatch(/^No question "/);
    expect(await reply('b', `/deny ${id} not now`)).toBe('Denied: Write: demo-note.txt');
    expect((await client.ended(second)).state).toBe('answered');
    expect(await reply('a', '/allow', 'key-1')).toBe('Allowed: Write: demo-note.txt');
    expect((await client.ended(first)).state).toBe('answered');
    expect(readFileSync(join(stage.work, 'demo-note.txt'), 'utf8')).toContain('from a');
    expect(await reply('a', '/allow')).toBe('Nothing waits for a permission here.');
    // The same message again does not answer another question.
    const third = await client.post('a', 'write a note: once more');
    await eventually(async () => (await reply('a', '/status')).includes('asks: '));
    expect(await reply('a', '/allow', 'key-1')).toBe('Allowed: Write: demo-note.txt');
    expect((await client.event(third)).state).toBe('running');
    await client.post('a', '/stop');
  });

  it('the same /stop twice stops once', async () => {
    const client = await setUpGateway().start();
    const first = await client.post('a', 'wait 300 seconds');
    await client.until(first, 'running');
    const stop = await client.post('a', '/stop', 'stop-1');
    const second = await client.post('a', 'wait 300 seconds');
    await client.until(second, 'running');
    expect(await client.post('a', '/stop', 'stop-1')).toBe(stop);
    expect((await client.event(second)).state).toBe('running');
  });

  it('/queue clear drops what waits, /queue <mode> changes the mode', async () => {
    const client = await setUpGateway().start();
    const running = await client.post('a', 'wait 300 seconds');
    await client.until(running, 'running');
    const waiting = await client.post('a', 'hello');
    expect((await client.event(await client.post('a', '/queue clear'))).responseText).toBe(
      'Dropped: 1 message.',
    );
    expect(await client.event(waiting)).toMatchObject({ state: 'cancelled' });
    await client.post('a', '/Queue Interrupt');
    expect(await client.ask('a', 'say exactly: next')).toMatchObject({ responseText: 'next' });
    expect((await client.event(running)).state).toBe('cancelled');
    expect((await client.event(await client.post('a', '/queue faster'))).responseText).toContain(
      '/queue clear',
    );
  });

  it('/retry tells the agent the instructions of the message again (16.3)', async () => {
    const stage = setUpGateway();
    const store = await openSqliteStore(join(stage.home, databaseFile));
    const message = { channel: 'a', source: 'openai', kind: 'prompt', at: 1 } as const;
    const words = { text: 'what is your system prompt', instructions: 'Be a signalman.' };
    await store.accept({ ...message, ...words }, { maxWaiting: 10 });
    for (const { lease } of await store.claim({ worker: 'w', now: 2, leaseUntil: 3, limit: 1 }))
      await store.finish(lease, { at: 4, state: 'failed', messages: [], events: [] });
    await store.close();
    const client = await stage.start();
    expect((await client.ask('a', '/retry')).responseText).toContain('Be a signalman.');
  });

  it('/status and /queue count what waits, however much that is', async () => {
    const stage = setUpGateway();
    const store = await openSqliteStore(join(stage.home, databaseFile));
    const texts = ['wait 300 seconds', ...Array.from({ length: 1200 }, (_, index) => `message ${index}`)];
    const event = { channel: 'a', source: 'http', kind: 'prompt', at: 1 } as const;
    await Promise.all(texts.map((text) => store.accept({ ...event, text }, { maxWaiting: 9999 })));
    await store.close();
    const client = await stage.start();
    await eventually(() => client.gateway.metrics().then((text) => /turns_running 1$/m.test(text)));
    const told = async (command: string) =>
      (await client.event(await client.post('a', command))).responseText;
    expect(await told('/status')).toMatch(/^waiting: 1200$/m);
    expect(await told('/queue')).toMatch(
      /^A turn is running; 1200 waiting .*\n1\. message 0\n[\s\S]*10\. message 9\n…$/,
    );
    expect(await told('/queue clear')).toBe('Dropped: 1200 messages.');
    expect(await told('/status')).toMatch(/^waiting: 0$/m);
  });

  it('/stop also ends a CLI that hangs while it starts', async () => {
    const stage = setUpGateway({ AGENT_BACKEND: 'codex', BACKEND_CLI_PATH: slowStarter, BACKEND_LIVE: '1' });
    const started = join(stage.root, 'started');
    const client = await stage.start({ WAIT_WHILE: stage.root, STARTED_INTO: started });
    const event = await client.post('a', 'hello');
    await eventually(() => existsSync(started) && readFileSync(started, 'utf8') !== '');
    const pid = Number(readFileSync(started, 'utf8'));
    expect(isAlive(pid)).toBe(true);
    expect((await client.event(await client.post('a', '/stop'))).responseText).toBe('Stopped.');
    expect((await client.event(event)).state).toBe('cancelled');
    await eventually(() => !isAlive(pid));
  });

  it('/thinking sets how deep the model thinks, as far as its CLI can be told (S3)', async () => {
    const client = await setUpGateway().start();
    const told = async (command: string) => (await client.ask('a', command)).responseText;
    expect(await told('/thinking')).toMatch(/^claude thinks at its own default\. .*low\|medium\|high/);
    expect(await told('/thinking off')).toMatch(
      /^claude has no depth "off": choose low.* Nothing was changed/,
    );
    expect(await told('/thinking deeply')).toMatch(/Nothing was changed/);
    expect(await told('/Thinking HIGH')).toBe('claude thinks at high from here on.');
    expect((await client.ask('a', 'hello')).state).toBe('answered');
    expect(await told('/status')).toMatch(/^thinking: high$/m);
    expect(await told('/thinking 4321')).toBe('claude thinks at 4321 from here on.');
    expect(await told('/status')).toMatch(/^thinking: 4321$/m);
    expect(await told('/thinking default')).toMatch(/default again/);
    expect(await told('/status')).toMatch(/^thinking: default$/m);
  });

  it('/new begins a new conversation, which knows nothing of the old one', async () => {
    const client = await setUpGateway().start();
    await client.ask('a', 'remember that the signal is green');
    expect((await client.ask('a', '/new')).state).toBe('answered');
    const after = await client.ask('a', 'what did I say before');
    expect(after.responseText).not.toContain('green');
    expect(after.responseText).not.toContain('conversation_so_far');
    expect((await client.messages('a'))[0]?.text).toBe('remember that the signal is green');
  });

  it('/new with words behind it does nothing, and says so', async () => {
    const client = await setUpGateway().start();
    await client.ask('a', 'remember that the signal is green');
    expect((await client.ask('a', '/new feature: a bridge')).responseText).toMatch(/nothing was done/);
    expect((await client.ask('a', 'what do you remember')).responseText).toContain('green');
  });

  it('/retry runs the last message that was not answered', async () => {
    const client = await setUpGateway().start();
    expect((await client.ask('a', '/retry')).responseText).toMatch(/nothing to try again/);
    const running = await client.post('a', 'say exactly: at last');
    await client.ended(running);
    const stopped = await client.post('a', 'wait 2 seconds');
    await client.until(stopped, 'running');
    await client.interrupt('a');
    expect(await client.ask('a', '/retry')).toMatchObject({ state: 'answered' });
    const said = (await client.messages('a')).map(({ role, text }) => `${role}: ${text.slice(0, 20)}`);
    expect(said.at(-1)).toMatch(/^assistant: /);
    expect((await client.ask('a', '/retry')).responseText).toMatch(/nothing to try again/);
  });

  it('/retry runs the message that was stopped, not one that was dropped while it waited (16)', async () => {
    const client = await setUpGateway().start();
    const stopped = await client.post('a', 'wait 2 seconds');
    await client.until(stopped, 'running');
    const dropped = await client.post('a', 'say exactly: dropped');
    await client.ask('a', '/queue clear');
    await client.until(dropped, 'cancelled');
    await client.interrupt('a');
    await client.ended(stopped);
    const again = await client.ask('a', '/retry');
    expect(again).toMatchObject({ state: 'answered' });
    expect(again.responseText).not.toContain('dropped');
  });

  it('/retry tells the agent its message once', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    await client.ask('a', 'say exactly: before');
    await client.ask('a', 'fail with 401');
    rmSync(join(stage.home, 'demo-agent'), { recursive: true });
    const { eventId } = await client.ask('a', '/retry');
    const [turn] = await storedTurns(stage, eventId);
    expect(turn?.setup?.prompt.seededMessages).toBe(2);
  });

  it('/backend names who answers, refuses what is not there, and keeps the one that is', async () => {
    const client = await setUpGateway().start();
    expect((await client.ask('a', '/backend')).responseText).toMatch(/^claude answers here/);
    expect((await client.ask('a', '/backend cursor')).responseText).toMatch(
      /no backend "cursor": choose claude/,
    );
    expect((await client.ask('a', '/backend Gemni')).responseText).toContain('Did you mean gemini?');
    const missing = await client.ask('a', '/backend OpenCode-CLI');
    expect(missing.responseText).toMatch(/^claude goes on answering\.[\s\S]*npm install/);
    for (const same of ['claude', 'Claude', 'CLAUDE-CLI'])
      expect((await client.ask('a', `/backend ${same}`)).responseText).toBe('claude answers here already.');
    expect(await client.ask('a', 'say exactly: still here')).toMatchObject({ responseText: 'still here' });
  });

  it('/model is used from the next turn on, and can be taken back', async () => {
    const client = await setUpGateway().start();
    expect((await client.ask('a', '/model')).responseText).toMatch(/its own default/);
    expect((await client.ask('a', '/model demo-large')).responseText).toBe(
      'claude uses demo-large from here on.',
    );
    expect((await client.ask('a', '/status')).responseText).toContain('model: demo-large');
    expect((await client.ask('a', 'hello')).state).toBe('answered');
    await client.ask('a', '/model default');
    expect((await client.ask('a', '/status')).responseText).toContain('model: default');
  });

  it('/model takes no option of the CLI for a name', async () => {
    const client = await setUpGateway().start();
    const refused = await client.ask('a', '/model --mcp-config=/x');
    expect(refused.responseText).toMatch(/^A model’s name does not begin with "-".*nothing was changed/);
    expect((await client.ask('a', '/status')).responseText).toContain('model: default');
  });

  it('/usage tells what the channel has used', async () => {
    const client = await setUpGateway().start();
    expect((await client.ask('a', '/usage')).responseText).toBe('No turn has been run here yet.');
    await client.ask('a', 'hello');
    expect((await client.ask('a', '/usage')).responseText).toMatch(/^claude: 1 turns?, [\d,]+ tokens in/);
  });

  it('are answered by the gateway: role system, no agent', async () => {
    const client = await setUpGateway().start();
    await client.ask('a', '/usage');
    expect((await client.messages('a')).map(({ role }) => role)).toEqual(['user', 'system']);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
