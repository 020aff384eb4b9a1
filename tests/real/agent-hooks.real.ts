import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentHooks, ChatEvent, SessionOptions } from '../../src/index.js';
import type { Reply, Step } from '../../src/lab/model/script.js';
import { setUpLab } from './set-up-lab.js';

describe('hooks of the caller with Claude (S3)', () => {
  const lab = setUpLab('claude');

  it('a PreToolUse that denies: the tool is not run, and the model gets the reason', async () => {
    const asked: unknown[] = [];
    const events = await turn([{ shell: 'touch denied.txt' }], {
      PreToolUse: [
        {
          run(input) {
            asked.push(input);
            return { decision: 'deny', reason: 'not on a Sunday' };
          },
        },
      ],
    });
    expect(made('denied.txt')).toBe(false);
    expect(lab.model.turns.at(-1)?.toolResults[0]).toMatchObject({ isError: true });
    expect(lab.model.turns.at(-1)?.toolResults[0]?.output).toContain('not on a Sunday');
    const start = events.find((event) => event.type === 'tool_start');
    expect(asked).toEqual([
      expect.objectContaining({
        event: 'PreToolUse',
        tool: 'Bash',
        toolId: start?.id,
        input: expect.objectContaining({ command: 'touch denied.txt' }),
        sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      }),
    ]);
    expect(events.find((event) => event.type === 'tool_end')).toMatchObject({ isError: true, denied: true });
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'done' });
  });

  it('one that changes the input: the changed command runs; what it adds reaches the model', async () => {
    await turn([{ shell: 'touch original.txt' }], {
      PreToolUse: [
        { run: async ({ input }) => ({ updatedInput: { ...input, command: 'touch changed.txt' } }) },
        // The next hook sees the change of the one before it.
        { run: ({ input }) => ({ updatedInput: { ...input, command: `${input['command']} further.txt` } }) },
        { run: () => ({ context: 'The file has another name.' }) },
      ],
    });
    expect(['original.txt', 'changed.txt', 'further.txt'].map(made)).toEqual([false, true, true]);
    expect(lab.model.turns.at(-1)?.rawBody).toContain('The file has another name.');
  });

  it('the matcher is for the whole name of the tool', async () => {
    const seen: string[] = [];
    const note = (name: string) => (input: { tool: string }) => {
      seen.push(`${name} ${input.tool}`);
      return undefined;
    };
    const file = join(lab.home.workingDir, 'written.txt');
    await turn([{ shell: 'touch matched.txt' }, { writeFile: { path: file, content: 'x' } }], {
      PreToolUse: [
        { matcher: 'Bash', run: note('one') },
        { matcher: 'Ba|Writ', run: note('part') },
        { matcher: 'Edit|Wr.*', run: note('two') },
        { matcher: '*', run: note('all') },
      ],
    });
    expect(seen.sort()).toEqual(['all Bash', 'all Write', 'one Bash', 'two Write']);
  });

  it('a hook that throws, or never answers, denies; the turn goes on', async () => {
    const throwing = await turn([{ shell: 'touch thrown.txt' }], {
      PreToolUse: [
        {
          run() {
            throw new Error('the rule book is gone');
          },
        },
      ],
    });
    expect(made('thrown.txt')).toBe(false);
    expect(lab.model.turns.at(-1)?.toolResults[0]?.output).toContain('the rule book is gone');
    expect(warnings(throwing)).toEqual([expect.stringContaining('the rule book is gone')]);
    expect(throwing.at(-1)).toMatchObject({ type: 'complete', text: 'done' });

    let aborted = false;
    const silent = await turn([{ shell: 'touch late.txt' }], {
      PreToolUse: [
        {
          timeoutMs: 300,
          run: (_, { signal }) =>
            new Promise(() => {
              signal.addEventListener('abort', () => {
                aborted = true;
              });
            }),
        },
      ],
    });
    expect(made('late.txt')).toBe(false);
    expect(lab.model.turns.at(-1)?.toolResults[0]?.output).toContain('did not answer within 0.3 s');
    expect(silent.at(-1)).toMatchObject({ type: 'complete' });
    expect(aborted).toBe(true);
  });

  it('the others are seen: the prompt, the result of a tool, its failure, the end', async () => {
    const seen: string[] = [];
    const events = await turn([{ shell: 'echo out' }, { shell: 'exit 3' }], {
      UserPromptSubmit: [
        {
          run: ({ raw }) => {
            seen.push(`prompt ${raw['prompt']}`);
            return { context: 'It is Sunday.' };
          },
        },
      ],
      PostToolUse: [
        {
          matcher: 'Bash',
          run: ({ input, output }) => {
            seen.push(`ran ${input['command']}: ${JSON.stringify(output)}`);
            return { context: 'Well done.' };
          },
        },
        {
          run() {
            throw new Error('broken');
          },
        },
      ],
      PostToolUseFailure: [{ run: ({ output }) => void seen.push(`failed ${output}`) }],
      Stop: [{ run: ({ raw }) => void seen.push(`end ${raw['last_assistant_message']}`) }],
    });
    expect(seen).toEqual([
      'prompt go',
      expect.stringMatching(/^ran echo out: .*"stdout":"out"/),
      expect.stringContaining('failed Exit code 3'),
      'end done',
    ]);
    expect(lab.model.turns.at(-1)?.rawBody).toContain('It is Sunday.');
    expect(lab.model.turns.at(-1)?.rawBody).toContain('Well done.');
    // A hook that is only told of something stops nothing when it fails.
    expect(warnings(events)).toEqual(['The PostToolUse hook failed: broken']);
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'done' });
  });

  it('an allowed tool is not asked about in the mode ask; ask makes it a question', async () => {
    const allowed = await turn(
      [{ shell: 'touch by-hook.txt' }],
      { PreToolUse: [{ run: () => ({ decision: 'allow' }) }] },
      { permissionMode: 'ask' },
    );
    expect(made('by-hook.txt')).toBe(true);
    expect(allowed.some(({ type }) => type === 'permission_request')).toBe(false);

    const asked = await turn(
      [{ shell: 'touch by-person.txt' }],
      {
        PreToolUse: [
          {
            run: ({ input }) => ({ decision: 'ask', updatedInput: { ...input, command: 'touch asked.txt' } }),
          },
        ],
      },
      { permissionMode: 'edits' },
    );
    expect(asked.find(({ type }) => type === 'permission_request')).toMatchObject({
      tool: 'Bash',
      input: { command: 'touch asked.txt' },
    });
    expect(['by-person.txt', 'asked.txt'].map(made)).toEqual([false, true]);
  });

  it('plan mode stays read only, whatever a hook allows', async () => {
    await turn(
      [{ shell: 'touch planned.txt' }],
      { PreToolUse: [{ run: () => ({ decision: 'allow' }) }] },
      { permissionMode: 'plan' },
    );
    expect(made('planned.txt')).toBe(false);
  });

  it('with confirmTools the caller confirms what the hook has left, and a denial of either counts', async () => {
    const change: AgentHooks = {
      PreToolUse: [
        {
          run: ({ input }) => ({
            decision: 'allow',
            updatedInput: { ...input, command: `${input['command']}.changed` },
          }),
        },
      ],
    };
    const confirmed = await turn([{ shell: 'touch confirmed' }], change, { confirmTools: true });
    expect(confirmed.filter(({ type }) => type === 'permission_request')).toEqual([
      expect.objectContaining({
        confirmation: true,
        input: expect.objectContaining({ command: 'touch confirmed.changed' }),
      }),
    ]);
    expect(['confirmed', 'confirmed.changed'].map(made)).toEqual([false, true]);

    await turn([{ shell: 'touch refused' }], change, { confirmTools: true }, 'deny');
    expect(['refused', 'refused.changed'].map(made)).toEqual([false, false]);
    expect(lab.model.turns.at(-1)?.toolResults[0]?.output).toContain('because I say so');

    const denied = await turn(
      [{ shell: 'touch hooked' }],
      { PreToolUse: [{ run: () => ({ decision: 'deny', reason: 'by the hook' }) }] },
      { confirmTools: true },
    );
    expect(denied.some(({ type }) => type === 'permission_request')).toBe(false);
    expect(made('hooked')).toBe(false);
  });

  it('an interrupt withdraws a hook that runs, and the session goes on', async () => {
    lab.model.use([{ steps: [{ shell: 'touch interrupted.txt' }] }, 'after']);
    let aborted: Promise<void> | undefined;
    const session = await lab.sessions.open({
      backend: 'claude',
      config: lab.config,
      agentHooks: {
        PreToolUse: [
          {
            run: (_, { signal }) => {
              aborted = new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
              void session.interrupt();
              return new Promise(() => {});
            },
          },
        ],
      },
    });
    const events: ChatEvent[] = [];
    for await (const event of session.send('go')) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'interrupted' });
    await aborted;
    expect(made('interrupted.txt')).toBe(false);
    lab.model.use(['after']);
    for await (const event of session.send('again')) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'after' });
    await session.close();
  });

  function made(name: string): boolean {
    return existsSync(join(lab.home.workingDir, name));
  }

  async function turn(
    steps: readonly Step[],
    agentHooks: AgentHooks,
    options: Partial<SessionOptions> = {},
    decision: 'allow' | 'deny' = 'allow',
  ): Promise<ChatEvent[]> {
    const replies: Reply[] = steps.map((step) => ({ steps: [step] }));
    lab.model.use([...replies, 'done']);
    const session = await lab.sessions.open({
      backend: 'claude',
      config: lab.config,
      agentHooks,
      ...options,
    });
    const events: ChatEvent[] = [];
    try {
      for await (const event of session.send('go')) {
        events.push(event);
        if (event.type === 'permission_request')
          await session.answerPermission(event.id, decision, 'because I say so');
      }
    } finally {
      await session.close();
    }
    return events;
  }
});

function warnings(events: readonly ChatEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'notice' && event.level === 'warning' ? [event.message] : [],
  );
}
