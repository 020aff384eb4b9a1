import { describe, expect, it } from 'vitest';
import { extrasOf } from '../../../../../../src/gateway/channels/discord/receive/extras.js';
import { isAddressed } from '../../../../../../src/gateway/channels/discord/receive/is-for-us.js';
import {
  type DiscordMessage,
  readMessage,
  saysNothing,
} from '../../../../../../src/gateway/channels/discord/receive/read-message.js';

const bot = { id: '900', roleId: '901' };
const known = {
  channel: () => undefined,
  roleName: () => undefined,
  ownRole: () => bot.roleId,
  guildsKnown: async () => {},
};

function message(more: object): DiscordMessage {
  const author = { id: '7', username: 'anna' };
  const lists = { mentions: [], mention_roles: [], attachments: [], embeds: [] };
  return { id: '10', channel_id: '5', type: 0, content: '', author, ...lists, ...more } as never;
}

const read = (more: object) => readMessage(message(more), bot, known, '1');

describe('what is in a message (17.1)', () => {
  it('a role of the bot’s own is a mention of it, and gone from the text', () => {
    const asked = { content: '<@&901> hello', mention_roles: ['901'] };
    expect(isAddressed(message(asked), bot)).toBe(true);
    expect(isAddressed(message({ ...asked, mention_roles: ['902'] }), bot)).toBe(false);
    expect(read(asked).text).toBe('hello');
  });

  it('what is passed on is quoted, without an author, and its files come along', () => {
    const file = { filename: 'log.txt', url: 'https://cdn.discordapp.com/log.txt', size: 3 };
    const snapshot = { content: 'the words <@900>', attachments: [file], embeds: [], mentions: [] };
    const reference = { type: 1, message_id: '3', channel_id: '4' };
    const found = read({ message_reference: reference, message_snapshots: [{ message: snapshot }] });
    expect(found.quoted).toEqual([{ type: 'forwarded', text: 'the words <@900>\n[file "log.txt"]' }]);
    expect(found.attachments).toMatchObject([{ name: 'log.txt' }]);
    expect(saysNothing(found)).toBe(false);
  });

  it('the files of a message that is answered come along, unless it is the bot’s own', () => {
    const file = { filename: 'screen.png', url: 'https://cdn.discordapp.com/screen.png', size: 3 };
    const answered = (id: string) => message({ author: { id, username: 'x' }, attachments: [file] });
    expect(read({ content: 'look', referenced_message: answered('8') }).attachments).toHaveLength(1);
    expect(read({ content: 'look', referenced_message: answered('900') }).attachments).toHaveLength(0);
  });

  it('nothing is in a mention alone; a file, a sticker, a poll and an answered message are something', () => {
    expect(saysNothing(read({ content: '<@900> ' }))).toBe(true);
    expect(saysNothing(read({ content: '<@900> <@&901>' }))).toBe(true);
    expect(saysNothing(read({ attachments: [{ filename: 'a', url: 'b', size: 1 }] }))).toBe(false);
    expect(saysNothing(read({ sticker_items: [{ id: '1', name: 'Wave', format_type: 1 }] }))).toBe(false);
    expect(saysNothing(read({ referenced_message: message({ author: { id: '8', username: 'b' } }) }))).toBe(
      false,
    );
  });

  it('stickers, polls, voice messages and embeds are told in words', () => {
    const choice = (text: string) => ({ answer_id: 1, poll_media: { text } });
    const extras = extrasOf({
      attachments: [{ filename: 'voice-message.ogg', duration_secs: 4.2 }] as never,
      sticker_items: [{ id: '1', name: 'Wave "]\n', format_type: 1 }],
      poll: {
        question: { text: 'Where?' },
        answers: [choice('Here'), choice('There')],
        allow_multiselect: true,
        layout_type: 1,
        expiry: null,
      },
      embeds: [
        {
          title: 'Build failed',
          url: 'https://example.org/1',
          description: 'line one\nline two',
          fields: [{ name: 'branch', value: 'main' }],
          footer: { text: 'CI' },
        },
        { type: 'image' as never, url: 'https://example.org/a.png' },
        { image: { url: 'https://example.org/b.png' } },
        { description: 'x'.repeat(4000) },
      ],
    });
    expect(extras.slice(0, -1)).toEqual([
      '["voice-message.ogg" is a voice message of 5 s]',
      '[sticker "Wave \\"]"]',
      '[poll "Where?" with the answers "Here", "There", several may be chosen]',
      '[embed "Build failed" "https://example.org/1"]',
      'line one\nline two\nbranch: main\nCI',
      '[picture "https://example.org/b.png"]',
      '[embed]',
    ]);
    expect(extras.at(-1)).toHaveLength(1501);
    const [quoted] = read({
      content: 'fix it',
      referenced_message: message({
        author: { id: '8', username: 'ci' },
        embeds: [{ title: 'Build failed' }],
      }),
    }).quoted;
    expect(quoted?.text).toBe('[embed "Build failed"]');
  });
});
