import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  DiscordProblem,
  silent,
  withoutPreviews,
} from '../../../../../../src/gateway/channels/discord/discord-api.js';
import { defaultMissedLimits } from '../../../../../../src/gateway/channels/discord/receive/fetch-missed.js';
import { idAt } from '../../../../../../src/gateway/channels/discord/snowflake.js';
import { patience } from '../../../../../machine-speed.js';
import { annaId, botId, created, deleted, edited, gate, ReceiverStage } from './receiver-stage.js';

const me = `<@${botId}>`;

describe('catching up (17.6)', () => {
  it('goes on after a crash at any step: none is lost, none is there twice, the order is kept', async () => {
    const steps = 40;
    let crashes = 0;
    for (let crashAt = 1; crashAt <= steps; crashAt++) {
      const stage = new ReceiverStage();
      const { id } = stage.write('5', 'seen');
      stage.places.set('5', { channelId: '5', seen: id });
      for (const text of ['a', 'b', 'c', 'd']) {
        stage.write('5', 'between people');
        stage.write('5', `${me} ${text}`);
      }
      let step = 0;
      // A process that is killed does nothing more.
      stage.before = () => (++step >= crashAt ? new Promise(() => {}) : undefined);
      stage.begin().connected();
      await new Promise((resolve) => setImmediate(resolve));
      if (step >= crashAt) crashes++;
      stage.before = () => {};
      const again = stage.begin();
      again.connected();
      await again.received('5');
      expect(stage.texts).toEqual(['a', 'b', 'c', 'd']);
      expect(stage.places.get('5')?.seen).toBe(id);
      if (step < crashAt) break;
    }
    expect(crashes).toBeGreaterThan(8);
    expect(crashes).toBeLessThan(steps);
  });

  it('finds a message that Discord had not told of before a later one, and no other again', async () => {
    const stage = new ReceiverStage();
    const receiver = stage.begin();
    receiver.handle(created(stage.write('5', `${me} zero`)));
    stage.write('5', `${me} one`);
    receiver.handle(created(stage.write('5', `${me} two`)));
    await receiver.received('5');
    expect(stage.texts).toEqual(['zero', 'two']);
    const admitted: string[] = [];
    const again = stage.begin({
      access: { may: async () => true, admit: async ({ content }) => admitted.push(content) > 0 },
    });
    again.connected();
    await again.received('5');
    expect(stage.texts).toEqual(['zero', 'two', 'one']);
    expect(admitted).toEqual([`${me} one`]);
  });

  it('leaves out what the history shows as answered: a store out of a backup does not know (17.6)', async () => {
    const stage = new ReceiverStage();
    const old = stage.write('5', `${me} zero`);
    stage.places.set('5', { channelId: '5', seen: old.id });
    const author = { id: botId, username: 'bot', bot: true } as never;
    const [answered, noted, refused] = ['one', 'two', 'three'].map((text) =>
      stage.write('5', `${me} ${text}`),
    );
    const reply = (to: typeof answered, flags: number) =>
      stage.write('5', 'from the bot', { author, flags, message_reference: { message_id: to?.id } as never });
    reply(answered, 0);
    reply(noted, silent);
    reply(refused, withoutPreviews);
    const receiver = stage.begin();
    receiver.connected();
    await receiver.received('5');
    expect(stage.texts).toEqual(['two', 'three']);
  });

  it('looks no further back than two minutes before the last message that it has seen', async () => {
    const stage = new ReceiverStage();
    const at = (minutes: number) => ({ id: idAt(Date.now() - minutes * 60_000) });
    stage.places.set('5', { channelId: '5', seen: idAt(Date.now() - 3_600_000) });
    const receiver = stage.begin();
    stage.write('5', `${me} long ago`, at(5));
    stage.write('5', `${me} just before`, at(2));
    receiver.handle(created(stage.write('5', `${me} last`, at(1))));
    await receiver.received('5');
    stage.begin().connected();
    await vi.waitFor(() => expect(stage.texts).toEqual(['last', 'just before']), patience);
  });

  it('answers the newest of too many, says so once, and not again after a failure', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const stage = new ReceiverStage();
      stage.places.set('5', { channelId: '5', seen: '1' });
      for (let index = 0; index < 30; index++) stage.write('5', `${me} ${index}`);
      let failures = 1;
      stage.before = (step) => {
        if (step === 'receive' && failures-- > 0) throw new Error('the disk is full');
      };
      const receiver = stage.begin({ missed: { ...defaultMissedLimits, maxCount: 5 } });
      receiver.connected();
      await receiver.received('5');
      await vi.advanceTimersByTimeAsync(1000);
      await receiver.received('5');
      expect(stage.texts).toEqual(['25', '26', '27', '28', '29']);
      const told = stage.log.filter(({ msg, message }) =>
        String(msg ?? message).includes('too many messages'),
      );
      expect(told).toHaveLength(1);
      expect(stage.asked.filter((one) => one.startsWith('member'))).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('asks about four channels at a time; who speaks in one waits for that one alone', async () => {
    const stage = new ReceiverStage();
    const ids = Array.from({ length: 50 }, (_, index) => String(100 + index));
    for (const channelId of ids) stage.places.set(channelId, { channelId, seen: '1' });
    for (const channelId of ids) stage.write(channelId, `${me} missed in ${channelId}`);
    const gates = new Map(ids.map((id) => [id, gate()]));
    let most = 0;
    let now = 0;
    stage.before = async (step, of) => {
      if (step !== 'messages') return;
      most = Math.max(most, ++now);
      await gates.get(of)?.opened;
      now--;
    };
    const receiver = stage.begin();
    receiver.connected();
    await new Promise((resolve) => setImmediate(resolve));
    expect(now).toBe(4);
    const live = stage.write('149', `${me} now`);
    receiver.handle(created(live));
    receiver.handle(created(stage.write('148', 'between people')));
    gates.get('149')?.open();
    await receiver.received('149');
    expect(stage.texts).toEqual(['missed in 149', 'now']);
    expect(most).toBe(5);
    for (const { open } of gates.values()) open();
    await Promise.all(ids.map((id) => receiver.received(id)));
    expect(stage.texts).toHaveLength(51);
    expect(most).toBe(5);
  });

  it('knows the guilds before it looks: without its roles it would miss mentions of its own', async () => {
    const stage = new ReceiverStage();
    stage.places.set('5', { channelId: '5', seen: '1' });
    stage.write('5', '<@&901> hello', { mention_roles: ['901'] });
    const known = gate();
    let isKnown = false;
    const receiver = stage.begin({
      known: {
        channel: () => (isKnown ? { guildId: '1' } : undefined),
        roleName: () => undefined,
        ownRole: () => (isKnown ? '901' : undefined),
        guildsKnown: () => known.opened,
      },
    });
    receiver.connected();
    isKnown = true;
    known.open();
    await receiver.received('5');
    expect(stage.texts).toEqual(['hello']);
  });
});

describe('where the history is not readable (17.6)', () => {
  const failing = async (history: 'empty' | 'refused') => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const stage = new ReceiverStage();
    let fails = true;
    stage.before = (step) => {
      if (step === 'receive' && fails) throw new Error('database is locked');
      if (step === 'messages' && history === 'refused') throw new DiscordProblem('no', 403, 50001);
    };
    const receiver = stage.begin();
    const say = (text: string, more = {}) => {
      const message = stage.write('5', `${me} ${text}`, more);
      receiver.handle(created(message));
      // The bot is shown nothing of it later.
      stage.channels.delete('5');
      return message;
    };
    const recover = async () => {
      fails = false;
      await vi.advanceTimersByTimeAsync(60_000);
      await receiver.received('5');
    };
    return { stage, receiver, say, recover };
  };

  it.each(['empty', 'refused'] as const)(
    'messages that could not be stored are taken from memory: %s',
    async (history) => {
      const { stage, receiver, say, recover } = await failing(history);
      say('one');
      await receiver.received('5');
      const two = say('two');
      const three = say('three');
      say('four');
      await receiver.received('5');
      receiver.handle(edited(two, `${me} second`));
      receiver.handle(deleted(three));
      expect(stage.texts).toEqual([]);
      await recover();
      expect(stage.texts).toEqual(['one', 'second', 'four']);
    },
  );

  it('keeps a hundred of a channel, and says so of more', async () => {
    const { stage, receiver, say, recover } = await failing('empty');
    for (let index = 0; index < 102; index++) say(String(index));
    await receiver.received('5');
    await recover();
    expect(stage.texts).toHaveLength(100);
    expect(stage.texts.at(-1)).toBe('99');
    expect(JSON.stringify(stage.log).match(/wait to be taken/g)).toHaveLength(2);
  });
});

