import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/names.js';
import { type ChatEvent, isTerminal } from '../../src/core/chat-event.js';
import { readRecordings, stdoutOf } from '../contract/recordings.js';
import { chunksOf, cuts, noiseLine, runs } from './arbitraries.js';
import { decodeOutput } from './decode-output.js';

const recordings = vendorNames.flatMap((name) => readRecordings(name));
const anyRecording = fc.constantFrom(...recordings);

describe('what a recorded CLI said, as events', () => {
  it('is the same for any chunking of its bytes', () => {
    fc.assert(
      fc.property(anyRecording, cuts, (recording, at) => {
        const stdout = stdoutOf(recording);
        expect(decodeOutput(recording.cli, chunksOf(stdout, at))).toEqual(
          decodeOutput(recording.cli, [Buffer.from(stdout)]),
        );
      }),
      { numRuns: 400 },
    );
  });

  it('is the same byte by byte', () => {
    for (const { cli, stdout } of recordings.filter(({ scenario }) =>
      /^(tool|answer-plain)$/.test(scenario),
    )) {
      const bytes = Buffer.from(stdout.join('\n'));
      const one = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
      expect(decodeOutput(cli, one)).toEqual(decodeOutput(cli, [bytes]));
    }
  });

  it('keeps the invariants of a turn, also where lines are lost, doubled, shuffled or mixed with noise', () => {
    fc.assert(
      fc.property(
        anyRecording.chain((recording) =>
          fc.tuple(
            fc.constant(recording.cli),
            fc.array(fc.oneof(fc.constantFrom(...recording.stdout, ''), noiseLine), { maxLength: 30 }),
          ),
        ),
        ([cli, lines]) => expectInvariants(decodeOutput(cli, [Buffer.from(lines.join('\n'))])),
      ),
      { numRuns: 400 },
    );
  });

  it('keeps the invariants of a turn for the lines of any other CLI', () => {
    fc.assert(
      fc.property(fc.constantFrom(...vendorNames), anyRecording, (cli, recording) =>
        expectInvariants(decodeOutput(cli, [Buffer.from(stdoutOf(recording))])),
      ),
      runs,
    );
  });

  it.each(vendorNames)('has all that %s said, in order, and its answer after the last tool', (cli) => {
    const events = eventsOf(cli, 'tool');
    expect(said(events)).toBe('Looking. The tool said it.');
    expect(events.at(-1)).toMatchObject({
      type: 'complete',
      text: 'The tool said it.',
      stopReason: 'end_turn',
    });
    const [start, end] = events.filter(({ type }) => type.startsWith('tool_'));
    expect(start).toMatchObject({
      type: 'tool_start',
      input: { command: expect.stringContaining('echo made by a tool') },
    });
    expect(end).toMatchObject({
      type: 'tool_end',
      output: expect.stringContaining('made by a tool'),
      isError: false,
    });
    expect(idOf(end)).toBe(idOf(start));
  });

  it.each(['claude', 'codex', 'opencode'] as const)(
    'has what %s thought, in brackets, before what it said',
    (cli) => {
      const events = eventsOf(cli, 'thinking');
      const kinds = events
        .map(({ type }) => type)
        .filter((type) => type.startsWith('thinking') || type === 'text');
      expect(kinds.filter((type, at) => type !== kinds[at - 1])).toEqual([
        'thinking_start',
        'thinking',
        'thinking_end',
        'text',
      ]);
      expect(events.flatMap((event) => (event.type === 'thinking' ? [event.text] : [])).join('')).toBe(
        'Let me think.',
      );
      expect(said(events)).toBe('The answer is 42.');
    },
  );
});

function eventsOf(cli: VendorName, scenario: string): readonly ChatEvent[] {
  const recording = recordings.find((each) => each.cli === cli && each.scenario === scenario);
  if (recording === undefined) throw new Error(`there is no recording ${cli}/${scenario}`);
  return decodeOutput(cli, [Buffer.from(stdoutOf(recording))]);
}

function said(events: readonly ChatEvent[]): string {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
}

function idOf(event: ChatEvent | undefined): string | undefined {
  return event !== undefined && 'id' in event ? event.id : undefined;
}

function expectInvariants(events: readonly ChatEvent[]): void {
  expect(events.filter(isTerminal)).toEqual(events.slice(-1));
  let thinking = false;
  const begun = new Set<string>();
  const open = new Set<string>();
  for (const event of events) {
    switch (event.type) {
      case 'thinking_start':
        expect(thinking).toBe(false);
        thinking = true;
        break;
      case 'thinking':
        expect(thinking).toBe(true);
        break;
      case 'thinking_end':
        expect(thinking).toBe(true);
        thinking = false;
        break;
      case 'text':
        expect(thinking).toBe(false);
        expect(event.text).not.toBe('');
        break;
      case 'tool_start':
        expect(begun.has(event.id)).toBe(false);
        begun.add(event.id);
        open.add(event.id);
        break;
      case 'tool_end':
        expect(open.delete(event.id)).toBe(true);
        break;
    }
  }
  expect(thinking).toBe(false);
  expect([...open]).toEqual([]);
}
