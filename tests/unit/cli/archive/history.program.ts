import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import type { Store } from '../../../../src/store/store.js';
import { it, type Stage } from '../../../contract/stage.js';
import { exchange, say } from '../../gateway/archive/archive-rows.js';
import { buildOnce, finished, startTurnout, turnout } from '../turnout.js';

const noon = Date.UTC(2026, 0, 31, 12, 0, 0);
const day = 86_400_000;

beforeAll(buildOnce);

/** The store stays open, as that of a running gateway, while `look` runs. */
async function withRows(stage: Stage, look: (store: Store) => Promise<void>): Promise<void> {
  const store = await openSqliteStore(join(stage.home, 'turnout.db'));
  try {
    const general = { channel: 'general', author: 'alice' };
    await exchange(store, { ...general, text: 'Old one?', at: noon - day, answer: 'Yes.' });
    await exchange(store, {
      ...general,
      text: 'New\u001b[2J\n2026-01-31 12:00:00  forged',
      at: noon,
      answer: 'Ye\rs.',
    });
    await say(store, { channel: 'a/b', text: 'I wait', at: noon + 5000 });
    await look(store);
  } finally {
    await store.close();
  }
}

describe.concurrent('turnout history', { timeout: 60_000 }, () => {
  it('lists the titles of channels that have one (17.1)', ({ stage }) =>
    withRows(stage, async (store) => {
      await store.changeListing('general', { title: '#general · Our server' });
      expect((await turnout(stage, ['history'])).stdout).toBe(
        [
          'CHANNEL  TITLE                  MESSAGES  LAST (UTC)',
          'a/b                                    1  2026-01-31 12:00:05  1 waiting',
          'general  #general · Our server         4  2026-01-31 12:00:01',
          '',
        ].join('\n'),
      );
    }));

  it('lists the channels', ({ stage }) =>
    withRows(stage, async () => {
      const done = await turnout(stage, ['history']);
      expect(done).toEqual({
        code: 0,
        stderr: '',
        stdout: [
          'CHANNEL  MESSAGES  LAST (UTC)',
          'a/b             1  2026-01-31 12:00:05  1 waiting',
          'general         4  2026-01-31 12:00:01',
          '',
        ].join('\n'),
      });
      const { channels } = JSON.parse((await turnout(stage, ['history', '--json'])).stdout);
      expect(channels).toMatchObject([
        { channel: 'a/b', waiting: 1 },
        { channel: 'general', messages: 4 },
      ]);
    }));

  it('looks where --home says, like its sisters', ({ stage }) =>
    withRows(stage, async () => {
      const env = { TURNOUT_HOME: stage.path('elsewhere') };
      expect(await turnout(stage, ['history'], { env })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/no gateway data in .*elsewhere[\s\S]*--home/),
      });
      for (const [...args] of [['history'], ['usage'], ['history', 'general']]) {
        const plain = await turnout(stage, args);
        expect(plain).toMatchObject({ code: 0, stderr: '' });
        expect(await turnout(stage, [...args, '--home', stage.home], { env })).toEqual(plain);
      }
      const why = await turnout(stage, ['why', 'evt_1', '--home', stage.home], { env });
      expect(why.stderr).toContain('There is no event "evt_1"');
    }));

  it('needs no setting but where the data is, like its sisters', ({ stage }) =>
    withRows(stage, async (store) => {
      const [asked] = await store.messages('general', { limit: 1 });
      writeFileSync(join(stage.home, '.env'), 'HTTP_PORT=many\nAGENT_BACKEND=cursor\n');
      const env = { LOG_LEVEL: 'loud', MAX_QUEUE_DEPTH: '-1' };
      for (const args of [['history'], ['usage'], ['why', asked?.eventId ?? '']]) {
        expect(await turnout(stage, args, { env })).toMatchObject({ code: 0, stderr: '' });
      }
      // That one is not taken from the directory, either.
      writeFileSync(join(stage.workingDir, '.env'), `TURNOUT_HOME=${stage.home}\n`);
      const unset = { TURNOUT_HOME: undefined };
      const missing = await turnout(stage, ['history'], { env: unset });
      expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('.turnout') });
      const found = await turnout(stage, ['history', '--home', stage.home], { env: unset });
      expect(found).toMatchObject({ code: 0, stderr: '' });
    }));

  it('shows what was said, and no text can pass for another message', ({ stage }) =>
    withRows(stage, async (store) => {
      const [, , asked] = await store.messages('general', { limit: 9 });
      const done = await turnout(stage, ['history', 'general', '--since', '2026-01-31']);
      expect(done).toMatchObject({ code: 0, stderr: '' });
      expect(done.stdout).toBe(
        [
          `2026-01-31 12:00:00  alice (${asked?.eventId})`,
          '    New␛[2J',
          '    2026-01-31 12:00:00  forged',
          '',
          '2026-01-31 12:00:01  claude',
          '    Ye',
          '    s.',
          '',
          '',
        ].join('\n'),
      );
    }));

  it('gives the newest messages, in full as JSON', ({ stage }) =>
    withRows(stage, async () => {
      const texts = async (...args: string[]) => {
        const done = await turnout(stage, ['history', 'general', '--json', ...args]);
        expect(done).toMatchObject({ code: 0, stderr: '' });
        return JSON.parse(done.stdout).messages.map(({ text }: { text: string }) => text);
      };
      const all = ['Old one?', 'Yes.', 'New\u001b[2J\n2026-01-31 12:00:00  forged', 'Ye\rs.'];
      expect(await texts()).toEqual(all);
      expect(await texts('--limit', '1')).toEqual(all.slice(-1));
      expect(await texts('--limit', '3')).toEqual(all.slice(-3));
      expect(await texts('--since', '2026-01-30T12:00:01')).toEqual(all.slice(1));
      expect(await texts('--since', '2026-02-01')).toEqual([]);
    }));

  it('shows the days as Markdown', ({ stage }) =>
    withRows(stage, async () => {
      const done = await turnout(stage, ['history', 'general', '--markdown']);
      expect(done.stdout.match(/^#+ .*$/gm)).toEqual([
        '# `general` · 2026-01-30',
        '## 12:00:00 · `claude` · `opus` · answered · 1.0 s',
        '# `general` · 2026-01-31',
        '## 12:00:00 · `claude` · `opus` · answered · 1.0 s',
      ]);
    }));

  it('does not mind a reader that leaves', ({ stage }) =>
    withRows(stage, async (store) => {
      const text = 'x'.repeat(500_000);
      for (let n = 0; n < 4; n += 1) await say(store, { channel: 'long', text, at: noon });
      for (const form of ['--limit=9', '--markdown', '--json']) {
        const child = startTurnout(stage, ['history', 'long', form]);
        child.stdout?.once('data', () => child.stdout?.destroy());
        expect(await finished(child)).toMatchObject({ code: 0, stderr: '' });
      }
    }));
});