describe('a message that is changed before it is on disk (17.3)', () => {
  it('is taken as it is then, or not at all', async () => {
    const stage = new ReceiverStage();
    const loading = gate();
    stage.before = (step) => (step === 'attachments' ? loading.opened : undefined);
    const receiver = stage.begin();
    const [one, two, three, four] = ['one', 'two', 'three', 'four'].map((text) =>
      stage.write('5', `${me} ${text}`),
    );
    if (!one || !two || !three || !four) throw new Error('four messages');
    for (const message of [one, two, three, four]) receiver.handle(created(message));
    await new Promise((resolve) => setImmediate(resolve));
    // The first one's files are being loaded; the others wait behind it.
    receiver.handle(edited(one, `${me} first`));
    receiver.handle(edited(one, `${me} the very first`));
    receiver.handle(deleted(two));
    receiver.handle(edited(three, `${me} third`));
    receiver.handle(edited(four, 'not for the bot any more'));
    loading.open();
    await receiver.received('5');
    expect(stage.texts).toEqual(['the very first', 'third']);
    expect(BigInt(stage.places.get('5')?.seen ?? 0)).toBeLessThan(BigInt(four.id));
  });

  it('is not taken if it is deleted while its files are loaded, also while catching up', async () => {
    const stage = new ReceiverStage();
    stage.places.set('5', { channelId: '5', seen: '1' });
    const [one, two, three] = ['one', 'two', 'three'].map((text) => stage.write('5', `${me} ${text}`));
    if (!one || !two || !three) throw new Error('three messages');
    const loading = gate();
    stage.before = (step) => (step === 'attachments' ? loading.opened : undefined);
    const receiver = stage.begin();
    receiver.connected();
    await new Promise((resolve) => setImmediate(resolve));
    receiver.handle(deleted(one));
    receiver.handle({ t: 'MESSAGE_DELETE_BULK', d: { channel_id: '5', ids: [two.id] } } as never);
    loading.open();
    await receiver.received('5');
    expect(stage.texts).toEqual(['three']);
  });
});

