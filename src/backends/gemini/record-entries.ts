import { type JsonObject, parseObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';
import type { RecordEntry } from '../record/types.js';
import { isDenial } from './decoder.js';

/**
 * The steps in a chat file of Gemini (0.61.0). It writes down that the model has answered, but its tools only when they
 * have ended: after a reply that nothing follows, a tool may be running.
 */
export function geminiEntries(lines: readonly string[]): readonly RecordEntry[] {
  const records = lines.filter((line) => line.trim() !== '').map(parseObject);
  // Older versions wrote one document over many lines.
  const whole = records[0] === undefined ? parseObject(lines.join('\n')) : undefined;
  if (whole !== undefined) return objects(whole['messages']).flatMap(messageEntries);
  let entries: RecordEntry[] = [];
  for (const record of records) {
    if (record === undefined) entries.push({ type: 'damaged' });
    else if ('$set' in record) {
      // A session that is loaded writes down again all that it knows.
      const { messages } = object(record['$set']);
      if (Array.isArray(messages)) entries = objects(messages).flatMap(messageEntries);
    } else entries.push(...messageEntries(record));
  }
  return entries;
}

function messageEntries(message: JsonObject): readonly RecordEntry[] {
  const at = Date.parse(text(message['timestamp'])) || undefined;
  if (message['type'] === 'user') return userEntries(message, at);
  if (message['type'] !== 'gemini') return [];
  const calls = objects(message['toolCalls']);
  if (calls.length === 0) return [{ type: 'reply', at }];
  return calls.flatMap((call): readonly RecordEntry[] => {
    const id = text(call['id']);
    const status = text(call['status']);
    const tool: RecordEntry = { type: 'tool', at, id, name: text(call['name']), input: call['args'] ?? {} };
    const isError = status === 'error' || status === 'cancelled';
    return status === '' ? [tool] : [tool, { type: 'tool_end', at, id, isError, denied: wasDenied(call) }];
  });
}

function wasDenied(call: JsonObject): boolean {
  const responses = objects(call['result']).map((part) => object(part['functionResponse']));
  return responses.length > 0 && responses.every(saysDenied);
}

/** The answers of tools are messages of the user as well. */
function userEntries(message: JsonObject, at: number | undefined): readonly RecordEntry[] {
  const { content } = message;
  const parts = typeof content === 'string' ? [{ text: content }] : objects(content);
  const responses = parts.map((part) => object(part['functionResponse'])).filter((one) => 'name' in one);
  if (responses.length === 0)
    return [{ type: 'prompt', at, text: parts.map((part) => text(part['text'])).join('') }];
  return responses.flatMap((response): readonly RecordEntry[] => {
    if (saysDenied(response)) return [{ type: 'denial', at }];
    const id = text(response['id']);
    return [
      { type: 'tool', at, id, name: text(response['name']), input: {} },
      { type: 'tool_end', at, id, isError: 'error' in object(response['response']), denied: false },
    ];
  });
}

function saysDenied(response: JsonObject): boolean {
  return isDenial(text(object(response['response'])['error']));
}
