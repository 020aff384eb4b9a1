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

/** True for the failed result of a tool that was not run because somebody denied it. Older versions have only the words. */
function isDenied(record: JsonObject, block: JsonObject): boolean {
  if (text(record['toolDenialKind']) !== '') return true;
  if (object(record['permissionDecision'])['decision'] === 'reject') return true;
  // Claude (2.1.325) says this of a tool that an interrupt has stopped, too, and corrects itself at the end.
  const isRejected = /^The user doesn't want to proceed with this tool use(?!.*stopped while running)/s;
  return isRejected.test(contentText(block['content'])) || isDeniedByRule(block);
}

/** By Claude's own words. A command that has run can't begin with them: its output follows the exit code. */
export function isDeniedByRule(block: JsonObject): boolean {
  return /^Permission to use \w+ has been denied/.test(contentText(block['content']));
}

export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objects(content)
    .map((block) => (block['type'] === 'text' ? text(block['text']) : `[${text(block['type'])}]`))
    .join('\n');
}
