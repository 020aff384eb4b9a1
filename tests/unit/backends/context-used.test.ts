import { describe, expect, it } from 'vitest';
import { stepCodexTurn } from '../../../src/backends/codex/live/decoder.js';
import { newCodexTurnState } from '../../../src/backends/codex/live/state.js';
import type { LiveEvent } from '../../../src/backends/live/types.js';
import type { VendorName } from '../../../src/backends/names.js';
import { stepOpenCodeTurn } from '../../../src/backends/opencode/live/decoder.js';
import { newOpenCodeTurnState } from '../../../src/backends/opencode/live/state.js';
import type { JsonObject } from '../../../src/backends/output/json.js';
import type { Usage } from '../../../src/core/chat-event.js';
import { readRecording } from '../../contract/recordings.js';
import { decodeOutput } from '../../property/decode-output.js';

/** The calls of the recordings read 60 tokens and wrote 7, whatever the turn added up. */
describe('the context that a CLI says is used (16.4)', () => {
  const recorded: readonly [VendorName, string, Partial<Usage>][] = [
    ['claude', 'answer', { contextTokens: 67, contextWindow: 1_000_000 }],
    ['claude', 'tool', { inputTokens: 120, contextTokens: 67, contextWindow: 1_000_000 }],
    ['claude', 'resume', { contextTokens: 67, contextWindow: 1_000_000 }],
    ['opencode', 'tool', { inputTokens: 120, contextTokens: 67 }],
    ['opencode', 'resume', { contextTokens: 67 }],
  ];
  it.each(recorded)('%s, %s', (cli, scenario, expected) => {
    expect(usageIn(cli, ...readRecording(cli, scenario).stdout)).toMatchObject(expected);
  });

  it.each<[VendorName, string]>([
    ['claude', 'tool-plain'],
    ['claude', 'array-plain'],
    ['codex', 'tool'],
    ['gemini', 'tool'],
    ['gemini', 'tool-plain'],
  ])('%s, %s: nothing of it is told, and nothing is guessed', (cli, scenario) => {
    const usage = usageIn(cli, ...readRecording(cli, scenario).stdout);
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(usage).not.toHaveProperty('contextTokens');
    expect(usage).not.toHaveProperty('contextWindow');
  });
});

