import { appendFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../../../src/backends/names.js';
import { recordedLines, recordHome } from './record-home.js';

// Recorded with the pinned CLIs: a plain answer, a tool, a denied one, an allowed one, and one that waits for an answer.

const shell = { claude: 'Bash', codex: 'exec', gemini: 'run_shell_command', opencode: 'bash' } as const;

describe.each(vendorNames)("%s's own record of a session", (backend) => {
  const lines = recordedLines(backend);
  const timesOf = (line: string): readonly number[] => [
    ...[...line.matchAll(/"timestamp":"([^"]*)"/g)].map(([, time]) => Date.parse(time ?? '')),
    ...[...line.matchAll(/^{"at":(\d+)/g)].map(([, time]) => Number(time)),
  ];
  /** The index of the line with the prompt. */
  const promptAt = (prompt: string) =>
    lines.findIndex(
      (line) =>
        line.includes(`"${prompt}"`) && !line.includes('queue-operation') && !line.startsWith('{"$set'),
    );
  const since = (prompt: string) => Math.min(...timesOf(lines[promptAt(prompt)] ?? ''));
  /** The lines as they were when the gateway died: before the next prompt, less the last ones. */
  const until = (next: string, less = 0) => lines.slice(0, promptAt(next) - less);
  const tellsLate = backend === 'gemini';

  it('names the tool of the turn, and none of the turns before and after', async () => {
    const home = recordHome(backend, until('deny it'));
    const found = await home.look({ since: since('make it') });
    expect(found).toMatchObject({ type: 'tools' });
    if (found.type !== 'tools') return;
    expect(found.tools[0]).toMatchObject({ name: shell[backend], hasEnded: true, denied: false });
    expect(JSON.stringify(found.tools[0]?.input)).toContain('touch made');
    expect(await home.look({ since: since('deny it') })).toEqual({ type: 'tools', tools: [] });
  });

  it('tells a tool that still runs', async () => {
    const end = lines.findIndex(
      (line, at) =>
        at > promptAt('make it') && /"tool_result"|_output"|item_completed.*Command|"toolCalls"/.test(line),
    );
    const running =
      backend === 'opencode' ? lines.slice(0, promptAt('deny it')).map(stillRuns) : lines.slice(0, end);
    const found = await recordHome(backend, running).look({ since: since('make it') });
    if (tellsLate) expect(found).toMatchObject({ type: 'unknown', reason: /before they have ended/ });
    else
      expect(found).toMatchObject({
        type: 'tools',
        tools: [{ name: shell[backend], hasEnded: false, denied: false }],
      });
  });

  it('calls a denied tool denied', async () => {
    const home = recordHome(backend, until('write it'));
    const found = await home.look({ since: since('deny it') });
    // After the denial the model has spoken again: of Gemini that may mean another tool.
    if (tellsLate) expect(found.type).toBe('unknown');
    else expect(found).toMatchObject({ type: 'tools', tools: [{ name: shell[backend], denied: true }] });
  });

  it('names a tool that was allowed', async () => {
    const found = await recordHome(backend, until('ask me')).look({ since: since('write it') });
    expect(found).toMatchObject({ type: 'tools' });
    expect(found.type === 'tools' && found.tools.every(({ denied }) => !denied)).toBe(true);
    expect(JSON.stringify(found)).toContain('w.txt');
  });

  it('finds the turn by its prompt where the clock was set back', async () => {
    const late = { since: Date.UTC(2027, 0, 1), clockSetBack: true };
    const home = recordHome(backend, until('deny it'));
    expect(JSON.stringify(await home.look({ ...late, prompt: 'make it' }))).toContain('touch made');
    expect(await home.look({ ...late, prompt: 'a message that it does not hold' })).toEqual({
      type: 'tools',
      tools: [],
    });
  });

  it('finds the turn where the clock was set back and has caught up [fault 13.8: a clock set back while a tool ran]', async () => {
    const home = recordHome(backend, until('deny it'));
    const late = { since: Date.UTC(2027, 0, 1) };
    expect(JSON.stringify(await home.look({ ...late, prompt: 'make it' }))).toContain('touch made');
    expect(await home.look({ ...late, prompt: 'first question' })).toEqual({ type: 'tools', tools: [] });
  });

  it('is unknown where there are more new sessions than are looked at', async () => {
    const home = recordHome(backend, until('deny it'));
    const nameless = {
      sessionId: undefined,
      since: Date.UTC(2025, 11, 31, 23),
      prompt: 'of another channel',
    };
    home.addSessions(49);
    expect(await home.look(nameless)).toEqual({ type: 'tools', tools: [] });
    home.addSessions(50);
    expect(await home.look(nameless)).toMatchObject({
      type: 'unknown',
      reason: expect.stringContaining('50 sessions'),
    });
  });

  it('finds a new session whose id nobody knows, by its prompt', async () => {
    const home = recordHome(backend, until('deny it'));
    const nameless = { sessionId: undefined, since: Date.UTC(2025, 11, 31, 23) };
    expect(JSON.stringify(await home.look({ ...nameless, prompt: 'make it' }))).toContain('touch made');
    expect(await home.look({ ...nameless, prompt: 'of another channel' })).toEqual({
      type: 'tools',
      tools: [],
    });
    const later = { ...nameless, since: Date.UTC(2099, 0, 1), prompt: 'make it' };
    expect(await home.look(later)).toEqual({ type: 'tools', tools: [] });
  });

  it('finds the turn in another session than the one to resume, unless the CLI has named that one', async () => {
    const home = recordHome(backend, until('deny it'));
    const resumed = { sessionId: 'another-session', since: Date.UTC(2025, 11, 31, 23), prompt: 'make it' };
    expect(JSON.stringify(await home.look({ ...resumed, isNamed: false }))).toContain('touch made');
    expect(await home.look({ ...resumed, isNamed: true })).toEqual({ type: 'tools', tools: [] });
    const other = { ...resumed, isNamed: false, prompt: 'of another channel' };
    expect(await home.look(other)).toEqual({ type: 'tools', tools: [] });
  });

  it('is unknown where the prompt is not known and a session in the directory has begun tools', async () => {
    const home = recordHome(backend, until('deny it'));
    const nameless = { sessionId: undefined, since: Date.UTC(2025, 11, 31, 23), prompt: '' };
    expect(await home.look(nameless)).toMatchObject({
      type: 'unknown',
      reason: expect.stringContaining('it is not known whether'),
    });
  });

  it('holds nothing where there is none: the CLI had not begun', async () => {
    expect(await recordHome(backend).look({})).toEqual({ type: 'tools', tools: [] });
    const home = recordHome(backend, lines);
    expect(await home.look({ sessionId: 'another-session' })).toEqual({ type: 'tools', tools: [] });
    expect(await home.look({ sessionId: '../../x' })).toEqual({ type: 'tools', tools: [] });
  });

  it('is unknown where the CLI has none at all and nobody has heard what it printed', async () => {
    const unheard = { sessionId: undefined, unheard: true, prompt: 'make it', since: Date.UTC(2099, 0, 1) };
    expect(await recordHome(backend).look(unheard)).toMatchObject({
      type: 'unknown',
      reason: expect.stringContaining('keeps no record'),
    });
    expect(await recordHome(backend, lines).look(unheard)).toEqual({ type: 'tools', tools: [] });
  });

  it('is unknown where it is there and can’t be read', async () => {
    const home = recordHome(backend, lines);
    rmSync(home.path);
    mkdirSync(home.path);
    expect(await home.look({})).toMatchObject({
      type: 'unknown',
      reason: expect.stringContaining("can't be read"),
    });
  });

  it('is unknown where it is damaged behind the prompt, and tells what it can', async () => {
    const begun = recordHome(backend, until('first question', -1));
    const query = { since: since('first question') };
    expect(await begun.look(query)).toEqual({ type: 'tools', tools: [] });
    if (backend === 'opencode') truncateSync(begun.path, 5000);
    else appendFileSync(begun.path, '\u0000\u0000{"type":"assi');
    expect((await begun.look(query)).type).toBe('unknown');
    const used = recordHome(backend, until('deny it'));
    if (backend !== 'opencode') appendFileSync(used.path, '{"type":"assi');
    expect(JSON.stringify(await used.look({ since: since('make it') }))).toContain('touch made');
    writeFileSync(used.path, '');
    if (backend !== 'opencode') expect(await used.look({})).toEqual({ type: 'tools', tools: [] });
  });
});

it('is unknown where a new session has more parts than are read [fault 13.8: a session record of any length]', async () => {
  const lines = recordedLines('opencode').filter((line) => line.startsWith('{"at"'));
  const talk = JSON.stringify({ at: Date.UTC(2026, 6, 1), role: 'assistant', type: 'text', text: 'on' });
  const home = recordHome('opencode', [...lines, ...Array<string>(2000).fill(talk)]);
  const query = { since: Date.UTC(2025, 11, 31, 23), prompt: 'make it' };
  expect(await home.look({ ...query, sessionId: undefined })).toMatchObject({ type: 'unknown' });
  expect(await home.look(query)).toMatchObject({ type: 'unknown' });
});

/** The row of OpenCode's tool as it is while the tool runs. */
function stillRuns(line: string): string {
  return line.includes('touch made') ? line.replace('"completed"', '"running"') : line;
}
