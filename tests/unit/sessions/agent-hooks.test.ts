import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentHooks } from '../../../src/backends/live/agent-hooks.js';
import { vendorNames } from '../../../src/backends/names.js';
import { buildDemoAgent, collect, DemoSessions } from './demo-sessions.js';

beforeAll(buildDemoAgent);

const stage = new DemoSessions();
afterAll(() => stage.close());

const deny: AgentHooks = { PreToolUse: [{ run: () => ({ decision: 'deny', reason: 'so' }) }] };

describe('hooks of the caller (S3)', () => {
  it.each(vendorNames.filter((name) => name !== 'claude'))(
    '%s refuses them by name, and starts nothing',
    async (backend) => {
      const opened = stage.open({ backend, agentHooks: deny });
      await expect(opened).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringMatching(
          new RegExp(`^${backend} .*agentHooks\\): live sessions of claude have them`),
        ),
      });
      expect(stage.processes()).toEqual([]);
    },
  );

  it('a one-shot session refuses them too', async () => {
    await expect(stage.open({ live: false, agentHooks: deny })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('agentHooks'),
    });
  });

  it.each([
    ['a name that is none', { PreToolUses: [] }, 'PreToolUses'],
    ['a matcher where there is no tool', { Stop: [{ matcher: 'Bash', run: () => undefined }] }, 'matcher'],
    ['a broken matcher', { PreToolUse: [{ matcher: '(', run: () => undefined }] }, 'regular expression'],
    ['no function', { PreToolUse: [{}] }, 'run'],
    ['no array', { PreToolUse: { run: () => undefined } }, 'agentHooks.PreToolUse has to be an array'],
    ['no object', null, 'agentHooks has to be an object'],
  ])('%s is refused before anything starts', async (_, hooks, words) => {
    await expect(stage.open({ agentHooks: hooks as unknown as AgentHooks })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(words),
    });
    expect(stage.processes()).toEqual([]);
  });

  it('deny a tool whose new input can not be sent, and the turn goes on', async () => {
    const updatedInput = { a: 1n };
    const session = await stage.open({
      agentHooks: { PreToolUse: [{ run: () => ({ decision: 'allow', updatedInput }) }] },
      clocks: { turnMs: 8000 },
    });
    const events = await collect(session.send('write a note: none'));
    await session.close();
    expect(existsSync(join(stage.directory, 'demo-note.txt'))).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: 'complete' });
    const message = expect.stringContaining('was denied: the PreToolUse hook failed: its answer');
    expect(events).toContainEqual(expect.objectContaining({ type: 'notice', message }));
  });

  it('belong to their session: another one in the same pool does not get them', async () => {
    const note = join(stage.directory, 'demo-note.txt');
    const hooked = await stage.open({ agentHooks: deny });
    await collect(hooked.send('write a note: one'));
    await hooked.close();
    expect(existsSync(note)).toBe(false);
    const plain = await stage.open();
    await collect(plain.send('write a note: two'));
    await plain.close();
    expect(existsSync(note)).toBe(true);
  });

  it('one that changes the input and decides nothing: the mode decides, and the changed input runs', async () => {
    const note = join(stage.directory, 'demo-note.txt');
    const agentHooks: AgentHooks = {
      PreToolUse: [
        { matcher: 'Write', run: ({ input }) => ({ updatedInput: { ...input, content: 'changed' } }) },
      ],
    };
    const allowed = await stage.open({ agentHooks });
    await collect(allowed.send('write a note: mine'));
    await allowed.close();
    expect(readFileSync(note, 'utf8')).toBe('changed');
    rmSync(note);

    const asking = await stage.open({ agentHooks, permissionMode: 'ask' });
    for await (const event of asking.send('write a note: mine')) {
      if (event.type !== 'permission_request') continue;
      expect(event.input).toMatchObject({ content: 'changed' });
      await asking.answerPermission(event.id, 'allow');
    }
    await asking.close();
    expect(readFileSync(note, 'utf8')).toBe('changed');
  });

  it('the others run in the order of Claude: prompt, result, failure, answer, and the ends of sessions', async () => {
    const seen: string[] = [];
    const agentHooks: AgentHooks = {
      PreToolUse: [
        {
          matcher: 'Bash',
          run: ({ input }) =>
            input['command'] === 'sleep 1' ? { updatedInput: { command: 'no' } } : undefined,
        },
      ],
      UserPromptSubmit: [{ run: ({ raw }) => void seen.push(`prompt ${raw['prompt']}`) }],
      PostToolUse: [
        { run: ({ input, output }) => void seen.push(`ran ${input['command']} ${JSON.stringify(output)}`) },
      ],
      PostToolUseFailure: [
        { run: ({ input, output }) => void seen.push(`failed ${input['command']} ${output}`) },
      ],
      Stop: [{ run: ({ raw }) => void seen.push(`stop ${raw['last_assistant_message']}`) }],
      SessionStart: [{ run: ({ raw }) => void seen.push(`start ${raw['source']}`) }],
      SessionEnd: [{ run: ({ raw }) => void seen.push(`end ${raw['reason']}`) }],
    };
    const own = new DemoSessions();
    try {
      const session = await own.open({ agentHooks });
      await collect(session.send('run a tool for 0 seconds'));
      await collect(session.send('run a tool for 1 seconds'));
      await session.close();
      const next = await own.open({ agentHooks });
      const last = (await collect(next.send('count to 2'))).at(-1);
      expect(last).toMatchObject({ type: 'complete', text: '1 2' });
      await next.close();
    } finally {
      await own.close();
    }
    const isOfSession = (line: string) => /^(start|end) /.test(line);
    expect(seen.filter((line) => !isOfSession(line))).toEqual([
      'prompt run a tool for 0 seconds',
      expect.stringMatching(/^ran sleep 0 \{"stdout":""/),
      expect.stringMatching(/^stop /),
      'prompt run a tool for 1 seconds',
      expect.stringMatching(/^failed no I know no command/),
      expect.stringMatching(/^stop /),
      'prompt count to 2',
      'stop 1 2',
    ]);
    // A process that could not be seen to be alone at once, as on a busy machine, is not used again.
    expect([
      ['end clear', 'start clear', 'end other'],
      ['end other', 'end other'],
    ]).toContainEqual(seen.filter(isOfSession));
  });
});
