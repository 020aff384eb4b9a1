import { describe, expect, it } from 'vitest';
import { TurnStream } from '../../../src/backends/live/turn-stream.js';
import type { LiveEvent, LiveSession } from '../../../src/backends/live/types.js';
import { retryNotice } from '../../../src/backends/output/retries.js';
import type { Clocks } from '../../../src/config/limits.js';
import { type ChatEvent, errorEvent, type Retry } from '../../../src/core/chat-event.js';
import { Alarm } from '../../../src/sessions/alarm.js';
import { LiveTurn } from '../../../src/sessions/live-turn.js';

const never: Clocks = { modelSilenceMs: 0, toolMs: 0, permissionMs: 0, turnMs: 0, stopMs: 0 };
const toolStart = { type: 'tool_start', id: 't', name: 'bash', input: {} } as const;
// OpenCode's report of a command that it is told to end.
const aborted = { type: 'tool_end', id: 't', output: 'User aborted the command', isError: false } as const;
const ending: LiveEvent = { type: 'ending', ending: { type: 'answered', stopReason: 'end_turn', text: 'a' } };

describe('a tool that the stop of its turn ends', () => {
  it.each([
    ['a clock', { toolMs: 20 }, 'timeout'],
    ['an interrupt', {}, 'interrupted'],
  ] as const)('has failed, whatever the CLI calls it: %s', async (how, clocks, code) => {
    const cli = new TurnStream();
    const turn = new LiveTurn(session(cli, [aborted, ending]), { ...never, ...clocks }, 'opencode');
    cli.push(toolStart);
    const events: ChatEvent[] = [];
    for await (const batch of eventsOf(turn)) {
      events.push(...batch);
      if (how === 'an interrupt') await turn.stop(errorEvent('interrupted', 'Interrupted'));
    }
    expect(await turn.settle()).toBe(true);
    expect(events).toMatchObject([toolStart, { ...aborted, isError: true }, { type: 'error', code }]);
  });

  it('has not failed where nothing stopped it', async () => {
    const cli = new TurnStream();
    const turn = new LiveTurn(session(cli, []), never, 'opencode');
    for (const event of [toolStart, aborted, ending]) cli.push(event);
    const events: ChatEvent[] = [];
    for await (const batch of eventsOf(turn)) events.push(...batch);
    expect(events).toMatchObject([toolStart, aborted, { type: 'complete' }]);
  });
});

describe('a retry that the CLI tells of', () => {
  const failing = (retry: Partial<Retry>) =>
    retryNotice('Claude', { attempt: 1, code: 'rate_limit', reason: 'slow', ...retry });
  const interruptedEnding: LiveEvent = {
    type: 'ending',
    ending: { type: 'failed', code: 'interrupted', message: 'Interrupted' },
  };
  const endOf = async (events: readonly LiveEvent[], clocks: Partial<Clocks>) => {
    const cli = new TurnStream();
    const turn = new LiveTurn(
      session(cli, [interruptedEnding]),
      { ...never, ...clocks },
      'claude',
      undefined,
      {
        signIn: 'Sign in.',
      },
    );
    for (const event of events) cli.push(event);
    let last: ChatEvent | undefined;
    for await (const batch of eventsOf(turn)) last = batch.at(-1);
    expect(await turn.settle()).toBe(true);
    return last;
  };

  it('is ended when a rejected key was tried three times, with the advice', async () => {
    const rejected = [1, 2, 3].map((attempt) => failing({ attempt, code: 'auth', reason: 'bad key' }));
    expect(await endOf(rejected, {})).toMatchObject({
      code: 'auth',
      message: expect.stringContaining('\nSign in.'),
      retryable: false,
    });
  });

  it('is not waited for when it comes after the turn’s time, or after the longest silence', async () => {
    const later = [failing({ delayMs: 60_000 })];
    const limit = { code: 'rate_limit', retryAfterMs: 60_000, retryable: true };
    expect(await endOf(later, { turnMs: 50_000 })).toMatchObject(limit);
    expect(await endOf(later, { modelSilenceMs: 50_000 })).toMatchObject(limit);
    expect(await endOf([...later, ending], { turnMs: 70_000 })).toMatchObject({ type: 'complete' });
  });

  it('is named when the time is up meanwhile', async () => {
    expect(await endOf([failing({})], { turnMs: 30 })).toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/^The turn took longer than [\s\S]*slow/),
    });
  });
});

