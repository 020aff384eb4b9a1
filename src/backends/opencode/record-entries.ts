import { parseObject } from '../output/json.js';
import { text } from '../output/read-fields.js';
import type { RecordEntry } from '../record/types.js';
import { isDenial } from './decoder.js';

/** A part of a message, as `partsOfSession` selects it from OpenCode's database. */
export interface PartRow {
  readonly at: number;
  readonly role: unknown;
  readonly type: unknown;
  readonly text: unknown;
  readonly tool: unknown;
  readonly callId: unknown;
  readonly status: unknown;
  readonly input: unknown;
  readonly error: unknown;
}

/** The steps of a session of OpenCode (1.18.33). A tool is there before it runs: `pending`, then `running`. */
export function openCodeEntries(rows: readonly PartRow[]): readonly RecordEntry[] {
  return rows.flatMap((row): readonly RecordEntry[] => {
    const { at } = row;
    if (row.type === 'text') return row.role === 'user' ? [{ type: 'prompt', at, text: text(row.text) }] : [];
    if (row.type !== 'tool') return [];
    const id = text(row.callId);
    const tool: RecordEntry = { type: 'tool', at, id, name: text(row.tool), input: inputOf(row.input) };
    if (row.status !== 'completed' && row.status !== 'error') return [tool];
    const isError = row.status === 'error';
    return [tool, { type: 'tool_end', at, id, isError, denied: isError && isDenial(text(row.error)) }];
  });
}

function inputOf(input: unknown): unknown {
  return typeof input === 'string' ? (parseObject(input) ?? input) : {};
}
