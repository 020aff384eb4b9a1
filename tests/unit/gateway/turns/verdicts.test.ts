import { describe, expect, it } from 'vitest';
import { type ErrorEvent, errorEvent, type TerminalEvent } from '../../../../src/core/chat-event.js';
import { failureEvent, TurnoutError } from '../../../../src/core/errors.js';
import type { RuntimeReport } from '../../../../src/gateway/agent-runtime.js';
import { Attempt } from '../../../../src/gateway/turns/attempt.js';
import {
  type AttemptEnd,
  abandoned,
  answered,
  answeredByCommand,
  failedAfterTools,
  failedBeforeTools,
  failedInside,
  longestWait,
  maxCrashes,
  maxRetries,
  queueCleared,
  refusedByHook,
  retryStopped,
  type Settlement,
  type TurnStop,
  unanswered,
} from '../../../../src/gateway/turns/verdicts.js';
import { StoreError } from '../../../../src/store/errors.js';
import type { StoredEvent } from '../../../../src/store/rows.js';

const at = 1000;
const retryDelayMs = 100;
const tool = { id: 't1', name: 'Bash', input: { command: 'rm x' }, startedAt: 5 };
const toolLines = '\nTools that had begun:\n- Bash rm x (begun, end unknown)';
const byHand = '\nIt is not repeated by itself: send /retry to run it again.';

const passing = errorEvent('overloaded', 'too much to do');
const final = errorEvent('auth', 'no key');
const answer = { type: 'complete', text: 'yes', sessionId: 's1', stopReason: 'end_turn' } as const;
const lost = { type: 'lost', sessionId: 's0', reason: 'gone' } as const;
const interrupted = errorEvent('interrupted', 'Interrupted');

interface EndFacts {
  readonly ending: TerminalEvent;
  readonly tools?: boolean;
  readonly stop?: TurnStop;
  readonly attempts?: number;
  readonly toolBlocked?: string;
  readonly turnBlocked?: string;
  readonly sessionId?: string;
  readonly session?: RuntimeReport['session'];
  readonly mayStaySilent?: boolean;
}

function endOf(facts: EndFacts): AttemptEnd {
  const { ending, attempts = 1, stop } = facts;
  const attempt = new Attempt();
  attempt.sessionId = facts.sessionId;
  // The runtime leaves a session that can be resumed.
  const lost = ending.type === 'error' && ending.code === 'session_not_found';
  if (facts.sessionId !== undefined && !lost)
    attempt.pending.session = { backend: 'claude', sessionId: facts.sessionId, cwd: '/w' };
  attempt.blocked = facts.toolBlocked;
  if (facts.tools) attempt.toolStarted(tool);
  attempt.recorder.accept({ type: 'usage', inputTokens: 3, outputTokens: 4 });
  const event: StoredEvent = {
    ...{ id: 'evt_1', seq: 1, channel: 'a', source: 'http', kind: 'prompt', text: 'hello', state: 'running' },
    ...{ createdAt: 1, attempts, crashes: 0 },
  };
  const settings: RuntimeReport['settings'] = {
    ...{ backend: 'claude', cwd: '/w', queueMode: 'collect', permissionMode: 'ask', live: false },
    ...{ confirmTools: false, asksPerson: true },
    ...{ problems: [], unusable: [] },
  };
  const report: RuntimeReport = {
    ...{ ending, settings, blocked: facts.turnBlocked, session: facts.session ?? { type: 'told' } },
    result: ending.type === 'error' ? { error: ending.message } : { responseText: ending.text },
  };
  const { mayStaySilent = false } = facts;
  return { event, attempt, report, stop, mayStaySilent, at, retryDelayMs, shortageDelayMs: 7 };
}

function verdict(facts: EndFacts & { readonly ending: ErrorEvent }): Settlement {
  return unanswered(endOf(facts), facts.ending);
}

function said(settlement: Settlement): string | undefined {
  return settlement.type === 'finish' ? settlement.outcome.messages[0]?.text : undefined;
}

const usage = { inputTokens: 3, outputTokens: 4 };

describe('on arrival', () => {
  it('a message that a hook blocks is refused, with the hook’s reason', () => {
    const message = 'Blocked by a hook: too rude';
    expect(refusedByHook('too rude', at)).toEqual({
      at,
      state: 'refused',
      error: { code: 'bad_request', message },
      messages: [{ role: 'system', text: message }],
    });
  });

  it('a command is answered with its reply, and changes its channel', () => {
    expect(answeredByCommand({ text: 'Done.', change: { model: null } }, at)).toEqual({
      at,
      state: 'answered',
      responseText: 'Done.',
      messages: [{ role: 'system', text: 'Done.' }],
      channelChange: { model: null },
    });
  });
});

