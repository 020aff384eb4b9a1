import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../../src/gateway/gateway.js';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.js';
import { setUpGateway } from '../stage.js';
import { storedTurns } from './stored-turns.js';

describe('a turn of the gateway', () => {
  it('is answered, and the next one goes on with the session (R10.4)', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    expect(await client.ask('a', 'remember that the signal is green')).toMatchObject({ state: 'answered' });
    const second = await client.ask('a', 'what do you remember');
    expect(second.responseText).toContain('the signal is green');
    expect((await client.ask('b', 'what do you remember')).responseText).not.toContain('green');
    const messages = await client.messages('a');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(messages[1]).toMatchObject({ backend: 'claude' });
  });

  it.each(['0', '1'])('goes on after a restart (live: %s)', async (live) => {
    const stage = setUpGateway({ BACKEND_LIVE: live });
    const first = await stage.start();
    await first.ask('a', 'remember that the signal is green');
    await first.stop();
    const second = await stage.start();
    expect((await second.ask('a', 'what do you remember')).responseText).toContain('the signal is green');
    expect(await second.messages('a')).toHaveLength(4);
  });

  it('fails if the agent that its message asks for can’t be used any more; the channel keeps its own (16.3)', async () => {
    const stage = setUpGateway();
    mkdirSync(stage.home);
    const store = await openSqliteStore(join(stage.home, databaseFile));
    const asked = { channel: 'a', source: 'openai', kind: 'prompt', text: 'hello', at: 1 } as const;
    const { event } = await store.accept({ ...asked, agent: { backend: 'no-longer' } }, { maxWaiting: 9 });
    await store.close();
    const client = await stage.start();
    expect(await client.ended(event.id)).toMatchObject({
      state: 'failed',
      error: { code: 'bad_request', message: expect.stringContaining('There is no backend "no-longer"') },
    });
    expect((await client.gateway.status('a')).backend).toBe('claude');
  });

  it('is tried again after a crash of the CLI, at most three times, in its place (R10)', async () => {
    const stage = setUpGateway({ RETRY_DELAY_MS: '20' });
    const client = await stage.start();
    const crashing = await client.post('a', 'crash');
    const behind = await client.post('a', 'say exactly: behind');
    const failed = await client.ended(crashing);
    expect(failed).toMatchObject({ state: 'failed', attempts: 4, error: { code: 'crashed' } });
    expect(await client.ended(behind)).toMatchObject({ state: 'answered', responseText: 'behind' });
    const said = (await client.messages('a')).filter(({ role }) => role !== 'user');
    expect(said.map(({ role }) => role)).toEqual(['system', 'assistant']);
    expect(said[0]?.text).toMatch(/could not answer \(crashed\)[\s\S]*\/retry/);
  });

  it('is not tried again when that would not help', async () => {
    const client = await setUpGateway().start();
    expect(await client.ask('a', 'fail with 401')).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: { code: 'auth' },
    });
  });

  it('is not tried again once a tool has begun, and says which (R10)', async () => {
    const stage = setUpGateway({ QUERY_TIMEOUT_MS: '1500' });
    const client = await stage.start();
    const event = await client.ask('a', 'run a tool for 600 seconds');
    expect(event).toMatchObject({ state: 'failed', attempts: 1, error: { code: 'timeout' } });
    const notice = (await client.messages('a')).at(-1);
    expect(notice).toMatchObject({ role: 'system' });
    expect(notice?.text).toMatch(/Tools that had begun:\n- \w+ .*\(.+\)[\s\S]*\/retry/);
  });

  it.each([
    [
      'a tool',
      'run a tool for 600 seconds',
      { TOOL_TIMEOUT_MS: '700' },
      /^The tool \w+ ran for longer than 0\.7 s$/,
    ],
    ['a silent model', 'hang', { MODEL_SILENCE_MS: '700' }, /^No output from the model for 0\.7 s$/],
  ] as const)('has the same clocks without a live session: %s', async (_, prompt, clock, message) => {
    const stage = setUpGateway({ ...clock, RETRY_DELAY_MS: '1' });
    const client = await stage.start();
    const event = await client.ask('a', prompt);
    expect(event).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
    expect(event.error?.message).toMatch(message);
  });

  it('begins a new session when the old one is gone, and knows what was said (R10)', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    await client.ask('a', 'say exactly: the signal is green');
    const sessions = join(stage.home, 'demo-agent');
    expect(existsSync(sessions)).toBe(true);
    rmSync(sessions, { recursive: true });
    const event = await client.ask('a', 'what did I say before');
    expect(event).toMatchObject({ state: 'answered', attempts: 1 });
    const [turn] = await storedTurns(stage, event.eventId);
    expect(turn?.setup?.prompt.seededMessages).toBe(2);
    expect(turn?.setup?.resumed).toBeUndefined();
    // The agent got the conversation from the archive, in front of the message, and answers to the user's words.
    expect(event.responseText).toMatch(/^You said \(before this\):\n- (?!This conversation).+$/);
  });

  it('has the persona on resumed sessions too, as it is at the moment (R10)', async () => {
    const stage = setUpGateway();
    stage.configure('identity.md', 'You are Signalman.');
    const client = await stage.start();
    const first = await client.ask('a', 'what is your system prompt');
    expect(first.responseText).toContain('You are Signalman.');
    stage.configure('memory.md', 'The bridge is closed.');
    const second = await client.ask('a', 'what is your system prompt');
    expect(second.responseText).toMatch(/You are Signalman\.[\s\S]*The bridge is closed\./);
  });

  it('has the persona as it is at the moment in live sessions, without amnesia', async () => {
    const stage = setUpGateway({ BACKEND_LIVE: '1' });
    stage.configure('identity.md', 'You are Signalman.');
    const client = await stage.start();
    await client.ask('a', 'remember that the signal is green');
    stage.configure('memory.md', 'The bridge is closed.');
    const second = await client.ask('a', 'what is your system prompt');
    expect(second.responseText).toMatch(/You are Signalman\.[\s\S]*The bridge is closed\./);
    expect((await client.ask('a', 'what do you remember')).responseText).toContain('the signal is green');
  });

  it('gives the space of what its CLI printed back before its result is written', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    const kept = () => readdirSync(join(stage.home, 'turns'));
    const seen: number[] = [];
    stage.onPoint((point) => {
      if (point === 'finishing') seen.push(kept().length);
    });
    await client.ask('a', 'hello');
    expect(seen).toEqual([0]);
  });

  it('passes on what was typed: a word that is no command is a prompt', async () => {
    const client = await setUpGateway().start();
    await client.ask('a', '/frobnicate the signal');
    await client.ask('a', ' /new');
    const said = await client.ask('a', 'what did I say before');
    expect(said.responseText).toContain('/frobnicate the signal');
    expect(said.responseText).toContain('/new');
  });

  it.each(['0', '1'])('a NUL arrives, and comes back, as it is (live: %s)', async (live) => {
    const client = await setUpGateway({ BACKEND_LIVE: live }).start();
    const event = await client.ask('a', 'say exactly: a\0b\0');
    expect(event).toMatchObject({ state: 'answered', responseText: 'a\0b\0' });
    expect((await client.messages('a')).map(({ text }) => text)).toEqual(['say exactly: a\0b\0', 'a\0b\0']);
  });

  it('works where its channel says, and follows it when that changes', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    const yard = join(stage.root, 'yard');
    mkdirSync(yard);
    stage.configure('channels/yard/channel.md', `---\ncwd: ${yard}\n---\nThis is the yard.`);
    await client.ask('yard', 'write a note: from the yard');
    expect(readFileSync(join(yard, 'demo-note.txt'), 'utf8')).toContain('from the yard');
    await client.ask('main', 'write a note: from main');
    expect(readFileSync(join(stage.work, 'demo-note.txt'), 'utf8')).toContain('from main');
    stage.configure('channels/yard/channel.md', `---\ncwd: ${stage.work}\n---\n`);
    const moved = await client.ask('yard', 'write a note: moved');
    const [turn] = await storedTurns(stage, moved.eventId);
    expect(turn?.setup).toMatchObject({ cwd: stage.work, prompt: { seededMessages: 2 } });
    expect(turn?.setup?.resumed).toBeUndefined();
  });

  it.each([
    ['a backend that is none', '---\nbackend: cursor\n---\n', 'line 2: backend: expected one of'],
    [
      'a heading in front',
      '# Yard\n---\npermission_mode: plan\n---\n',
      'line 3: permission_mode has no effect',
    ],
    ['a mode that is none', '---\npermission_mode: plann\n---\n', 'line 2: permission_mode: expected one of'],
    ['tools that are no list', '---\ntools: {a: b}\n---\n', 'line 2: tools: expected a list'],
    ['a misspelt restriction', '---\npermision_mode: plan\n---\n', 'line 2: unknown key "permision_mode"'],
    ['front matter that is not closed', '---\ntools: [Read]\n', 'line 1: the front matter is not closed'],
    ['front matter that is no YAML', '---\ntools: [Read\n---\n', 'line 3: not valid YAML'],
    ['front matter that is no mapping', '---\n- plan\n---\n', 'line 2: expected lines of "key: value"'],
  ])('runs no turn without the restriction that was meant: %s', async (_what, text, problem) => {
    const stage = setUpGateway();
    const client = await stage.start();
    stage.configure('channels/safe/channel.md', text);
    const event = await client.ask('safe', 'write a note: not allowed');
    expect(event).toMatchObject({ state: 'failed', attempts: 1, error: { code: 'bad_request' } });
    expect(event.error?.message).toContain(`channels/safe/channel.md ${problem}`);
    expect(stage.points).not.toContain('began');
    expect(existsSync(join(stage.work, 'demo-note.txt'))).toBe(false);
    stage.configure('channels/safe/channel.md', '---\npermission_mode: plan\n---\n');
    expect(await client.ask('safe', 'hello')).toMatchObject({ state: 'answered' });
  });

  it('keeps messages with the same id apart from none, and the queue short', async () => {
    const stage = setUpGateway({ MAX_QUEUE_DEPTH: '2', MAX_CONCURRENT_TURNS: '1' });
    const client = await stage.start();
    const running = await client.post('a', 'wait 2 seconds');
    await client.until(running, 'running');
    const waiting = await client.post('a', 'hello', 'key-1');
    expect(await client.post('a', 'hello', 'key-1')).toBe(waiting);
    await client.post('b', 'hello');
    const refused = await client.postFully('c', 'hello');
    expect(refused).toMatchObject({ state: 'refused', error: { code: 'overloaded' } });
    expect((await client.messages('c')).at(-1)).toMatchObject({ role: 'system' });
    expect(await client.ended(waiting)).toMatchObject({ state: 'answered' });
  });
});
