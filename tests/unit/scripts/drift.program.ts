import { describe, expect, it } from 'vitest';
import { diffLines } from '../../../scripts/lab/diff-lines.js';
import { compareVersionsOf, type Decoded, onlyAdds } from '../../../scripts/lab/drift.js';
import { describeDrift } from '../../../scripts/lab/latest.js';
import { replay } from '../../../scripts/lab/replay.js';
import { type Recording, readPinnedRecordings } from '../../../scripts/record.js';
import { type VendorName, vendorNames } from '../../../src/backends/names.js';
import type { ChatEvent } from '../../../src/core/chat-event.js';

const none = { events: [], added: [], removed: [] };

async function decoded(recording: Recording): Promise<Decoded> {
  return { recording, events: await replay(recording) };
}

function readRecording(cli: VendorName, scenario: string): Recording {
  const found = readPinnedRecordings(cli).find((recording) => recording.scenario === scenario);
  if (found === undefined) throw new Error(`${cli} has no recording ${scenario}`);
  return found;
}

/** The recording as another version would print it. */
function printed(recording: Recording, change: (line: string) => string | readonly string[]): Recording {
  return { ...recording, version: '99.0.0', stdout: recording.stdout.flatMap((line) => change(line)) };
}

describe.each(vendorNames)('the drift between two recordings of %s', (cli) => {
  it('is none where only ids, times and the version differ', async () => {
    const recording = readRecording(cli, 'tool');
    const later = printed(recording, (line) =>
      line
        .replaceAll('00000000-0000-4000-8000-0000000000', '11111111-2222-4333-8444-5555555555')
        .replaceAll(/"(\w*duration\w*)":100/g, '"$1":7')
        .replaceAll('scripted_', 'another_')
        .replaceAll(/\b(ses|msg|prt)_0{20}/g, '$1_AbCdEfGhIjKlMnOpQrSt'),
    );
    expect(later.stdout).not.toEqual(recording.stdout);
    expect(compareVersionsOf([await decoded(recording)], [await decoded(later)])).toEqual(none);
  });

  it('is an addition where each line has a new field: no event changes', async () => {
    const recording = readRecording(cli, 'tool');
    const later = printed(recording, (line) => line.replace(/\}$/, ',"new_field":{"inside":1}}'));
    const { events, added, removed } = compareVersionsOf([await decoded(recording)], [await decoded(later)]);
    expect({ events, removed }).toEqual({ events: [], removed: [] });
    expect(added.length).toBeGreaterThan(2);
    for (const line of added) expect(line).toMatch(/^field [\w./-]+: new_field \(in tool\)$/);
  });

  it('shows a line of a new type, and the notice that it became', async () => {
    const recording = readRecording(cli, 'answer');
    const line = '{"type":"quota_told","left":3}';
    const later = printed(recording, (old) => [old]);
    const told = { ...later, stdout: [...later.stdout.slice(0, 1), line, ...later.stdout.slice(1)] };
    const { events, added } = compareVersionsOf([await decoded(recording)], [await decoded(told)]);
    expect(added).toEqual(['line quota_told: type, left (in answer)']);
    expect(events).toMatchObject([{ scenario: 'answer' }]);
    expect(events[0]?.diff.filter((one) => one.startsWith('+ '))).toEqual([
      expect.stringContaining('{"type":"notice"'),
    ]);
  });

  it('is no mere addition where a field is printed no more, though no event changes', async () => {
    const recording = readRecording(cli, 'tool');
    const earlier = printed(recording, (line) => line.replace(/\}$/, ',"old_field":1}'));
    const drift = compareVersionsOf([await decoded(earlier)], [await decoded(recording)]);
    expect(drift.events).toEqual([]);
    expect(drift.removed.length).toBeGreaterThan(2);
    expect(onlyAdds(drift)).toBe(false);
    expect(onlyAdds(compareVersionsOf([await decoded(recording)], [await decoded(earlier)]))).toBe(true);
  });

  it('is told where the answer’s own lines have another name', async () => {
    const recording = readRecording(cli, 'answer');
    const later = printed(recording, (line) =>
      line.replaceAll('"text"', '"txt"').replaceAll('"content"', '"body"'),
    );
    const drift = compareVersionsOf([await decoded(recording)], [await decoded(later)]);
    expect(drift.events).not.toEqual([]);
    expect(drift.added).not.toEqual([]);
    expect(drift.removed).not.toEqual([]);
  });

  it('reads each recording as a turn with one end', async () => {
    for (const recording of readPinnedRecordings(cli)) {
      const { events } = await decoded(recording);
      expect(events.at(-1)?.type, recording.scenario).toMatch(/^(complete|error)$/);
    }
  });
});