describe("Claude's context (16.4)", () => {
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'opus[1m]' };
  const counts = (read: number, cached: number, wrote: number) => ({
    input_tokens: read,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: wrote,
  });
  const stream = (event: JsonObject, more: JsonObject = {}) => ({ type: 'stream_event', event, ...more });
  const starts = (read: number, cached: number, model = 'opus') =>
    stream({ type: 'message_start', message: { model, usage: counts(read, cached, 1) } });
  const ends = (usage: JsonObject) => stream({ type: 'message_delta', delta: {}, usage });
  const result = (windows: Readonly<Record<string, number>> = {}) => ({
    type: 'result',
    subtype: 'success',
    result: 'x',
    usage: counts(500, 500, 500),
    modelUsage: Object.fromEntries(
      Object.entries(windows).map(([model, contextWindow]) => [model, { contextWindow }]),
    ),
  });
  const contextOf = (...lines: readonly JsonObject[]) => {
    const { contextTokens, contextWindow } =
      usageIn('claude', ...[init, ...lines].map((line) => JSON.stringify(line))) ?? {};
    return [contextTokens, contextWindow];
  };

  it('is that of the last call, not the sum', () => {
    const calls = [starts(100, 20), ends(counts(100, 20, 30)), starts(7, 150), ends(counts(7, 150, 40))];
    expect(contextOf(...calls, result({ 'opus[1m]': 1000 }))).toEqual([197, 1000]);
  });

  it('has what the call read from its start, where its end leaves that out', () => {
    const bare = ends({ output_tokens: 40 });
    const nulls = ends({ input_tokens: null, cache_read_input_tokens: null, output_tokens: 40 });
    for (const end of [bare, nulls]) expect(contextOf(starts(7, 150), end, result())[0]).toBe(197);
  });

  it('of a call that broke off is what it read', () => {
    expect(contextOf(starts(7, 150), result())[0]).toBe(158);
  });

  it('is not that of a subagent', () => {
    const ofSubagent = [starts(9000, 0, 'haiku'), ends(counts(9000, 0, 99))].map((line) => ({
      ...line,
      parent_tool_use_id: 'toolu_1',
    }));
    const lines = [starts(7, 150), ends(counts(7, 150, 40)), ...ofSubagent];
    expect(contextOf(...lines, result({ haiku: 200, 'opus[1m]': 1000 }))).toEqual([197, 1000]);
  });

  it('is not known after a compaction, until the next call', () => {
    const compacted = { type: 'system', subtype: 'compact_boundary' };
    expect(contextOf(starts(900, 0), ends(counts(900, 0, 9)), compacted, result())[0]).toBeUndefined();
    expect(contextOf(starts(900, 0), compacted, starts(50, 0), result())[0]).toBe(51);
  });

  it.each<[string, string, Readonly<Record<string, number>>, number | undefined]>([
    ['the model that was chosen', 'opus', { opus: 200, 'opus[1m]': 1000 }, 1000],
    ['the model that was fallen back to', 'sonnet', { 'opus[1m]': 1000, sonnet: 200 }, 200],
    ['the only model, whatever its name', 'opus', { 'us.anthropic.opus-v1:0': 300 }, 300],
    ['none of several that are not known', 'opus', { a: 200, b: 1000 }, undefined],
  ])('has the window of %s', (_, called, windows, expected) => {
    expect(contextOf(starts(7, 150, called), result(windows))).toEqual([158, expected]);
  });

  it('is not told for counts that are none', () => {
    const broken = stream({ type: 'message_start', message: { usage: { input_tokens: 'many' } } });
    expect(contextOf(broken, stream({ type: 'message_delta' }), result({ opus: 200 }))).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("Codex's context in a live session (16.4)", () => {
  const update = (spent: number, last: number, more: JsonObject = { modelContextWindow: 258_400 }) => ({
    method: 'thread/tokenUsage/updated',
    params: {
      turnId: 't1',
      tokenUsage: {
        total: { totalTokens: spent, inputTokens: spent },
        last: { totalTokens: last, inputTokens: last },
        ...more,
      },
    },
  });
  const usages = (...updates: readonly JsonObject[]) => {
    let state = { ...newCodexTurnState, turnId: 't1' };
    const seen: LiveEvent[] = [];
    for (const value of updates) {
      const [next, events] = stepCodexTurn(state, { value, raw: '' });
      state = next as typeof state;
      seen.push(...events);
    }
    return seen.filter((event) => event.type === 'usage');
  };

  it('is the last call, with the window', () => {
    expect(usages(update(100, 100), update(350, 250))).toMatchObject([
      { inputTokens: 100, contextTokens: 100, contextWindow: 258_400 },
      { inputTokens: 350, contextTokens: 250, contextWindow: 258_400 },
    ]);
  });

  it('is what a compaction left, and has no window where Codex tells none', () => {
    const left = update(350, 0);
    const estimate = { last: { totalTokens: 40, inputTokens: 0 }, modelContextWindow: null };
    const { params } = left;
    const compacted = { ...left, params: { ...params, tokenUsage: { ...params.tokenUsage, ...estimate } } };
    const last = usages(update(350, 350), compacted).at(-1);
    expect(last).toMatchObject({ inputTokens: 350, contextTokens: 40 });
    expect(last).not.toHaveProperty('contextWindow');
  });
});

describe("OpenCode's context in a live session (16.4)", () => {
  const say = (type: string, properties: JsonObject): JsonObject => ({
    type,
    properties: { sessionID: 'ses_1', ...properties },
  });
  const reply = (id: string, summary?: true) =>
    say('message.updated', { info: { id, role: 'assistant', ...(summary && { summary }) } });
  const step = (messageID: string, input: number, more: JsonObject = {}) =>
    say('message.part.updated', {
      part: { id: `prt_${messageID}_${input}`, messageID, type: 'step-finish', tokens: { input, output: 1 } },
      ...more,
    });
  const last = (...events: readonly JsonObject[]) => {
    let state = newOpenCodeTurnState('ses_1', 'msg_1');
    let usage: LiveEvent | undefined;
    for (const event of events) {
      const [next, told] = stepOpenCodeTurn(state, event, '');
      state = next;
      usage = told.findLast(({ type }) => type === 'usage') ?? usage;
    }
    return usage;
  };

  it('is the last step, and no subagent’s', () => {
    const ofSubagent = step('msg_5', 9000, { sessionID: 'ses_2' });
    expect(last(reply('msg_2'), step('msg_2', 100), step('msg_2', 200), ofSubagent)).toMatchObject({
      inputTokens: 9300,
      contextTokens: 201,
    });
  });

  it('is not known after a summary, until the next step; a step without a call changes nothing', () => {
    const summed = [reply('msg_2'), step('msg_2', 100), reply('msg_3', true), step('msg_3', 500)];
    expect(last(...summed)).not.toHaveProperty('contextTokens');
    const failed = say('message.part.updated', {
      part: { id: 'prt_f', messageID: 'msg_4', type: 'step-finish', tokens: { input: 0, output: 0 } },
    });
    expect(last(...summed, reply('msg_4'), step('msg_4', 20), failed)).toMatchObject({ contextTokens: 21 });
  });
});

function usageIn(cli: VendorName, ...lines: readonly string[]): Usage | undefined {
  const events = decodeOutput(cli, [Buffer.from(`${lines.join('\n')}\n`)]);
  return events.findLast((event) => event.type === 'usage');
}
