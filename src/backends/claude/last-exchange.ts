import { basename } from 'node:path';
import { parseObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';
import { lastExchangeIn, type Said } from '../record/last-exchange.js';
import type { Environment, Exchange } from '../record/types.js';
import { typedWords } from './list-sessions.js';
import { transcriptsOf } from './session-record.js';

/** The last exchange of a session, by Claude's transcript (2.1.325). */
export async function lastExchange(
  sessionId: string,
  cwd: string,
  env: Environment,
): Promise<Exchange | undefined> {
  const paths = (await transcriptsOf(cwd, env)).filter((path) => basename(path, '.jsonl') === sessionId);
  return lastExchangeIn(paths, (lines) => lines.flatMap(saidIn));
}

function saidIn(line: string): readonly Said[] {
  // Most lines are tools' and some are megabytes long.
  if (!line.includes('"user"') && !line.includes('"assistant"')) return [];
  const record = parseObject(line);
  if (record === undefined || record['isSidechain'] === true) return [];
  if (record['type'] === 'user') {
    const words = typedWords(record);
    return words === undefined ? [] : [{ by: 'user', text: words }];
  }
  if (record['type'] !== 'assistant') return [];
  const { content } = object(record['message']);
  return objects(content).map((block) => ({ by: 'agent', text: text(block['text']) }));
}
