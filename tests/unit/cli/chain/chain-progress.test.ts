import { describe, expect, it } from 'vitest';
import { liveLine } from '../../../../src/cli/chain/chain-live-line.js';
import {
  advance,
  beginProgress,
  type Progress,
  type ProgressLine,
} from '../../../../src/cli/chain/chain-progress.js';
import type { ChatEvent } from '../../../../src/core/chat-event.js';
import { widthOf } from '../../../../src/core/width.js';
import type { ChainEvent } from '../../../../src/orchestra/types.js';

const usage = { inputTokens: 12_000, outputTokens: 300, costUsd: 0.42 };
const start: ChainEvent[] = [
  { type: 'run_start', runId: 'r1', chain: 'build-all', steps: 3, resumed: false },
  { type: 'step_start', step: 1, agent: 'builder', backend: 'codex', iterations: 20, loop: true },
  { type: 'iteration_start', step: 1, iteration: 3, attempt: 1 },
];

/** Plays events, a second apart, from the time 0 on. */
function play(events: readonly ChainEvent[]): { state: Progress; lines: ProgressLine[]; now: number } {
  let state = beginProgress(0);
  let now = 0;
  const lines: ProgressLine[] = [];
  for (const event of events) {
    now += 1000;
    const [next, more] = advance(state, event, now);
    state = next;
    lines.push(...more);
  }
  return { state, lines, now };
}

function said(event: ChatEvent, step = 1): ChainEvent {
  return { type: 'agent_event', step, iteration: 3, event };
}

describe('the live line', () => {
  it('says step, agent, backend, iteration, time, tokens, cost and the last line', () => {
    const { state } = play([
      ...start,
      said({ type: 'usage', ...usage }),
      said({ type: 'text', text: 'First line\nRunning the ' }),
      said({ type: 'text', text: 'tests' }),
    ]);
    expect(liveLine(state, 252_000, 200)).toBe(
      '[2/3] builder (codex) 3/20 · 4:12 · 12.3k tokens · $0.4200 · Running the tests',
    );
  });

  it('fits into any width, whatever the model says', () => {
    const { state } = play([...start, said({ type: 'text', text: '日本語🚂'.repeat(50) })]);
    for (let columns = 1; columns < 120; columns += 1)
      expect(widthOf(liveLine(state, 60_000, columns))).toBeLessThanOrEqual(columns);
    expect(liveLine(state, 60_000, 60)).toMatch(/^\[2\/3\] builder \(codex\) 3\/20 · 1:00 · ….*日本語🚂$/);
    const [whole] = advance(state, said({ type: 'text', text: '\n' }), 0);
    expect(liveLine(whole, 60_000, 60)).toMatch(/ · 日本語🚂.*…$/);
  });

  it('shows nothing of a model that steers the terminal', () => {
    const { state } = play([...start, said({ type: 'text', text: '\u001b[2Jgone\r\u0007\u001b]0;x\u0007' })]);
    expect(liveLine(state, 3000, 200)).toBe('[2/3] builder (codex) 3/20 · 0:03 · gone');
  });

  it('shows a tool, a check and a wait while they last', () => {
    const tool = said({ type: 'tool_start', id: 't', name: 'Bash', input: { command: 'ls' } });
    expect(liveLine(play([...start, tool]).state, 0, 200)).toMatch(/ · \[Bash\] \{"command":"ls"\}$/);
    const over = said({ type: 'tool_end', id: 't', output: '', isError: false });
    expect(liveLine(play([...start, tool, over]).state, 0, 200)).not.toContain('Bash');
    const check: ChainEvent = { type: 'verify_start', step: 1, command: 'npm test' };
    expect(liveLine(play([...start, check]).state, 0, 200)).toMatch(/ · verify: npm test$/);
    const wait: ChainEvent = { type: 'waiting', step: 1, why: 'rate limit', ms: 60_000 };
    const { state, now } = play([...start, wait]);
    expect(liveLine(state, now + 20_000, 200)).toMatch(/ · waits: rate limit \(0:40 left\)$/);
  });

  it('names the steps that run at the same time, and who speaks', () => {
    const { state } = play([
      ...start,
      { type: 'step_start', step: 2, agent: 'docs', backend: 'gemini', iterations: 1, loop: false },
      said({ type: 'text', text: 'hello' }, 2),
    ]);
    expect(liveLine(state, 0, 200)).toBe('[2 of 3 steps at once] builder 3/20, docs · 0:00 · docs: hello');
  });

  it('counts what has ended and what goes on', () => {
    const { state } = play([
      ...start,
      said({ type: 'usage', ...usage }),
      { type: 'iteration_end', step: 1, iteration: 3, marker: false, output: '', usage, elapsedMs: 5 },
      { type: 'iteration_start', step: 1, iteration: 4, attempt: 1 },
      said({ type: 'usage', ...usage }),
    ]);
    expect(liveLine(state, 0, 200)).toContain('24.6k tokens · $0.8400');
  });
});

