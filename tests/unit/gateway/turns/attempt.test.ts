import { describe, expect, it } from 'vitest';
import type { PermissionRequestEvent, ToolEndEvent } from '../../../../src/core/chat-event.js';
import { Attempt } from '../../../../src/gateway/turns/attempt.js';

const input = { command: 'make' };

function started(attempt: Attempt, id: string): void {
  attempt.toolStarted({ id, name: 'Bash', input, startedAt: 1 });
}

function ended(attempt: Attempt, id: string, more: Partial<ToolEndEvent> = {}): void {
  attempt.toolEnded({ type: 'tool_end', id, output: '', isError: true, ...more }, 2);
}

function asked(attempt: Attempt, id: string): void {
  const options = ['allow', 'deny'] as const;
  attempt.permissionAsked({
    type: 'permission_request',
    id,
    tool: 'Bash',
    input,
    options,
  } as PermissionRequestEvent);
}

const begun = (attempt: Attempt) => attempt.begun.map(({ id }) => id);

describe('the tools that a turn has begun', () => {
  it('do not hold one that was denied, announced before its question [fault 13.8: a denied tool counts as begun]', () => {
    const attempt = new Attempt();
    started(attempt, 't1');
    expect(begun(attempt)).toEqual(['t1']);
    asked(attempt, 'q1');
    expect(begun(attempt)).toEqual([]);
    expect(attempt.permissionAnswered('q1', 'deny')).toBe('t1');
    ended(attempt, 't1');
    expect(begun(attempt)).toEqual([]);
    expect(attempt.isDenied('t1')).toBe(true);
  });

  it('do not hold one that was denied, announced after its answer, as Gemini does [fault 13.8: a denied tool counts as begun]', () => {
    const attempt = new Attempt();
    asked(attempt, 'q1');
    expect(attempt.permissionAnswered('q1', 'deny')).toBeUndefined();
    started(attempt, 't1');
    expect(begun(attempt)).toEqual([]);
    ended(attempt, 't1');
    expect(begun(attempt)).toEqual([]);
    expect(attempt.isDenied('t1')).toBe(true);
  });

  it('do not hold one that a mode or a rule has denied: nobody was asked', () => {
    const attempt = new Attempt();
    started(attempt, 't1');
    ended(attempt, 't1', { denied: true });
    expect(begun(attempt)).toEqual([]);
  });

  it.each(['before', 'after'])('hold one that was allowed, announced %s its question', (when) => {
    const attempt = new Attempt();
    if (when === 'before') started(attempt, 't1');
    asked(attempt, 'q1');
    expect(attempt.permissionAnswered('q1', 'allow')).toBeUndefined();
    if (when === 'after') started(attempt, 't1');
    expect(begun(attempt)).toEqual(['t1']);
  });

  it.each(['before', 'after'])(
    'hold what is allowed when it was denied once, announced %s its question',
    (when) => {
      const attempt = new Attempt();
      for (const [tool, question, decision] of [
        ['t1', 'q1', 'deny'],
        ['t2', 'q2', 'allow'],
      ] as const) {
        if (when === 'before') started(attempt, tool);
        asked(attempt, question);
        attempt.permissionAnswered(question, decision);
        if (when === 'after' && decision === 'allow') started(attempt, tool);
        if (decision === 'deny') ended(attempt, tool);
      }
      expect(begun(attempt)).toEqual(['t2']);
    },
  );

  it('hold one that has succeeded, whatever was answered', () => {
    const attempt = new Attempt();
    started(attempt, 't1');
    asked(attempt, 'q1');
    attempt.permissionAnswered('q1', 'deny');
    ended(attempt, 't1', { isError: false });
    expect(begun(attempt)).toEqual(['t1']);
  });
});
