import { describe, expect, it } from 'vitest';
import { readSchedules } from '../../../../src/gateway/schedule/read-schedules.js';
import { directoryWith } from '../temporary-directory.js';

async function read(files: Record<string, string>, outputChannel: string | undefined = 'out') {
  return readSchedules(await directoryWith(files), { outputChannel });
}

describe('heartbeat.md', () => {
  it('has its interval in the front matter and its instructions below', async () => {
    const text = '---\ninterval: 30m\nchannel: ops\n---\nLook at the queue.\n';
    expect(await read({ 'heartbeat.md': text })).toEqual({
      schedules: [
        {
          name: 'heartbeat',
          source: 'heartbeat',
          channel: 'ops',
          text: 'Look at the queue.',
          timing: { type: 'every', ms: 1_800_000 },
        },
      ],
      problems: [],
    });
  });

  it.each([
    ['90s', 90_000],
    ['2h', 7_200_000],
    ['1 d', 86_400_000],
  ])('knows %s', async (interval, ms) => {
    const { schedules } = await read({ 'heartbeat.md': `---\ninterval: ${interval}\n---\nx` });
    expect(schedules).toMatchObject([{ channel: 'out', timing: { ms } }]);
  });

  it.each(['0s', '30', 'soon', '30 minutes', '-5m', '400d', '999999999d', '[1]', 'true', '1.5h'])(
    'refuses an interval of %s',
    async (interval) => {
      const { schedules, problems } = await read({ 'heartbeat.md': `---\ninterval: ${interval}\n---\nx` });
      expect(schedules).toEqual([]);
      expect(problems).toEqual([
        'heartbeat.md line 2: interval: expected a number with a unit, from 1s to 365d: 90s, 30m, 2h, 1d',
      ]);
    },
  );

  it('is nothing when it is missing, empty or switched off', async () => {
    for (const files of [{}, { 'heartbeat.md': ' \n' }, { 'heartbeat.md': '---\nenabled: false\n---\n' }]) {
      expect(await read(files)).toEqual({ schedules: [], problems: [] });
    }
  });

  it('names all that is missing', async () => {
    const { problems } = await readSchedules(await directoryWith({ 'heartbeat.md': '---\n---\n' }), {});
    expect(problems).toEqual([
      expect.stringMatching(/^heartbeat\.md: no interval/),
      expect.stringMatching(/^heartbeat\.md: no channel.*OUTPUT_CHANNEL_ID/),
      expect.stringMatching(/^heartbeat\.md: no instructions/),
    ]);
  });
});

describe('cron.md', () => {
  it('has an entry for each heading of level 2', async () => {
    const text = [
      '# What happens when',
      '',
      '## Morning report',
      '- schedule: `0 9 * * 1-5`',
      '- channel: ops',
      '- timezone: Europe/Berlin',
      '',
      'Summarise what changed:',
      '',
      '- commits: all of them',
      '',
      '### How',
      '```sh',
      '## not a heading',
      '```',
      '',
      '## Backup ##',
      '',
      '* Schedule: "@daily"',
      'Back up.',
      '',
      '## Later',
      '- schedule: nonsense, but switched off',
      '- enabled: false',
    ].join('\r\n');
    expect(await read({ 'cron.md': text })).toEqual({
      schedules: [
        {
          name: 'Morning report',
          source: 'cron',
          channel: 'ops',
          text: 'Summarise what changed:\n\n- commits: all of them\n\n### How\n```sh\n## not a heading\n```',
          timing: { type: 'cron', expression: '0 9 * * 1-5', timezone: 'Europe/Berlin' },
        },
        {
          name: 'Backup',
          source: 'cron',
          channel: 'out',
          text: 'Back up.',
          timing: { type: 'cron', expression: '@daily', timezone: undefined },
        },
      ],
      problems: [],
    });
  });

  it('may have defaults for all entries', async () => {
    const text = '---\ntimezone: Asia/Tokyo\nchannel: here\n---\n## A\n- schedule: 0 9 * * *\n\nDo.';
    expect((await read({ 'cron.md': text })).schedules).toMatchObject([
      { channel: 'here', timing: { timezone: 'Asia/Tokyo' } },
    ]);
  });

  it('names all that is wrong, by line and entry, and keeps what is right', async () => {
    const text = [
      '- schedule: 0 9 * * *', // 1
      '## A',
      '- schedule: 61 * * * *',
      '',
      'Do.',
      '## B',
      'Do.',
      '## C', // 8
      '- schedule: 0 9 * * *',
      '- chanel: x',
      '',
      '## D',
      '- schedule: 0 9 * * *',
      '- timezone: Mars/Olympus',
      '',
      'Do.',
      '## Fine', // 17
      '- schedule: 0 9 * * *',
      '',
      'Do.',
      '## Fine',
      '- schedule: 0 9 * * *',
      '',
      'Do.',
      '##',
      '- schedule: 0 0 31 2 *',
      '',
      'Do.',
    ].join('\n');
    const { schedules, problems } = await read({ 'cron.md': text });
    expect(schedules).toMatchObject([{ name: 'Fine' }]);
    expect(problems).toEqual([
      'cron.md line 1: a schedule outside of an entry; expected a line "## Name" above it',
      'cron.md line 2, "A": schedule "61 * * * *" is not a cron expression: Invalid value for minute: 61',
      expect.stringMatching(/^cron\.md line 6, "B": no schedule; expected/),
      expect.stringMatching(
        /^cron\.md line 8, "C": unknown key "chanel"; expected schedule, channel, timezone/,
      ),
      'cron.md line 8, "C": no instructions',
      'cron.md line 12, "D": timezone "Mars/Olympus" is not known; expected a name like Europe/Berlin',
      'cron.md line 21, "Fine": there is another entry of this name',
      'cron.md line 25, "": expected a name behind ##',
      'cron.md line 25, "": schedule "0 0 31 2 *" never comes',
    ]);
  });

  it.each([
    '* * * *',
    '* * * * * *',
    '2030-01-01T00:00:00',
    '@reboot',
    '@every 5m',
    'x y z a b',
    '0 0 * * 8',
    '',
  ])('refuses the expression %j', async (expression) => {
    const { schedules, problems } = await read({ 'cron.md': `## A\n- schedule: \`${expression}\`\n\nDo.` });
    expect(schedules).toEqual([]);
    expect(problems).toEqual([
      expect.stringMatching(/^cron\.md line 1, "A": schedule ".*" is not a cron expression/),
    ]);
  });

  it('names a channel that nobody could ask', async () => {
    const files = {
      'heartbeat.md': '---\ninterval: 30m\nchannel: our ops\n---\nDo.',
      'cron.md': '## A\n- schedule: @daily\n- channel: ../ops\n\nDo.',
    };
    expect(await read(files)).toEqual({
      schedules: [],
      problems: [
        expect.stringMatching(/^heartbeat\.md: channel "our ops": 1 to 128 of the characters/),
        expect.stringMatching(/^cron\.md line 1, "A": channel "\.\.\/ops": 1 to 128 of the characters/),
      ],
    });
  });

  it('that is none, or too large, is named', async () => {
    expect((await read({ 'cron.md': 'x'.repeat(300_000) })).problems).toEqual([
      'cron.md: is larger than 262144 bytes',
    ]);
    expect((await read({ 'cron.md/x': '', 'heartbeat.md/x': '' })).problems).toEqual([
      'heartbeat.md: is a directory; expected a file',
      'cron.md: is a directory; expected a file',
    ]);
  });
});
