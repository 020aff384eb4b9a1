import { describe, expect, it } from 'vitest';
import { ago } from '../../../../src/cli/output/ago.js';
import { KeptTurn } from '../../../../src/cli/run/kept-turn.js';
import { turnFooter } from '../../../../src/cli/run/turn-footer.js';
import type { ChatEvent } from '../../../../src/core/chat-event.js';

const facts = {
  sessionId: '3f2a9b1c-77aa-4bcd-8eff-0123456789ab',
  ms: 12_400,
  usage: { inputTokens: 3204, outputTokens: 512, costUsd: 0.02 },
  again: 'turnout run --continue',
};

describe('the line below a turn (18.4)', () => {
  it('has as much as fits into a row, and the command that goes on always', () => {
    const end = '12.4 s · 3,204 in, 512 out · $0.0200';
    const command = 'turnout run --continue "…"';
    expect(turnFooter(facts, 120)).toEqual([`session ${facts.sessionId} · ${end} · ${command}`]);
    expect(turnFooter(facts, 90)).toEqual([`session 3f2a9b1c-77aa · ${end} · ${command}`]);
    expect(turnFooter(facts, 80)).toEqual([`session 3f2a9b1c-77aa · ${end}`, command]);
  });

  it('leaves out what the CLI does not tell, and has nothing that steers a terminal', () => {
    const row = (changed: Partial<typeof facts>, columns: number) =>
      turnFooter({ ...facts, ...changed }, columns)[0];
    expect(turnFooter({ ...facts, usage: undefined }, 60)).toEqual([
      'session 3f2a9b1c-77aa · 12.4 s · turnout run --continue "…"',
    ]);
    expect(row({ usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 } }, 40)).toMatch(/· 12\.4 s$/);
    expect(row({ usage: { ...facts.usage, costUsd: 0.0004 } }, 120)).toContain('· $0.0004 ·');
    expect(row({ sessionId: 'a\u001b[2Jb\n' }, 120)).toMatch(/^session "a␛\[2Jb" · /);
  });

  it('is there for a session that has answered, and not for one that never began', () => {
    const told = (...events: readonly ChatEvent[]) => {
      const kept = new KeptTurn({ home: undefined, backend: 'codex', cwd: '/', prompt: 'x' });
      for (const event of events) kept.see(event);
      return kept.told;
    };
    const session = { type: 'session', sessionId: 'one', backend: 'codex' } as const;
    expect(told(session, { type: 'error', code: 'auth', message: '', retryable: false })).toBeUndefined();
    expect(told({ type: 'text', text: 'a' })).toBeUndefined();
    expect(told(session, { type: 'text', text: 'a' })).toMatchObject({ sessionId: 'one' });
    const usage = { inputTokens: 1, outputTokens: 2 };
    expect(
      told({ type: 'complete', text: '', sessionId: 'two', stopReason: 'end_turn', usage }),
    ).toMatchObject({ sessionId: 'two', usage });
  });
});

describe('how long ago something was (18.4)', () => {
  it.each([
    [0, 'just now'],
    [-5, 'just now'],
    [5 * 60, '5 min ago'],
    [3 * 3600, '3 h ago'],
    [30 * 3600, 'yesterday'],
    [4 * 86_400, '4 days ago'],
    [40 * 86_400, '2026-01-01'],
  ])('%d s: %s', (seconds, words) => {
    const now = Date.parse('2026-02-10T12:00:00Z');
    expect(ago(now - seconds * 1000, now)).toBe(words);
  });
});
