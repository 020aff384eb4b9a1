import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { showRun } from '../../../../src/cli/chain/chain-run.js';
import type { ViewOptions } from '../../../../src/cli/chain/chain-view.js';
import { Terminal } from '../../../../src/cli/output/terminal.js';
import type { ChainEvent, RunReport } from '../../../../src/orchestra/types.js';
import { patience } from '../../../machine-speed.js';

const report: RunReport = {
  ...{ runId: 'r1', chain: 'build-all', status: 'incomplete' },
  steps: [
    {
      ...{ agent: 'planner', backend: 'claude', status: 'done', iterations: 2, reason: 'marker' },
      ...{ output: 'a plan', verified: true, usage: { inputTokens: 1200, outputTokens: 34, costUsd: 0.5 } },
    },
    {
      ...{ agent: 'builder', backend: 'codex', status: 'failed', iterations: 1, reason: 'error', output: '' },
      error: { code: 'auth', message: 'Not signed in.\nRun `codex login`.' },
    },
    { agent: 'reviewer', backend: 'gemini', status: 'skipped', iterations: 0, output: '' },
  ],
};
const completed: RunReport = { runId: 'r1', chain: 'x', status: 'completed', steps: [] };
const events: readonly ChainEvent[] = [
  { type: 'run_start', runId: 'r1', chain: 'build-all', steps: 3, resumed: false },
  { type: 'step_start', step: 0, agent: 'planner', backend: 'claude', iterations: 3, loop: true },
  { type: 'iteration_start', step: 0, iteration: 1, attempt: 1 },
  { type: 'agent_event', step: 0, iteration: 1, event: { type: 'text', text: 'evil \u001b[2J words\n' } },
  { type: 'warning', message: 'careful' },
  { type: 'step_skipped', step: 2, agent: 'reviewer', why: 'the chain stopped' },
  { type: 'run_end', report, elapsedMs: 63_000, reportFile: '/home/x/report.md' },
];

interface Shown {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

async function show(
  options: Partial<ViewOptions> = {},
  screen: { isTTY?: boolean; columns?: number; result?: RunReport } = {},
): Promise<Shown> {
  const { result = report, ...kind } = screen;
  const [out, err] = [new PassThrough(), Object.assign(new PassThrough(), kind)];
  const code = await showRun(
    {
      run: async ({ tell }) => {
        for (const event of events) tell(event);
        return result;
      },
      resumeWith: (runId) => `turnout chain resume ${runId}`,
    },
    { output: 'text', verbose: false, commands: ['claude -p …'], ...options },
    new Terminal(out, err),
    err,
  );
  return { out: String(out.read() ?? ''), err: String(err.read() ?? ''), code };
}

describe('a run, shown', () => {
  it('in text: the summary alone on stdout, a line per step, and how to go on', async () => {
    const { out, code } = await show();
    expect(out).toBe(
      [
        'build-all: incomplete',
        '   1  planner   claude  done        2 iterations, marker, verified',
        '   2  builder   codex   failed      1 iteration, error',
        '      auth: Not signed in.',
        '      Run `codex login`.',
        '   3  reviewer  gemini  skipped     the chain stopped',
        'run r1 · 1 min 3 s · 1,234 tokens · $0.5000',
        'report: /home/x/report.md',
        'go on: turnout chain resume r1',
        '',
      ].join('\n'),
    );
    expect(code).toBe(1);
  });

  it('without a terminal: plain lines with the time on stderr, no escape sequence', async () => {
    const { err } = await show();
    expect(err.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d /, '@ '))).toEqual([
      ...['@ run r1: build-all, 3 steps', '@ [1/3] planner (claude) begins, up to 3 iterations'],
      ...['@ [1/3] planner 1/3 begins', '@ warning: careful'],
      ...['@ [3/3] reviewer: skipped: the chain stopped', ''],
    ]);
  });