describe('a mention without a word (17.1)', () => {
  it('is asked back, without an agent, and not long after', async () => {
    const stage = new ReceiverStage();
    const receiver = stage.begin();
    receiver.handle(created(stage.write('5', me)));
    receiver.handle(created(stage.write('5', `${me}  `, { id: '4194304000' })));
    await receiver.received('5');
    expect(stage.received).toEqual([]);
    expect(stage.sent).toHaveLength(1);
    expect(stage.sent[0]?.content).toContain('What can I do for you?');
  });

  it('a backslash makes a prompt of what would be a command (17.5)', async () => {
    const stage = new ReceiverStage();
    const receiver = stage.begin({ isCommand: (text) => text.startsWith('/') });
    receiver.handle(created(stage.write('5', `${me} \\/new idea: bread`)));
    await receiver.received('5');
    expect(stage.received[0]?.text).toBe(' /new idea: bread');
    expect(stage.received[0]?.context).toContain('[Discord context');
  });

  it('passes on what was said since the bot’s last message, or nothing if that fails (17.1)', async () => {
    const stage = new ReceiverStage();
    const receiver = stage.begin({ contextMessages: 10 });
    const bob = { author: { id: '8', username: 'bob' } as never };
    stage.write('5', 'long ago', bob);
    stage.write('5', 'my last words', { author: { id: botId, username: 'bot' } as never });
    stage.write('5', 'the build is red', bob);
    stage.write('5', 'since <@8> left', { author: { id: '9', username: 'eve' } as never });
    receiver.handle(created(stage.write('5', `${me} why?`)));
    await receiver.received('5');
    const context = stage.received[0]?.context;
    expect(context).toContain(
      'oldest first:\n"bob" (user "8"):\n> the build is red\n"eve" (user "9"):\n> since <@8> left\n[End of',
    );
    expect(context).not.toMatch(/long ago|my last words/);
    stage.before = (step) => {
      if (step === 'messages') throw new Error('no answer');
    };
    receiver.handle(created(stage.write('5', `${me} and now?`)));
    await receiver.received('5');
    expect(stage.received[1]?.text).toBe('and now?');
    expect(stage.received[1]?.context).not.toContain('was said in the channel');
  });

  it('means the message that it answers; one’s own is the question itself', async () => {
    const stage = new ReceiverStage();
    const receiver = stage.begin();
    const theirs = stage.write('5', 'It does not start.', { author: { id: '8', username: 'bob' } as never });
    const own = stage.write('5', 'what is two and two?');
    receiver.handle(created(stage.write('5', me, { type: 19, referenced_message: theirs } as never)));
    receiver.handle(created(stage.write('5', me, { type: 19, referenced_message: own } as never)));
    await receiver.received('5');
    expect(stage.sent).toEqual([]);
    expect(stage.received[0]?.text).toBe('(a reply without words)');
    expect(stage.received[0]?.context).toContain('wants you to look at the message below');
    expect(stage.received[0]?.context).toContain('> It does not start.');
    expect(stage.texts[1]).toBe('what is two and two?');
    expect(stage.received[1]?.text).not.toContain('It answers');
    expect(stage.received[1]?.author).toBe('anna');
    expect(annaId).toBe(own.author.id);
  });
});

describe('somebody whose message has waited (17.8)', () => {
  it('is looked at again: by id, then by roles; nobody is refused because Discord does not answer', async () => {
    const stage = new ReceiverStage();
    let [allowed, reachable] = ['7', true];
    const api = {
      member: async () => {
        if (!reachable) throw new DiscordProblem('no answer', undefined, undefined);
        return { roles: ['70'] } as never;
      },
    } as never;
    const may = async ({ id, roles }: { id: string; roles: readonly string[] }) =>
      [id, ...roles].includes(allowed);
    const receiver = stage.begin({ api, access: { may, admit: async () => true } });
    expect(await receiver.maySpeak(annaId, '5')).toBe(true);
    allowed = '70';
    expect(await receiver.maySpeak(annaId, '5')).toBe(true);
    allowed = '8';
    expect(await receiver.maySpeak(annaId, '5')).toBe(false);
    reachable = false;
    expect(await receiver.maySpeak(annaId, '5')).toBeUndefined();
  });
});
