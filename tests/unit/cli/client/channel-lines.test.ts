import { describe, expect, it } from 'vitest';
import { ChannelLines } from '../../../../src/cli/client/channel-lines.js';
import type { ChannelNews } from '../../../../src/cli/client/follow-channel.js';
import { askedFor, questionLine } from '../../../../src/cli/client/words.js';
import type { MessageView, PermissionView, TurnView } from '../../../../src/gateway/channels/http/wire.js';

const at = '2026-01-02T03:04:05.000Z';

const said = (role: MessageView['role'], text: string, more: Partial<MessageView> = {}): ChannelNews => ({
  type: 'said',
  message: { id: '1', eventId: 'e', role, text, createdAt: at, ...more },
});

const turn = (state: TurnView['state'], more: Partial<TurnView> = {}): ChannelNews => ({
  type: 'turn',
  turn: { turnId: 't', channel: 'main', eventIds: ['e'], state, startedAt: at, ...more },
});

const chat = (event: object): ChannelNews => ({ type: 'chat', event: { turnId: 't', ...event } as never });

function shown(...news: readonly ChannelNews[]): string {
  const lines = new ChannelLines();
  return news.flatMap((one) => lines.see(one).map(({ text }) => text)).join('');
}

describe('a channel in a terminal (18.5)', () => {
  it('has messages, tools and answers, each answer once', () => {
    const ended = { endedAt: '2026-01-02T03:04:07.000Z', backend: 'claude' };
    expect(
      shown(
        said('user', 'Run the tests.\nAll of them.', { author: 'Ada' }),
        turn('running'),
        chat({ type: 'text', text: 'I run' }),
        chat({ type: 'text', text: ' them.' }),
        chat({ type: 'tool_start', id: '1', name: 'Bash', input: { command: 'npm test' } }),
        chat({ type: 'tool_end', id: '1', output: 'exit 1\nmore', isError: true }),
        chat({ type: 'text', text: 'One fails.' }),
        turn('answered', ended),
        said('assistant', 'One fails.', { backend: 'claude' }),
      ),
    ).toBe(
      [
        'Ada: Run the tests.\n  All of them.\n',
        'I run them.\n[Bash] npm test\n[Bash] failed: exit 1 more\nOne fails.\nclaude · answered · 2.0 s\n',
      ].join(''),
    );
  });

  it('shows an answer that was not seen at work, and none that nobody is to see', () => {
    expect(shown(said('assistant', 'Hello.'))).toBe('Hello.\n');
    expect(shown(said('assistant', 'NO_REPLY', { silent: true }))).toBe('(nothing to say)\n');
    const silent = [
      turn('running'),
      chat({ type: 'text', text: 'NO_' }),
      chat({ type: 'text', text: 'REPLY' }),
    ];
    expect(shown(...silent, said('assistant', 'NO_REPLY', { silent: true }))).toBe('(nothing to say)\n');
    // Somebody waits for this one: it is shown.
    expect(shown(...silent, said('assistant', 'NO_REPLY'))).toBe('NO_REPLY\n');
    expect(
      shown(turn('running'), chat({ type: 'text', text: 'NO' }), chat({ type: 'text', text: 'W' })),
    ).toBe('NOW');
  });

  it('ends a line that something else is said behind', () => {
    const lines = new ChannelLines();
    expect(lines.breakLine()).toEqual([]);
    lines.see(chat({ type: 'text', text: '1 2 3' }));
    expect(lines.breakLine()).toEqual([{ tone: 'plain', text: '\n' }]);
    expect(lines.breakLine()).toEqual([]);
  });

  it('shows a question once, with how to answer it, and not the words for faces without buttons', () => {
    const id = 'prm_3f2a91c0-0000-4000-8000-000000000000';
    const question = {
      ...{ id, channel: 'main', eventId: 'e', tool: 'Bash', input: { command: 'rm -rf \u001b[2Jbuild' } },
      ...{ options: ['allow', 'allow_always', 'deny'], always: 'rm *\nbash:*', createdAt: at },
    };
    const state = { type: 'state', status: { permissions: [question] } } as never as ChannelNews;
    const words = `Permission needed for Bash\n{}\nAnswer allow, deny to request ${id}.`;
    const text = shown(said('system', words), state, state);
    expect(text).toBe(
      '? Bash: rm -rf ␛[2Jbuild\n  turnout permissions allow 3f2a91c0   (or deny, always, show)\n  “always” allows, until the session ends:\n    rm *\n    bash:*\n',
    );
  });

  it('shows each character of what it names the way to allow, and how to see the rest (27.9)', () => {
    const id = 'prm_3f2a91c0-0000-4000-8000-000000000000';
    const input = { command: 'echo hi\nrm -rf ~/work\u00a0#', dangerouslyDisableSandbox: true };
    const question = { id, tool: 'Bash', input, options: ['allow', 'deny'] } as never as PermissionView;
    const asked =
      'Bash: echo hi␊rm -rf ~/work[U+00A0]# (+1 field: turnout permissions show 3f2a91c0 --demo)\n';
    const news = { type: 'state', status: { permissions: [question] } } as never as ChannelNews;
    const [piece] = new ChannelLines(' --demo').see(news);
    expect(piece?.text).toContain(`? ${asked}`);
    expect(questionLine(question, ' --demo')).toContain(asked);
    expect(askedFor({ ...question, input: null, shortened: true }, '')).toBe(
      'Bash: (too long to be shown here: turnout permissions show 3f2a91c0)',
    );
  });

  it('says that an attempt was broken off, and shows the next one whole', () => {
    const next = { turnId: 'u' };
    expect(
      shown(
        turn('running'),
        chat({ type: 'text', text: 'Hel' }),
        turn('postponed'),
        turn('running', next),
        chat({ type: 'text', text: 'Hello.', ...next }),
        turn('answered', next),
        said('assistant', 'Hello.'),
      ),
    ).toBe('Hel\n… broken off; it is tried again\nHello.\nagent · answered\n');
  });
});