  it('with --verbose: the commands, and what the agents say', async () => {
    const { err } = await show({ verbose: true });
    expect(err).toContain('claude -p …\n');
    expect(err).toContain('[1/3] planner | evil words\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no model may steer the terminal
    expect(err).not.toMatch(/\u001b/);
  });

  it('in a terminal: marks and colours, no line for what only begins; NO_COLOR and TERM=dumb count', async () => {
    vi.stubEnv('NO_COLOR', '');
    vi.stubEnv('TERM', 'xterm');
    try {
      const live = await show({}, { isTTY: true, columns: 40 });
      expect(live.err).toContain('\u001b[33m! warning: careful\u001b[0m\n');
      expect(live.err).not.toContain('begins');
      vi.stubEnv('NO_COLOR', '1');
      const grey = await show({}, { isTTY: true, columns: 40 });
      expect(grey.err).toContain('\r\u001b[2K! warning: careful\n');
      expect(grey.err).not.toContain('\u001b[33m');
      vi.stubEnv('TERM', 'dumb');
      expect((await show({}, { isTTY: true })).err).not.toContain('\u001b');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('in a terminal: one live line as wide as that, below the lines that stay, gone at the end', async () => {
    vi.stubEnv('TERM', 'xterm');
    const [out, err] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true, columns: 40 })];
    let seen = '';
    err.setEncoding('utf8').on('data', (text: string) => (seen += text));
    try {
      await showRun(
        {
          run: async ({ tell }) => {
            for (const event of events.slice(0, 4)) tell(event);
            await vi.waitFor(() => expect(seen).toContain('[1/3]'), patience);
            tell({ type: 'warning', message: 'careful' });
            return completed;
          },
          resumeWith: () => 'x',
        },
        { output: 'text', verbose: false, commands: [] },
        new Terminal(out, err),
        err,
      );
    } finally {
      vi.unstubAllEnvs();
    }
    // A terminal: what is erased is gone.
    const rows = stripVTControlCharacters(seen.replaceAll('\r\u001b[2K', '\r')).split('\n');
    expect(rows.map((row) => row.split('\r').at(-1))).toEqual([
      ...['  run r1: build-all, 3 steps', '! warning: careful', ''],
    ]);
    expect(rows[1]?.split('\r')).toContain('[1/3] planner (claude) 1/3 · 0:00');
  });

  it('in JSON: the report alone on stdout, in stream-json every event', async () => {
    const { out } = await show({ output: 'json' });
    expect(JSON.parse(out)).toEqual(report);
    const stream = await show({ output: 'stream-json' });
    const lines = stream.out.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(events);
    expect(stream.err).toBe('');
  });

  it('has the exit code 0 if it is completed, 130 if it was interrupted', async () => {
    expect(await show({}, { result: completed })).toMatchObject({
      code: 0,
      out: expect.not.stringContaining('go on'),
    });
    const stopped = await show({ output: 'json' }, { result: { ...completed, status: 'interrupted' } });
    expect(stopped).toMatchObject({ code: 130 });
    expect(stopped.err).toContain('turnout: stopped. Go on with: turnout chain resume r1\n');
  });

  it('is stopped by the first signal, which says how to quit at once', async () => {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const code = await showRun(
      {
        run: async ({ signal }) => {
          process.emit('SIGHUP', 'SIGHUP');
          expect(signal.aborted, 'SIGHUP without a terminal, as after nohup').toBe(hasTerminal());
          process.emit('SIGINT', 'SIGINT');
          expect(signal.aborted).toBe(true);
          return { ...completed, status: 'interrupted' };
        },
        resumeWith: (runId) => `turnout chain resume ${runId}`,
      },
      { output: 'text', verbose: false, commands: [] },
      new Terminal(out, err),
      err,
    );
    expect(code).toBe(130);
    expect(String(err.read())).toContain('turnout: stopping … (again to quit at once)\n');
    expect(process.listenerCount('SIGINT')).toBe(0);
  });

  it('is stopped when the reader of its events goes away, quietly', async () => {
    const [out, err] = [new PassThrough(), new PassThrough()];
    await showRun(
      {
        run: async ({ signal }) => {
          out.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
          expect(signal.aborted).toBe(true);
          return { ...completed, status: 'interrupted' };
        },
        resumeWith: () => 'x',
      },
      { output: 'stream-json', verbose: false, commands: [] },
      new Terminal(out, err),
      err,
    );
  });
});

function hasTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}
