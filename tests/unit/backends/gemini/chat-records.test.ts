import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  keepConversation,
  rememberRecord,
  removeStubs,
} from '../../../../src/backends/gemini/chat-records.js';

const id = 'abcdef12-0000-4000-8000-000000000001';
const other = 'abcdef12-0000-4000-8000-000000000002';
/** The eight characters under which a conversation of that id is kept. */
const kept = 'qrstuvhi';

let home: string;
let chats: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'turnout-gemini-records-'));
  chats = join(home, '.gemini', 'tmp', 'work', 'chats');
  mkdirSync(chats, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const env = () => ({ HOME: home });
const header = (sessionId = id) =>
  JSON.stringify({ sessionId, projectHash: 'x', startTime: 't', lastUpdated: 't', kind: 'main' });
const message = (type: string, text: string) => JSON.stringify({ id: text, type, content: [{ text }] });
const context = JSON.stringify({
  $set: {
    messages: [
      { id: 'c', type: 'user', content: [{ text: '<session_context>\nToday\n</session_context>' }] },
    ],
    lastUpdated: 't',
  },
});
const stub = (sessionId = id) => [header(sessionId), context, header(sessionId), context];
const conversation = (sessionId = id) => [header(sessionId), context, message('user', 'hi')];
const write = (minute: string, lines: readonly string[], shortId = 'abcdef12', extension = 'jsonl') =>
  writeFileSync(join(chats, name(minute, shortId, extension)), lines.map((line) => `${line}\n`).join(''));
const name = (minute: string, shortId = 'abcdef12', extension = 'jsonl') =>
  `session-2026-01-01T10-${minute}-${shortId}.${extension}`;
const read = (file: string) => readFileSync(join(chats, file), 'utf8').trimEnd().split('\n');
const files = () => readdirSync(chats).sort();

describe('a conversation that is to be resumed', () => {
  it('gets a name that Gemini deletes with no stub, and its stubs go', async () => {
    write('10', conversation());
    write('20', stub());
    await keepConversation(id, env());
    expect(files()).toEqual([name('10', kept)]);
    expect(read(name('10', kept))).toEqual(conversation());
  });

  it('keeps that name', async () => {
    write('10', conversation(), kept);
    write('20', stub());
    await keepConversation(id, env());
    await keepConversation(id, env());
    expect(files()).toEqual([name('10', kept)]);
  });

  it('takes no other file its name', async () => {
    write('10', [...conversation(), message('gemini', 'older')], kept);
    write('10', conversation());
    await keepConversation(id, env());
    expect(files()).toEqual([name('09', kept), name('10', kept)]);
    expect(read(name('10', kept))).toHaveLength(4);
  });

  it('is found in an older version of the format', async () => {
    const document = {
      sessionId: id,
      projectHash: 'x',
      messages: [{ id: 'a', type: 'user', content: 'hi' }],
    };
    write('10', [JSON.stringify(document, null, 2)], 'abcdef12', 'json');
    await keepConversation(id, env());
    expect(files()).toEqual([name('10', kept, 'json')]);
  });

  it('is found when it is long', async () => {
    write('10', [...conversation(), message('gemini', 'x'.repeat(600_000))]);
    await keepConversation(id, env());
    expect(files()).toEqual([name('10', kept)]);
  });

  it('is not taken for another one with the same eight characters', async () => {
    write('10', conversation(other));
    write('20', stub(other));
    write('30', conversation());
    write('40', stub());
    await keepConversation(id, env());
    expect(files()).toEqual([name('10'), name('30', kept)]);
  });

  it('may not be there at all', async () => {
    await keepConversation(id, { HOME: join(home, 'nobody') });
    await keepConversation(id, env());
    write('10', stub());
    await keepConversation(id, env());
    expect(files()).toEqual([name('10')]);
  });
});

describe('a stub', () => {
  it.each([undefined, id])('goes where the conversation is there as well (%s)', async (sessionId) => {
    write('10', conversation());
    write('20', stub());
    write('30', [context]);
    await removeStubs(env(), sessionId);
    expect(files()).toEqual([name('10')]);
  });

  it('of another session stays when only one is meant', async () => {
    write('10', conversation());
    write('20', stub());
    await removeStubs(env(), '00000000-0000-4000-8000-000000000001');
    expect(files()).toHaveLength(2);
  });

  it('stays where it is the session: one that was just made', async () => {
    write('10', stub());
    write('20', stub(other));
    write('30', conversation('abcdef12-0000-4000-8000-000000000003'));
    await removeStubs(env());
    expect(files()).toHaveLength(3);
  });

  it.each([
    ['a prompt', message('user', 'hi')],
    ['a prompt behind a context', message('user', '<session_context></session_context> hi')],
    ['a prompt with the context of a hook', message('user', '<hook_context></hook_context>')],
    ['a command', message('user', '/help')],
    ['an answer', message('gemini', '')],
    ['a list of messages', JSON.stringify({ $set: { messages: [JSON.parse(message('user', 'hi'))] } })],
    ['a summary', JSON.stringify({ $set: { summary: 'What was said' } })],
    ['a step back', JSON.stringify({ $rewindTo: 'x' })],
    ['what is not JSON', 'half a li'],
    ['what is no object', '[1]'],
    ['a kind of record that is not known', JSON.stringify({ note: 'x' })],
    ['more than a stub would have', JSON.stringify({ kind: 'x'.repeat(300_000) })],
  ])('is none with %s in it, and stays', async (_, line) => {
    write('10', conversation(), kept);
    write('20', [header(), context, line]);
    await removeStubs(env());
    expect(files()).toHaveLength(2);
    await keepConversation(id, env());
    expect(files()).toEqual([name('10', kept), name('20', kept)]);
  });
});

it('What a process said under the old name goes behind the conversation, and replaces nothing', async () => {
  write('10', conversation(), kept);
  write('10', [message('user', 'more'), context, message('gemini', 'answer')]);
  await removeStubs(env());
  expect(files()).toEqual([name('10', kept)]);
  expect(read(name('10', kept))).toEqual([
    ...conversation(),
    message('user', 'more'),
    message('gemini', 'answer'),
  ]);
});

describe('the record of a new session', () => {
  it('is given back when it has gone', async () => {
    write('10', stub());
    const restore = await rememberRecord(id, env());
    rmSync(join(chats, name('10')));
    await restore();
    expect(read(name('10'))).toEqual(stub());
  });

  it('is left alone when it is there', async () => {
    write('10', stub());
    const restore = await rememberRecord(id, env());
    write('10', conversation());
    await restore();
    expect(read(name('10'))).toEqual(conversation());
  });

  it('may not be there at all', async () => {
    await (await rememberRecord(id, { HOME: join(home, 'nobody') }))();
    await (await rememberRecord(id, env()))();
    expect(files()).toEqual([]);
  });
});
