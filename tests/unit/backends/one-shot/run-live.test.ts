import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { ClaudeCodeBackend } from '../../../../src/backends/claude-backend.js';
import type { LiveProtocol } from '../../../../src/backends/live/types.js';
import type { Turn } from '../../../../src/backends/one-shot/one-shot-backend.js';
import type { RunOptions, RunRequest } from '../../../../src/backends/types.js';
import type { ChatEvent } from '../../../../src/core/chat-event.js';
import { it, type Stage } from '../../../contract/stage.js';

/** A Claude whose one-shot mode is taken not to work, as that of OpenCode 1.15; the agent is the demo's. */
class OnlyLive extends ClaudeCodeBackend {
  protected override async insteadOfOneShot(_turn: Turn): Promise<LiveProtocol> {
    return this.live();
  }
}

describe('a one-shot turn in a live process of its own', () => {
  it('gives the events of the turn, resumes its session, and leaves nothing behind', async ({ stage }) => {
    const first = await collect(stage, { prompt: 'remember that the signal is green' });
    expect(first.at(-1)).toMatchObject({ type: 'complete', stopReason: 'end_turn' });
    const sessionId = first.find((event) => event.type === 'session')?.sessionId;
    const second = await collect(stage, { prompt: 'what did I say before', sessionId });
    expect(second.at(-1)).toMatchObject({
      type: 'complete',
      text: expect.stringContaining('green'),
      sessionId,
    });
    expect(stage.processes()).toEqual([]);
  });

  it('runs a tool, and denies what it would have to ask about', async ({ stage }) => {
    const ran = await collect(stage, { prompt: 'list files' });
    expect(ran.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['tool_start', 'tool_end', 'complete']),
    );
    const denied = await collect(stage, { prompt: 'run a tool for 0.1 seconds', permissionMode: 'edits' });
    expect(denied.map(({ type }) => type)).not.toContain('permission_request');
    expect(denied).toContainEqual(
      expect.objectContaining({ type: 'notice', message: expect.stringContaining('Permission denied') }),
    );
    expect(denied.find((event) => event.type === 'tool_end')).toMatchObject({ isError: true });
  });

  it('an empty answer, and a session that is not there, are failures', async ({ stage }) => {
    expect((await collect(stage, { prompt: 'say nothing' })).at(-1)).toMatchObject({
      type: 'error',
      message: 'Claude CLI gave an empty answer',
    });
    const sessionId = '00000000-0000-4000-8000-000000000000';
    expect((await collect(stage, { prompt: 'hello', sessionId })).at(-1)).toMatchObject({
      type: 'error',
      code: 'session_not_found',
    });
  });

  it('ends in time, with everything that it started', async ({ stage }) => {
    const began = performance.now();
    const events = await collect(stage, { prompt: 'run a tool for 60 seconds', timeoutMs: 2000 });
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'timeout' });
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(stage.processes()).toEqual([]);
  });

  it.for(['before it begins', 'in its middle'] as const)('an abort %s ends it', async (when, { stage }) => {
    const stop = new AbortController();
    if (when === 'before it begins') stop.abort();
    const events = await collect(
      stage,
      { prompt: 'run a tool for 60 seconds' },
      { signal: stop.signal },
      ({ type }) => {
        if (type === 'tool_start') stop.abort();
      },
    );
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'interrupted' });
    expect(stage.processes()).toEqual([]);
  });

  it('a reader that leaves ends it', async ({ stage }) => {
    for await (const event of backend(stage).run({ prompt: 'run a tool for 60 seconds' }))
      if (event.type === 'tool_start') break;
    await stage.untilNoProcess();
  });
});

function backend(stage: Stage): OnlyLive {
  const demo = fileURLToPath(new URL('../../../../dist/demo-agent/main.js', import.meta.url));
  return new OnlyLive(stage.configFor(demo, { TURNOUT_DEMO_SPEED: '0' }));
}

async function collect(
  stage: Stage,
  request: RunRequest,
  options: RunOptions = {},
  onEvent: (event: ChatEvent) => void = () => {},
): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of backend(stage).run(request, options)) {
    events.push(event);
    onEvent(event);
  }
  return events;
}
