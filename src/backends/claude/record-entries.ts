import { type JsonObject, parseObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';
import type { RecordEntry } from '../record/types.js';

/** The steps in a transcript of Claude Code (2.1.325). A tool's line is there before the tool has an effect. */
export function claudeEntries(lines: readonly string[]): readonly RecordEntry[] {
  return lines.flatMap((line): readonly RecordEntry[] => {
    if (line.trim() === '') return [];
    const record = parseObject(line);
    return record === undefined ? [{ type: 'damaged' }] : entriesOf(record);
  });
}

function entriesOf(record: JsonObject): readonly RecordEntry[] {
  const at = Date.parse(text(record['timestamp'])) || undefined;
  const { content } = object(record['message']);
  if (record['type'] === 'user' && typeof content === 'string')
    return [{ type: 'prompt', at, text: content }];
  return objects(content).flatMap((block): readonly RecordEntry[] => {
    switch (block['type']) {
      case 'text':
        return record['type'] === 'user' ? [{ type: 'prompt', at, text: text(block['text']) }] : [];
      case 'tool_use':
      case 'server_tool_use':
        return [
          { type: 'tool', at, id: text(block['id']), name: text(block['name']), input: block['input'] },
        ];
      case 'tool_result': {
        const isError = block['is_error'] === true;
        const denied = isError && isDenied(record, block);
        return [{ type: 'tool_end', at, id: text(block['tool_use_id']), isError, denied }];
      }
      default:
        return [];
    }
  });
}

/**
 * True for the failed result of a tool that was not run because somebody denied it. Older versions have only the words. A command that
 * has run can't begin with them: its output follows the exit code.
 */
export function isDenied(record: JsonObject, block: JsonObject): boolean {
  if (text(record['toolDenialKind']) !== '') return true;
  if (object(record['permissionDecision'])['decision'] === 'reject') return true;
  const { content } = block;
  const words =
    typeof content === 'string'
      ? content
      : objects(content)
          .map((part) => text(part['text']))
          .join('');
  return /^(The user doesn't want to proceed with this tool use|Permission to use \w+ has been denied)/.test(
    words,
  );
}