describe('the comparison of events', () => {
  const recording = readRecording('claude', 'answer');
  const usage = (costUsd: number, inputTokens = 60): ChatEvent => ({
    type: 'usage',
    inputTokens,
    outputTokens: 7,
    costUsd,
  });
  const compare = (before: ChatEvent, after: ChatEvent) =>
    compareVersionsOf([{ recording, events: [before] }], [{ recording, events: [after] }]).events;

  it('takes another price for the same, but not a price of nothing, nor another count of tokens', () => {
    expect(compare(usage(0.1), usage(0.2))).toEqual([]);
    expect(compare(usage(0.1), usage(0))).toHaveLength(1);
    expect(compare(usage(0.1), usage(0.1, 0))).toHaveLength(1);
  });

  it('takes another path for the same, but not other words', () => {
    const told = (message: string): ChatEvent => ({ type: 'notice', level: 'info', message });
    expect(compare(told('in /work-dir/home/a.'), told('in /work-dir/home/b/c.'))).toEqual([]);
    expect(compare(told('in /work-dir/home/a.'), told('at /work-dir/home/a.'))).toHaveLength(1);
  });

  it('takes other ids for the same, but not an id that changes within the turn', () => {
    const turn = (first: string, last: string): ChatEvent[] => [
      { type: 'session', sessionId: first, backend: 'claude' },
      { type: 'complete', text: 'yes', sessionId: last, stopReason: 'end_turn' },
    ];
    const compareTurns = (before: ChatEvent[], after: ChatEvent[]) =>
      compareVersionsOf([{ recording, events: before }], [{ recording, events: after }]).events;
    expect(compareTurns(turn('a', 'a'), turn('b', 'b'))).toEqual([]);
    expect(compareTurns(turn('a', 'a'), turn('b', 'c'))).toHaveLength(1);
  });

  it('takes another exit code for a change', () => {
    const failed = { ...recording, exit: { code: 1, signal: null } };
    const [change] = compareVersionsOf(
      [{ recording, events: [] }],
      [{ recording: failed, events: [] }],
    ).events;
    expect(change?.diff).toEqual(['- exit 0', '+ exit 1']);
  });

  it('compares the scenarios that both have', () => {
    const other = { ...recording, scenario: 'another' };
    expect(compareVersionsOf([{ recording, events: [] }], [{ recording: other, events: [] }])).toEqual(none);
  });

  it('is readable', () => {
    expect(describeDrift(none)).toEqual(['The events are the same.']);
    expect(
      describeDrift({
        events: [{ scenario: 'tool', diff: ['- a', '+ b'] }],
        added: ['line x: type (in tool)'],
        removed: ['field y: z (in tool)'],
      }),
    ).toEqual([
      'Other events in tool:',
      '  - a',
      '  + b',
      'Printed since, and not read by Turnout:',
      '  + line x: type (in tool)',
      'Printed no more:',
      '  - field y: z (in tool)',
    ]);
  });
});

describe('a diff of lines', () => {
  it('is empty where nothing differs', () => {
    expect(diffLines(['a', 'b'], ['a', 'b'])).toEqual([]);
  });

  it('shows a change with the lines around it', () => {
    expect(
      diffLines(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], ['a', 'b', 'x', 'd', 'e', 'f', 'g', 'h', 'i']),
    ).toEqual(['  b', '- c', '+ x', '  d', '  …', '  h', '+ i']);
  });
});
