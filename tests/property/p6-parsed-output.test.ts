import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/names.js';
import { LineSplitter } from '../../src/process/split-lines.js';
import { anyString, chunksOf, cuts, noiseLine, runs, sessionId, someString } from './arbitraries.js';
import { create, formats } from './formats.js';
import { configWith } from './read-arguments.js';

const noise = fc.array(noiseLine, { maxLength: 3 });

describe('Feature: multi-cli-backend, Property 6: parsers return the text and the id that were put in (R2.4, R3.6, R4.6, R5.6)', () => {
  for (const format of formats) {
    it(`Property 6: ${format.backend}, ${format.name}`, () => {
      const backend = new create[format.backend](configWith({}));
      fc.assert(
        fc.property(someString, sessionId, (text, id) => {
          const stdout = `${format.print(text, id).join('\n')}\n`;
          expect(backend.parseOutput(stdout)).toEqual({
            responseText: text,
            isError: false,
            // An empty id is none.
            ...(format.withoutId || id === '' ? {} : { sessionId: id }),
          });
          expect(backend.parseOutput(stdout.trimEnd())).toEqual(backend.parseOutput(stdout));
        }),
        runs,
      );
    });

    it(`Property 6: ${format.backend}, ${format.name}, among noise and in any chunks`, () => {
      const backend = new create[format.backend](configWith({}));
      fc.assert(
        fc.property(
          someString,
          sessionId,
          fc.array(noise, { minLength: 2 }),
          cuts,
          (text, id, between, at) => {
            const printed = format.print(text, id);
            const blocks = format.document ? [printed] : printed.map((line) => [line]);
            const output = [
              ...(between[0] ?? []),
              ...blocks.flatMap((block, i) => [...block, ...(between[i + 1] ?? [])]),
            ];
            const splitter = new LineSplitter();
            const lines = chunksOf(`${output.join('\n')}\n`, at).flatMap((chunk) => splitter.push(chunk));
            const stdout = [...lines, ...splitter.flush()].map((line) => line.text).join('\n');

            expect(backend.parseOutput(stdout)).toEqual({
              responseText: text,
              isError: false,
              ...(format.withoutId || id === '' ? {} : { sessionId: id }),
            });
          },
        ),
        runs,
      );
    });
  }

  for (const name of vendorNames) {
    const backend = new create[name](configWith({}));

    it(`Property 6: ${name}, what is no JSON is "Failed to parse CLI output" and never throws (R8.4)`, () => {
      fc.assert(
        fc.property(fc.array(noiseLine), (lines) => {
          const stdout = lines.filter((line) => !line.startsWith('[')).join('\n');
          fc.pre(!holdsJson(stdout));
          expect(backend.parseOutput(stdout)).toEqual({
            isError: true,
            responseText: 'Failed to parse CLI output',
          });
        }),
        runs,
      );
    });

    it(`Property 6: ${name}, any text and any JSON gives a result and never throws`, () => {
      fc.assert(
        fc.property(fc.oneof(anyString, fc.array(event, { maxLength: 6 }).map(print)), (stdout) => {
          const parsed = backend.parseOutput(stdout);
          expect(typeof parsed.isError).toBe('boolean');
          expect(typeof parsed.responseText).toBe('string');
          if (!parsed.isError) expect(parsed.responseText).not.toBe('');
        }),
        { numRuns: 500 },
      );
    });

    it(`Property 6: ${name}, nesting without end gives a result`, () => {
      for (const [open, close] of [
        ['[', ']'],
        ['{"type":', '}'],
        ['{"part":', '}'],
      ] as const) {
        const deep = `${open.repeat(50_000)}1${close.repeat(50_000)}`;
        expect(backend.parseOutput(deep).isError).toBe(true);
        expect(backend.parseOutput(`[${deep}]`).isError).toBe(true);
      }
    });
  }
});

/** An event whose type and fields all four know, with values that none of them expects. */
const words = [
  ...['system', 'stream_event', 'assistant', 'user', 'result', 'rate_limit_event'],
  ...[
    'thread.started',
    'item.started',
    'item.completed',
    'turn.completed',
    'turn.failed',
    'error',
    'message',
  ],
  ...['init', 'tool_use', 'tool_result', 'step_start', 'text', 'reasoning', 'step_finish'],
];
const fields = [
  ...[
    'subtype',
    'session_id',
    'sessionID',
    'thread_id',
    'event',
    'message',
    'errors',
    'error',
    'usage',
    'item',
    'msg',
  ],
  ...[
    'part',
    'stats',
    'response',
    'role',
    'content',
    'status',
    'attempt',
    'retry_delay_ms',
    'rate_limit_info',
  ],
  ...[
    'total_cost_usd',
    'api_error_status',
    'max_retries',
    'error_status',
    'tool_name',
    'is_error',
    'result',
    'text',
  ],
];
const innerFields = [
  ...[
    'type',
    'item_type',
    'delta',
    'content',
    'id',
    'text',
    'status',
    'resetsAt',
    'state',
    'tokens',
    'models',
    'message',
  ],
  ...[
    'toString',
    'valueOf',
    '__proto__',
    'changes',
    'result',
    'arguments',
    'input_tokens',
    'data',
    'reason',
    'code',
  ],
];
const leaf = fc.oneof(
  fc.constantFrom(
    'init',
    'api_retry',
    'text_delta',
    'text',
    'tool_use',
    'mcp_tool_call',
    'command_execution',
    'allowed',
  ),
  fc.constantFrom(
    'permission_denied',
    'file_change',
    'agent_message',
    'error',
    'tool-calls',
    'assistant',
    'content_block_delta',
  ),
  fc.constantFrom(1e300, -1, 0, 1e15, null, true, '', []),
  fc.jsonValue({ maxDepth: 1 }),
);
const inner = fc.oneof(
  leaf,
  fc.dictionary(fc.constantFrom(...innerFields), leaf, { maxKeys: 4, noNullPrototype: true }),
);
const value = fc.oneof(
  leaf,
  fc.array(inner, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom(...innerFields), inner, { maxKeys: 4, noNullPrototype: true }),
);
const event = fc
  .tuple(
    fc.constantFrom(...words, undefined),
    fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 6, noNullPrototype: true }),
  )
  .map(([type, rest]) => (type === undefined ? rest : { type, ...rest }));

function print(events: readonly unknown[]): string {
  return events.map((each) => JSON.stringify(each)).join('\n');
}

function holdsJson(stdout: string): boolean {
  return /\{[\s\S]*\}/.test(stdout);
}