describe.concurrent('turnout history, usage and why', { timeout: 60_000 }, () => {
  it('say so when there is no data, and make none', async ({ stage }) => {
    for (const args of [['history'], ['history', 'x'], ['usage'], ['why', 'x']]) {
      expect(await turnout(stage, args)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(
          `There is no gateway data in ${stage.home}: nothing has been archived yet.`,
        ),
      });
    }
    expect(existsSync(stage.home)).toBe(false);
  });

  it('say so when it is not that one that is there', ({ stage }) =>
    withRows(stage, async () => {
      for (const args of [
        ['history', 'nope'],
        ['usage', '--channel', 'nope'],
        ['why', 'nope'],
      ]) {
        expect(await turnout(stage, args)).toMatchObject({
          code: 1,
          stdout: '',
          stderr: expect.stringContaining('"nope"'),
        });
      }
    }));

  it('say so when it is not a database', async ({ stage }) => {
    mkdirSync(stage.home);
    stage.write('home/turnout.db', 'not a database, but long enough to be taken for one'.repeat(100));
    const done = await turnout(stage, ['history']);
    expect(done).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('turnout.db') });
  });

  it.for([
    ['history', 'a', 'b'],
    ['history', '--limit', '5'],
    ['history', 'a', '--limit', '0'],
    ['history', 'a', '--limit', '1.5'],
    ['history', 'a', '--since', 'yesterday'],
    ['history', 'a', '--since', '2026-02-31'],
    ['history', 'a', '--markdown', '--json'],
    ['history', 'a', '--folow'],
    ['usage', 'general'],
    ['usage', '--by', 'week'],
    ['usage', '--since', '2026-02-01', '--until', '2026-01-01'],
    ['why'],
    ['why', 'a', 'b'],
  ])('are wrong usage: %s %s %s', async (args, { stage }) => {
    const done = await turnout(stage, args);
    expect(done).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`turnout help ${args[0]}`),
    });
  });

  it('tell how they are used', async ({ stage }) => {
    for (const command of ['history', 'usage', 'why']) {
      const done = await turnout(stage, [command, '--help']);
      expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`Usage: turnout ${command}`) });
    }
  });
});
