import type { JsonObject } from '../output/json.js';

/**
 * Half the lines of a short turn, and nearly all of a long answer, are pieces of text and marks between them. They are
 * known by how they begin and need not be parsed whole: the object returned has only the fields that the decoder reads. For
 * a line that begins in any other way the result is undefined, and the line is parsed.
 */
export function readKnownLine(raw: string): JsonObject | undefined {
  if (!raw.endsWith('}')) return undefined;
  if (!raw.startsWith(streamEvent)) {
    if (raw.startsWith(status)) return statusLine;
    return raw.startsWith(lifecycle) ? readLifecycle(raw) : undefined;
  }
  // The pieces before this line are void.
  if (raw.includes('"abandoned_blocks"')) return undefined;
  const end = raw.indexOf('"', streamEvent.length);
  const type = raw.slice(streamEvent.length, end);
  if (type === 'content_block_delta') return readTextDelta(raw, end);
  return marks.has(type) ? markLine : undefined;
}

/** True for a mark, which means nothing to a live session. */
export function isMark(message: JsonObject): boolean {
  return message === markLine || message === statusLine;
}

const streamEvent = '{"type":"stream_event","event":{"type":"';
const status = '{"type":"system","subtype":"status"';
const statusLine: JsonObject = { type: 'system', subtype: 'status' };
const markLine: JsonObject = { type: 'stream_event' };
/** `message_start` and `message_delta` are parsed: they tell how full the context is. */
const marks: ReadonlySet<string> = new Set(['content_block_start', 'content_block_stop', 'message_stop']);

const lifecycle = '{"type":"command_lifecycle","command_uuid":"';
const lifecycleState = '","state":"';

/** Three such lines come for each message of a live session. */
function readLifecycle(raw: string): JsonObject | undefined {
  const idEnd = raw.indexOf('"', lifecycle.length);
  if (!raw.startsWith(lifecycleState, idEnd)) return undefined;
  const from = idEnd + lifecycleState.length;
  const state = raw.slice(from, raw.indexOf('"', from));
  const id = raw.slice(lifecycle.length, idEnd);
  return plain.test(id) && plain.test(state)
    ? { type: 'command_lifecycle', command_uuid: id, state }
    : undefined;
}

/** Nothing that JSON would have to escape. */
const plain = /^[\w-]+$/;

const textDelta = ',"delta":{"type":"text_delta","text":';

/** A subagent's text is left to the parser. */
function readTextDelta(raw: string, from: number): JsonObject | undefined {
  const start = raw.indexOf(textDelta, from) + textDelta.length;
  // Before it there is an index and nothing else.
  if (start < textDelta.length || start > from + textDelta.length + 24) return undefined;
  const end = endOfString(raw, start);
  if (end === -1 || !raw.startsWith('}}', end) || raw.includes('"parent_tool_use_id":"', end))
    return undefined;
  try {
    // Parsed, and so a copy: a slice would keep the whole batch of lines in memory.
    const text: unknown = JSON.parse(raw.slice(start, end));
    return {
      type: 'stream_event',
      event: { type: 'content_block_delta', delta: { type: 'text_delta', text } },
    };
  } catch {
    return undefined;
  }
}

/** The index behind the quote that closes the string which opens at `start`; -1 where there is none. */
function endOfString(raw: string, start: number): number {
  if (raw[start] !== '"') return -1;
  for (let quote = raw.indexOf('"', start + 1); quote !== -1; quote = raw.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (raw[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return -1;
}