describe('a limit whose end is known', () => {
  const limited = (retryAfterMs: number): ErrorEvent => ({
    ...errorEvent('rate_limit', 'slow down'),
    retryAfterMs,
  });

  it('is waited for, if that is longer than the growing delay', () => {
    const next = (retryAfterMs: number, attempts: number) => {
      const settlement = verdict({ ending: limited(retryAfterMs), attempts });
      return settlement.type === 'postpone' ? settlement.retry.notBefore - at : settlement.type;
    };
    expect(next(20_000, 1)).toBe(20_000);
    expect(next(20_000, maxRetries)).toBe(20_000);
    expect(next(150, 2)).toBe(200);
    expect(next(20_000, maxRetries + 1)).toBe('finish');
    expect(longestWait(retryDelayMs)).toBeGreaterThanOrEqual(15 * 60_000);
  });

  it('is told at once, without its end, if that is no time at all', () => {
    for (const retryAfterMs of [1e18, Number.POSITIVE_INFINITY])
      expect(said(verdict({ ending: limited(retryAfterMs) }))).toBe(
        'claude could not answer (rate_limit): slow down\nSend /retry to try again.',
      );
    const settlement = verdict({ ending: limited(Number.NaN) });
    expect(settlement).toMatchObject({ type: 'postpone', retry: { notBefore: at + retryDelayMs } });
  });

  it('is told at once, with its end, if that is too far away', () => {
    const settlement = verdict({ ending: limited(16 * 60_000) });
    expect(settlement).toMatchObject({ type: 'finish', outcome: { state: 'failed' } });
    expect(said(settlement)).toBe(
      'claude could not answer (rate_limit): slow down\nSend /retry to try again after 1970-01-01T00:16:01.000Z.',
    );
  });
});

describe('while it waits', () => {
  const by = { type: 'stopped', by: '/stop' } as const;

  it('a retry that is stopped is cancelled with all messages of its attempt, and the last failure is told', () => {
    const error = { code: 'overloaded', message: 'too much to do' } as const;
    expect(retryStopped({ channel: 'a', error }, ['evt_1', 'evt_2'], by, at)).toEqual({
      channel: 'a',
      at,
      error: { code: 'interrupted', message: 'Stopped by /stop while it waited for its retry' },
      only: ['evt_1', 'evt_2'],
      notice:
        'Stopped by /stop while it waited for its retry. The last attempt had failed (overloaded): too much to do\nSend /retry to run it again.',
    });
  });

  it('/queue clear cancels all that waits, without a notice of its own', () => {
    expect(queueCleared('a', at)).toEqual({
      channel: 'a',
      at,
      error: { code: 'interrupted', message: 'Dropped by /queue clear' },
    });
  });
});