describe('the events of a turn', () => {
  it('come together where they have come together, and are learnt before they are read', async () => {
    const learnt: string[] = [];
    const learn = (events: readonly ChatEvent[]) => learnt.push(events.map(({ type }) => type).join(' '));
    const turn = new LiveTurn(claude([text('a'), text(''), text('b'), ending]), never, 'claude', learn);
    const batches: string[][] = [];
    for await (const batch of eventsOf(turn)) batches.push([...batch.map(({ type }) => type), ...learnt]);
    expect(batches).toEqual([
      ['text', 'text', 'text text'],
      ['complete', 'text text', 'complete'],
    ]);
    expect(await turn.settle()).toBe(true);
  });

  it('can still be stopped while the reader is busy with what came before the ending', async () => {
    const turn = new LiveTurn(claude([text('a'), text('b'), ending]), never, 'claude');
    const events: ChatEvent[] = [];
    for await (const batch of eventsOf(turn)) {
      events.push(...batch);
      await turn.stop(errorEvent('interrupted', 'Interrupted'));
    }
    expect(events.map(({ type }) => type)).toEqual(['text', 'text', 'error']);
  });

  it('bring the ending along with the usage, and neither with what was said before', async () => {
    const usage = { type: 'usage', inputTokens: 1, outputTokens: 2 } as const;
    const turn = new LiveTurn(claude([text('a'), text('b'), usage, ending]), never, 'claude');
    const batches: string[] = [];
    for await (const batch of eventsOf(turn)) batches.push(batch.map(({ type }) => type).join());
    expect(batches).toEqual(['text,text', 'usage,complete']);
  });

  it('bring no question along with the usage of a part', async () => {
    const usage = { type: 'usage', inputTokens: 1, outputTokens: 2 } as const;
    const options = ['allow', 'deny'] as const;
    const asked = { type: 'permission_request', id: 'q', tool: 'Bash', input: {}, options } as const;
    const turn = new LiveTurn(claude([usage, text('b'), asked, usage, ending]), never, 'claude');
    const batches: string[] = [];
    for await (const batch of eventsOf(turn)) batches.push(batch.map(({ type }) => type).join());
    expect(batches).toEqual(['usage,text', 'permission_request', 'usage,complete']);
  });

  it('do not let the time for a question begin before the reader has been told of it', async () => {
    const options = ['allow', 'deny'] as const;
    const asked = { type: 'permission_request', id: 'q', tool: 'Bash', input: {}, options } as const;
    const clocks = { ...never, permissionMs: 30 };
    const turn = new LiveTurn(claude([text('a'), asked, ending]), clocks, 'claude');
    const batches: string[] = [];
    for await (const batch of eventsOf(turn)) {
      batches.push(batch.map(({ type }) => type).join());
      if (batch.includes(asked)) await turn.answer('q', 'allow');
      else await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(batches).toEqual(['text', 'permission_request', 'complete']);
  });

  it('take no answer to a question that it does not offer, and wait for another (18.9)', async () => {
    const options = ['allow', 'deny'] as const;
    const asked = { type: 'permission_request', id: 'q', tool: 'Bash', input: {}, options } as const;
    const turn = new LiveTurn(claude([asked, ending]), never, 'claude');
    turn.begin('hello', new Alarm());
    await turn.next();
    for (const wrong of ['no', 'allow_always', undefined, true, {}])
      await expect(turn.answer('q', wrong as never)).rejects.toMatchObject({ code: 'bad_request' });
    await turn.answer('q', 'deny');
    await expect(turn.answer('q', 'deny')).rejects.toThrow('no permission request');
    expect(await turn.next()).toMatchObject([{ type: 'complete' }]);
    expect(await turn.settle()).toBe(true);
  });

  it('neither offer nor take an “always” that can’t be shown in full (27.9)', async () => {
    const options = ['allow', 'allow_always', 'deny'] as const;
    const asked = { type: 'permission_request', id: 'q', tool: 'Bash', input: {}, options } as const;
    for (const always of [undefined, `${'touch *\n'.repeat(50)}bash:*`]) {
      const request = always === undefined ? asked : { ...asked, always };
      const turn = new LiveTurn(claude([request, ending]), never, 'claude');
      turn.begin('hello', new Alarm());
      expect(await turn.next()).toEqual([{ ...asked, options: ['allow', 'deny'] }]);
      await expect(turn.answer('q', 'allow_always')).rejects.toMatchObject({ code: 'bad_request' });
      await turn.answer('q', 'deny');
      expect(await turn.settle()).toBe(true);
    }
  });

  it('end with what learning from them throws', async () => {
    const turn = new LiveTurn(claude([text('a'), ending]), never, 'claude', () => {
      throw new Error('too much');
    });
    turn.begin('hello', new Alarm());
    await expect(turn.next()).rejects.toThrow('too much');
    expect(await turn.settle()).toBe(true);
  });

  it('end with what the protocol’s code throws, where it does', async () => {
    const cli: LiveSession = {
      ...session(new TurnStream(), []),
      turn() {
        async function* events() {
          yield toolStart;
          throw new Error('broken');
        }
        return Object.assign(events(), { takeBuffered: () => [] });
      },
    };
    const turn = new LiveTurn(cli, never, 'claude');
    const seen: ChatEvent[] = [];
    const read = async () => {
      for await (const batch of eventsOf(turn)) seen.push(...batch);
    };
    await expect(read()).rejects.toThrow('broken');
    expect(seen).toEqual([toolStart]);
    expect(await turn.settle()).toBe(true);
  });
});

const text = (said: string) => ({ type: 'text', text: said }) as const;

/** Claude says all of this at once. */
function claude(events: readonly LiveEvent[]): LiveSession {
  const turn = () => {
    const begin = () => {
      for (const event of events) stream.push(event);
    };
    const stream = new TurnStream({ begin, pausable: true });
    return stream;
  };
  return { ...session(new TurnStream(), []), turn };
}

async function* eventsOf(turn: LiveTurn): AsyncGenerator<readonly ChatEvent[]> {
  turn.begin('hello', new Alarm());
  for (let events = await turn.next(); events !== undefined; events = await turn.next()) yield events;
}

/** A CLI that says what it is told to, and these last words when it is interrupted. */
function session(says: TurnStream, lastWords: readonly LiveEvent[]): LiveSession {
  return {
    sessionId: 's',
    turn: () => says,
    interrupt: async () => {
      for (const event of lastWords) says.push(event);
    },
    answerPermission: async () => {},
    close: async () => {},
  };
}
