import { describe, expect, it } from 'vitest';
import { HookCalls, hookAnswer, registeredHooks } from '../../../../../src/backends/claude/live/hooks.js';
import type { AgentHooks } from '../../../../../src/backends/live/agent-hooks.js';
import type { LiveSessionOptions } from '../../../../../src/backends/live/types.js';

const asked = {
  subtype: 'hook_callback',
  callback_id: 'turnout-hook-PreToolUse',
  input: { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't', session_id: 's' },
};
const options: LiveSessionOptions = {
  ...{ systemPrompt: '', cwd: '/', permissionMode: 'bypass', allowedTools: [], disallowedTools: [] },
};

async function answerTo(hooks: AgentHooks): Promise<unknown> {
  const outcome = await new HookCalls(hooks).run('1', asked);
  return outcome && hookAnswer(asked, outcome)['hookSpecificOutput'];
}

describe('the hooks that are registered (S3)', () => {
  it('are those that the caller has, and none where there are none', () => {
    const run = () => undefined;
    expect(registeredHooks(options)).toBeUndefined();
    expect(registeredHooks({ ...options, agentHooks: { PreToolUse: [] } })).toBeUndefined();
    expect(Object.keys(registeredHooks({ ...options, agentHooks: { Stop: [{ run }] } }) ?? {})).toEqual([
      'Stop',
    ]);
  });

  it('hold one callback before a tool, also if it is to be confirmed', () => {
    const hooks = { PreToolUse: [{ run: () => undefined }, { run: () => undefined }] };
    const registered = registeredHooks({ ...options, agentHooks: hooks, confirmTools: true });
    expect(registered?.['PreToolUse']).toEqual([
      expect.objectContaining({ hookCallbackIds: ['turnout-hook-PreToolUse'] }),
    ]);
    expect(registeredHooks({ ...options, confirmTools: true })?.['PreToolUse']).toEqual([
      expect.objectContaining({ hookCallbackIds: ['turnout-confirm'] }),
    ]);
  });
});

describe('several PreToolUse hooks (S3)', () => {
  it('without an opinion leave it to the permission mode', async () => {
    expect(
      await answerTo({ PreToolUse: [{ run: () => undefined }, { run: async () => ({}) }] }),
    ).toBeUndefined();
  });

  it('a question counts more than a permission, in either order', async () => {
    const allow = { run: () => ({ decision: 'allow' }) as const };
    const ask = { run: () => ({ decision: 'ask', reason: 'hm' }) as const };
    for (const PreToolUse of [
      [allow, ask],
      [ask, allow],
    ])
      expect(await answerTo({ PreToolUse })).toMatchObject({ permissionDecision: 'ask' });
  });

  it('the first denial decides, and no later hook is asked', async () => {
    let later = false;
    const hooks: AgentHooks = {
      PreToolUse: [
        { run: () => ({ decision: 'allow', updatedInput: { command: 'rm' } }) },
        { run: () => ({ decision: 'deny' }) },
        {
          run: () => {
            later = true;
            return undefined;
          },
        },
      ],
    };
    expect(await answerTo(hooks)).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'A hook denied this.',
    });
    expect(later).toBe(false);
  });

  it.each([
    ['a word', 'allow'],
    ['another decision', { decision: 'yes' }],
    ['a reason that is no text', { decision: 'allow', reason: 1 }],
    ['an input that is no object', { updatedInput: 'rm' }],
    ['a list', [{ decision: 'allow' }]],
    ['a context that is no text', { decision: 'allow', context: {} }],
  ])('an answer that nobody understands denies: %s', async (_, answer) => {
    expect(await answerTo({ PreToolUse: [{ run: () => answer as never }] })).toMatchObject({
      permissionDecision: 'deny',
    });
  });

  it('a hook that rejects with anything denies', async () => {
    for (const thrown of [undefined, 'text', new Error('x'), Object.create(null)])
      expect(await answerTo({ PreToolUse: [{ run: () => Promise.reject(thrown) }] })).toMatchObject({
        permissionDecision: 'deny',
      });
  });
});

describe('an answer of a PreToolUse hook that can not be sent (S3)', () => {
  const cycle: Record<string, unknown> = {};
  cycle['itself'] = cycle;
  const throwing = {
    toJSON() {
      throw new Error('not this one');
    },
  };

  it.each([
    ['a number that JSON has not', { a: 1n }],
    ['a cycle', cycle],
    ['a value that refuses', { throwing }],
  ])('denies the tool, with a notice: %s', async (_, updatedInput) => {
    const hooks: AgentHooks = { PreToolUse: [{ run: () => ({ decision: 'allow', updatedInput }) }] };
    const outcome = await new HookCalls(hooks).run('1', asked);
    expect(outcome).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('its answer can not be written as JSON'),
      notices: [{ type: 'notice', level: 'warning', message: expect.stringContaining('Bash was denied') }],
    });
  });

  it('is sent as it was given, whatever becomes of the object later', async () => {
    const updatedInput = { command: 'ls -l' };
    const outcome = await new HookCalls({ PreToolUse: [{ run: () => ({ updatedInput }) }] }).run('1', asked);
    Object.assign(updatedInput, { command: 1n });
    expect(outcome?.input).toEqual({ command: 'ls -l' });
  });
});