describe('at the end of its turn', () => {
  it('an answer is answered, with session and usage', () => {
    const ending = { type: 'complete', text: 'hi', sessionId: 's1', stopReason: 'end_turn' } as const;
    const settlement = answered(endOf({ ending, sessionId: 's1' }), 'hi, rewritten', 'end_turn');
    expect(settlement).toMatchObject({
      type: 'finish',
      outcome: {
        at,
        state: 'answered',
        responseText: 'hi, rewritten',
        stopReason: 'end_turn',
        messages: [{ role: 'assistant', text: 'hi, rewritten', backend: 'claude' }],
        session: { backend: 'claude', sessionId: 's1', cwd: '/w' },
        usage,
      },
    });
  });

  it('an answer of NO_REPLY is silent in a turn that nobody waits for, and only as the whole of it (18.5)', () => {
    const ending = { type: 'complete', text: '', sessionId: 's', stopReason: 'end_turn' } as const;
    const messages = (text: string, mayStaySilent: boolean) => {
      const settlement = answered(endOf({ ending, mayStaySilent }), text, 'end_turn');
      return settlement.type === 'finish' ? settlement.outcome.messages : [];
    };
    expect(messages(' NO_REPLY\n', true)).toMatchObject([{ role: 'assistant', silent: true }]);
    for (const [text, mayStaySilent] of [
      ['NO_REPLY', false],
      ['All is well.\nNO_REPLY', true],
      ['no_reply', true],
    ] as const)
      expect(messages(text, mayStaySilent)).toEqual([{ role: 'assistant', text, backend: 'claude' }]);
  });

  it('a turn that a hook blocks at its start is refused, even if it was stopped meanwhile', () => {
    const ending = errorEvent('bad_request', 'Blocked by a hook: no');
    const settlement = verdict({ ending, turnBlocked: 'no', stop: { type: 'drain' } });
    expect(settlement).toMatchObject({ outcome: { state: 'refused', error: { code: 'bad_request' } } });
    expect(said(settlement)).toBe('Blocked by a hook: no');
  });

  it('a turn that a hook stops at a tool is cancelled, even if somebody stopped it too', () => {
    const stop = { type: 'stopped', by: '/stop' } as const;
    const settlement = verdict({ ending: interrupted, toolBlocked: 'Bash: no', tools: true, stop });
    expect(settlement).toMatchObject({ outcome: { state: 'cancelled', error: { code: 'interrupted' } } });
    expect(said(settlement)).toBe(`Stopped by a hook (Bash: no).${toolLines}`);
  });

  it('a turn that somebody stops is cancelled, not retried, whatever the CLI made of it', () => {
    const stop = { type: 'stopped', by: 'a newer message' } as const;
    for (const ending of [interrupted, passing]) {
      const settlement = verdict({ ending, stop });
      expect(settlement).toMatchObject({
        outcome: {
          state: 'cancelled',
          error: { code: 'interrupted', message: 'Stopped by a newer message' },
        },
      });
      expect(said(settlement)).toBe('Stopped by a newer message.');
    }
    expect(said(verdict({ ending: interrupted, stop, tools: true }))).toBe(
      `Stopped by a newer message.${toolLines}`,
    );
  });

  it('a drain puts off a turn without tools, and the attempt is free', () => {
    expect(verdict({ ending: interrupted, stop: { type: 'drain' }, attempts: 9 })).toMatchObject({
      type: 'postpone',
      retry: { at, notBefore: at, free: true, error: { code: 'interrupted' }, usage },
    });
  });

  it('a drain fails a turn with tools', () => {
    const settlement = verdict({ ending: interrupted, stop: { type: 'drain' }, tools: true });
    expect(settlement).toMatchObject({ outcome: { state: 'failed', error: { code: 'interrupted' } } });
    expect(said(settlement)).toBe(`The gateway was stopped before this was done.${toolLines}${byHand}`);
  });

  it('an error that may pass is retried after a delay that doubles, so often and no oftener (R10)', () => {
    for (const [attempts, delay] of [
      [1, 100],
      [2, 200],
      [maxRetries, 400],
    ] as const) {
      expect(verdict({ ending: passing, attempts })).toMatchObject({
        type: 'postpone',
        retry: { notBefore: at + delay, free: false, error: { code: 'overloaded' }, usage },
      });
    }
    const last = verdict({ ending: passing, attempts: maxRetries + 1 });
    expect(last).toMatchObject({ type: 'finish', outcome: { state: 'failed' } });
    expect(said(last)).toBe(
      'claude could not answer (overloaded): too much to do\nSend /retry to try again.',
    );
  });

  it('a CLI that is not installed for a moment is retried, too (R10)', () => {
    expect(verdict({ ending: errorEvent('not_installed', 'no claude') }).type).toBe('postpone');
  });

  it('an error that may pass is not retried when tools had begun', () => {
    const settlement = verdict({ ending: passing, tools: true });
    expect(settlement).toMatchObject({ outcome: { state: 'failed' } });
    expect(said(settlement)).toBe(
      `claude could not answer (overloaded): too much to do${toolLines}\nSend /retry to try again.`,
    );
  });

  it('any other error is failed at once', () => {
    const settlement = verdict({ ending: final });
    expect(settlement).toMatchObject({
      outcome: { state: 'failed', error: { code: 'auth', message: 'no key' } },
    });
    expect(said(settlement)).toBe('claude could not answer (auth): no key\nSend /retry to try again.');
  });

  it('a session that got lost is forgotten, and none is kept that was not found', () => {
    const told = {
      role: 'system',
      text: expect.stringMatching(/^The session with claude could not be resumed \(gone\)/),
    };
    expect(verdict({ ending: passing, session: lost })).toMatchObject({
      retry: { forgetSession: 'claude', messages: [told] },
    });
    const notFound = errorEvent('session_not_found', 'gone');
    const settlement = verdict({ ending: notFound, sessionId: 's1', session: lost });
    expect(settlement).toMatchObject({ outcome: { session: undefined, forgetSession: 'claude' } });
    expect(settlement).toMatchObject({ outcome: { messages: [told, { role: 'system' }] } });
  });

  it('the new session takes the place of one that got lost, and the channel is told before the answer (R10)', () => {
    const end = endOf({ ending: answer, sessionId: 's1', session: lost });
    expect(answered(end, 'yes', 'end_turn')).toMatchObject({
      outcome: {
        session: { sessionId: 's1' },
        messages: [{ role: 'system' }, { role: 'assistant', text: 'yes' }],
      },
    });
  });
});