describe('the lines that stay', () => {
  it('tell the ends of iterations and steps, waits and warnings', () => {
    const { lines } = play([
      ...start,
      { type: 'waiting', step: 1, why: 'rate limit', ms: 60_000 },
      { type: 'warning', message: 'model is ignored' },
      { type: 'iteration_end', step: 1, iteration: 3, marker: true, output: '', usage, elapsedMs: 63_000 },
      { type: 'verify_start', step: 1, command: 'npm test' },
      { type: 'verify_end', step: 1, passed: false, output: 'ok 1\n1 test failed\n' },
      {
        type: 'step_end',
        step: 1,
        report: {
          ...{ agent: 'builder', backend: 'codex', status: 'incomplete', iterations: 3 },
          ...{ reason: 'verify_failed', output: '' },
        },
      },
      { type: 'step_skipped', step: 2, agent: 'docs', why: 'the chain stopped' },
    ]);
    expect(lines.map(({ kind, tone, text }) => [kind, tone, text])).toEqual([
      ['head', 'plain', 'run r1: build-all, 3 steps'],
      ['start', 'plain', '[2/3] builder (codex) begins, up to 20 iterations'],
      ['start', 'quiet', '[2/3] builder 3/20 begins'],
      ['end', 'warning', '[2/3] builder: waits 1 min 0 s: rate limit'],
      ['end', 'warning', 'warning: model is ignored'],
      ['end', 'plain', '[2/3] builder 3/20: says that it is done · 1 min 3 s · 12.3k tokens · $0.4200'],
      ['start', 'quiet', '[2/3] builder: verify: npm test'],
      ['end', 'warning', '[2/3] builder: verify failed: 1 test failed'],
      [
        'end',
        'bad',
        '[2/3] builder: incomplete (verify_failed), 3 iterations · 7.0 s · 12.3k tokens · $0.4200',
      ],
      ['end', 'quiet', '[3/3] docs: skipped: the chain stopped'],
    ]);
  });

  it('never lose the error of an iteration', () => {
    const error = { code: 'rate_limit', message: 'too many\nrequests\u001b[0m' } as const;
    const end = { type: 'iteration_end', step: 1, iteration: 3, output: '', error, elapsedMs: 5 } as const;
    expect(play([...start, { ...end, marker: false }]).lines.at(-1)).toMatchObject({
      tone: 'bad',
      text: '[2/3] builder 3/20: failed: rate_limit: too many requests · 5 ms',
    });
    const report = {
      agent: 'builder',
      backend: 'codex',
      status: 'failed',
      iterations: 3,
      output: '',
    } as const;
    const ended = { type: 'step_end', step: 1, report: { ...report, reason: 'error', error } } as const;
    expect(play([...start, ended]).lines.at(-1)?.text).toMatch(/ · rate_limit: too many requests$/);
    const told = play([...start, { ...end, marker: false }, ended]).lines.at(-1)?.text;
    expect(told, 'once is enough').not.toContain('rate_limit');
  });

  it('have every line and tool of the agent for --verbose, however the text is cut', () => {
    const { lines } = play([
      ...start,
      ...['On', 'e\nTw', 'o\n\nThree'].map((text) => said({ type: 'text', text })),
      said({ type: 'tool_start', id: 't', name: 'LS', input: {} }),
      said({ type: 'tool_end', id: 't', output: 'no such directory', isError: true }),
      said({ type: 'text', text: 'Four' }),
      said({ type: 'complete', text: 'Four', sessionId: 's', stopReason: 'end_turn' }),
    ]);
    const details = lines.filter(({ kind }) => kind === 'detail').map(({ text }) => text);
    expect(details.map((text) => text.replace('[2/3] builder | ', ''))).toEqual([
      ...['One', 'Two', 'Three', '[LS] {}', 'failed: no such directory', 'Four'],
    ]);
  });
});
