import { existsSync, statSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBackend } from '../../../../src/backends/registry.js';
import { missedSteps, TurnOutputs } from '../../../../src/gateway/turns/turn-outputs.js';

const use =
  '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}';
const used =
  '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}';
const config = { workingDir: '.', queryTimeoutMs: 0, allowedTools: [], maxTurns: 1 };
const adapter = createBackend('claude', { ...config, cliPath: 'claude' });

describe('what an agent said before its gateway was killed', () => {
  let directory: string;
  let outputs: TurnOutputs;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'turnout-outputs-'));
    outputs = new TurnOutputs(join(directory, 'turns'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  async function missed(said: string, noted: Parameters<typeof missedSteps>[0] = []) {
    await writeFile((await outputs.fileFor('trn_1')) ?? '', said);
    return missedSteps(noted, adapter.decode?.(outputs.lines('trn_1')), 7);
  }

  it('tells of tools that were not noted', async () => {
    expect(await missed(`${use}\n`)).toEqual({
      tools: [{ id: 't1', name: 'Bash', input: {}, startedAt: 7 }],
      entries: [{ type: 'tool_started', id: 't1', name: 'Bash', input: {}, at: 7 }],
      answered: false,
    });
  });

  it('adds the end of one whose beginning was noted, and nothing that is known', async () => {
    const noted = { id: 't1', name: 'Bash', input: {}, startedAt: 1 };
    const { tools, entries } = await missed(`${use}\n${used}\n`, [noted]);
    expect(entries).toEqual([{ type: 'tool_ended', id: 't1', isError: false, at: 7 }]);
    expect(tools).toEqual([{ ...noted, endedAt: 7, isError: false }]);
    expect((await missed(`${use}\n${used}\n`, tools)).entries).toEqual([]);
  });

  it('tells the session, and whether the answer was printed', async () => {
    const init = '{"type":"system","subtype":"init","session_id":"s1"}';
    const result =
      '{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1"}';
    expect(await missed(`${init}\n${use}\n`)).toMatchObject({ sessionId: 's1', answered: false });
    expect(await missed(`${init}\n${result}\n`)).toMatchObject({ sessionId: 's1', answered: true });
    const opencode = createBackend('opencode', { ...config, cliPath: 'opencode' });
    const spoke = '{"type":"text","sessionID":"s1","part":{"type":"text","text":"I begin."}}';
    await writeFile((await outputs.fileFor('trn_1')) ?? '', `${spoke}\n`);
    const killed = await missedSteps([], opencode.decode?.(outputs.lines('trn_1')), 7);
    expect(killed).toMatchObject({ sessionId: 's1', answered: false });
  });

  it('is read as far as it goes when it breaks off in the middle of a line', async () => {
    expect((await missed(use.slice(0, 60))).tools).toEqual([]);
    expect((await missed(`noise\n${use}\n${used.slice(0, 20)}`)).tools).toHaveLength(1);
  });

  it('is split at LF only: U+2028 may stand inside JSON [fault 13.2: U+2028 in an old output]', async () => {
    const separated = use.replace('"input":{}', '"input":{"text":"a\u2028b\u2029c\\r"}');
    expect((await missed(`${separated}\n`)).tools).toMatchObject([{ input: { text: 'a\u2028b\u2029c\r' } }]);
  });

  it('counts as a tool where a line is too long to be read', async () => {
    await writeFile((await outputs.fileFor('trn_1')) ?? '', `${'x'.repeat(5000)}\nshort\n`);
    let cuts = 0;
    const lines: string[] = [];
    const options = { maxLineBytes: 1000, onCut: () => (cuts += 1) };
    for await (const line of outputs.lines('trn_1', options)) lines.push(line);
    expect(lines.map(({ length }) => length)).toEqual([1000, 5]);
    expect(cuts).toBe(1);
  });

  it('gives back at once what lies beyond the limit, and counts it as a tool [fault 13.3: output without end, then kill -9]', async () => {
    const limited = new TurnOutputs(join(directory, 'turns'), 5000);
    const file = (await limited.fileFor('trn_1')) ?? '';
    await writeFile(file, `${use}\n${'noise\n'.repeat(10_000)}`);
    let sizeWhenRead = 0;
    const events = limited.events('trn_1', (lines) => {
      sizeWhenRead = statSync(file).size;
      return adapter.decode?.(lines);
    });
    const { tools } = await missedSteps([], events, 7);
    expect(sizeWhenRead).toBe(5000);
    expect(tools.map(({ name }) => name)).toEqual(['Bash', 'unknown']);
  });

  it('is left as its tools alone, which take no more room than it did [fault 13.3: tools known when the output is given up]', async () => {
    const { entries, tools } = await missed(`noise\n${use}\n${used}\n${'more noise\n'.repeat(10_000)}`);
    const file = (await outputs.fileFor('trn_1')) ?? '';
    await outputs.condense('trn_1', entries);
    expect((await stat(file)).size).toBeLessThan(300);
    const read = () =>
      missedSteps(
        [],
        outputs.events('trn_1', (lines) => adapter.decode?.(lines)),
        7,
      );
    expect(await read()).toMatchObject({ entries, tools });
    // If the gateway is killed before the rest is cut off, the rest is read too.
    await appendFile(file, `${use.slice(50)}\n${used}\n`);
    expect(await read()).toMatchObject({ entries, tools });
    await outputs.condense('trn_1', []);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['U+2028', '\u2028'],
    ['U+2029', '\u2029'],
    ['a lone CR', '\r'],
  ])(
    'is split at line feeds only: a tool whose line holds %s is known [fault 13.8: a tool whose line holds U+2028]',
    async (_, separator) => {
      // JSON may hold the first two inside a string, and any white space between its parts.
      const line =
        separator === '\r'
          ? use.replace('{"type":"tool_use"', `{${separator}"type":"tool_use"`)
          : use.replace('"input":{}', `"input":{"command":"echo one${separator}two"}`);
      expect((await missed(`${line}\n`)).tools).toMatchObject([{ id: 't1', name: 'Bash' }]);
    },
  );

  it('is nothing where there is no file', async () => {
    expect((await missedSteps([], adapter.decode?.(outputs.lines('trn_2')), 7)).tools).toEqual([]);
    await outputs.remove('trn_2');
  });

  it('is removed with its turn', async () => {
    await missed(use);
    await outputs.remove('trn_1');
    expect(await readdir(join(directory, 'turns'))).toEqual([]);
  });

  it('can be noted in a word when the journal takes nothing: a tool has begun', async () => {
    await outputs.fileFor('trn_1');
    expect(outputs.hasToolNote('trn_1')).toBe(false);
    expect(await outputs.noteTool('trn_1')).toBe(true);
    expect(outputs.hasToolNote('trn_1')).toBe(true);
    expect(outputs.hasToolNote('trn_2')).toBe(false);
    await outputs.sweep(['trn_1']);
    expect(outputs.hasToolNote('trn_1')).toBe(true);
    await outputs.remove('trn_1');
    expect(outputs.hasToolNote('trn_1')).toBe(false);
    await writeFile(join(directory, 'file'), '');
    expect(await new TurnOutputs(join(directory, 'file', 'turns')).noteTool('trn_1')).toBe(false);
  });

  it('has no file where none can be made', async () => {
    await writeFile(join(directory, 'file'), '');
    expect(await new TurnOutputs(join(directory, 'file', 'turns')).fileFor('trn_1')).toBeUndefined();
  });
});