describe('when its gateway has died', () => {
  const facts = { begun: [], isAsking: false, crashes: 0, at };

  it('a turn without tools is run again at once, and the crash is counted in place of the attempt', () => {
    expect(abandoned({ ...facts, crashes: maxCrashes - 1 })).toMatchObject({
      type: 'postpone',
      retry: { notBefore: at, free: true, crashed: true, error: { code: 'crashed' } },
    });
  });

  it('a turn that asks for a permission is run again, however often', () => {
    expect(abandoned({ ...facts, isAsking: true, crashes: 9 * maxCrashes })).toMatchObject({
      type: 'postpone',
      retry: { notBefore: at, free: true, crashed: false },
    });
  });

  it('a turn with tools is failed, even while it asks for a permission', () => {
    const settlement = abandoned({ ...facts, begun: [tool], isAsking: true });
    expect(settlement).toMatchObject({ outcome: { state: 'failed', error: { code: 'crashed' } } });
    expect(said(settlement)).toBe(
      'The gateway ended while this was being worked on. It is not repeated by itself, because tools had begun:\n' +
        '- Bash rm x (begun, end unknown)\nSend /retry to run it again.',
    );
  });

  it('a message that met too many crashes is failed', () => {
    const settlement = abandoned({ ...facts, crashes: maxCrashes });
    expect(settlement).toMatchObject({ outcome: { state: 'failed' } });
    expect(said(settlement)).toBe(
      'The gateway ended while this was being worked on. That happened 21 times.\nSend /retry to run it again.',
    );
  });
});

describe('a machine that has nothing left to start a CLI with', () => {
  const cause = Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' });
  const ending = failureEvent(new TurnoutError('crashed', 'No file descriptor was left.', { cause }));

  it('puts the message off without counting the attempt, however often [fault 13.4: EMFILE when a CLI is started]', () => {
    expect(verdict({ ending, attempts: maxRetries + 1 })).toMatchObject({
      type: 'postpone',
      retry: { notBefore: at + 7, free: true },
    });
  });

  it('ends a turn whose tools had begun: it is not repeated', () => {
    expect(verdict({ ending, tools: true })).toMatchObject({ outcome: { state: 'failed' } });
  });

  it.each(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ENOSPC', 'EIO'])(
    'also where the gateway itself can’t open a file: %s',
    (code) => {
      expect(failedBeforeTools(Object.assign(new Error('open'), { code }), at)).toMatchObject({
        type: 'postpone',
        retry: { free: true },
      });
    },
  );
});

describe('when the gateway itself fails', () => {
  it('a turn with tools is failed, even if the store may work again soon', () => {
    const { attempt } = endOf({ ending: interrupted, tools: true });
    const settlement = failedAfterTools(attempt, new StoreError('full', 'The disk is full'), at);
    expect(settlement).toMatchObject({ outcome: { at, state: 'failed', error: { code: 'unknown' }, usage } });
    expect(said(settlement)).toBe(
      `Something went wrong inside the gateway: The disk is full${toolLines}${byHand}`,
    );
  });

  it('a turn without tools waits for a store that is full, locked or failing', () => {
    for (const fault of ['full', 'locked', 'failed'] as const) {
      expect(failedBeforeTools(new StoreError(fault, 'not now'), at)).toMatchObject({
        type: 'postpone',
        retry: { at, notBefore: at + 5000, free: true, error: { code: 'unknown', message: 'not now' } },
      });
    }
  });

  it('a turn without tools is failed by anything else', () => {
    for (const cause of [new Error('a defect'), new StoreError('closed', 'a defect'), 'a defect']) {
      const settlement = failedBeforeTools(cause, at);
      expect(settlement).toMatchObject({ outcome: { state: 'failed', error: { code: 'unknown' } } });
      expect(said(settlement)).toBe(
        'Something went wrong inside the gateway: a defect. Send /retry to try again.',
      );
    }
  });

  it('a result that the store refuses is replaced by a failure that it may take', () => {
    const settlement = failedInside(new StoreError('failed', 'string too big'), at);
    expect(settlement).toMatchObject({
      type: 'finish',
      outcome: { at, state: 'failed', error: { code: 'unknown', message: 'string too big' }, events: [] },
    });
  });
});
