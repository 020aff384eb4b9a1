import { type JsonObject, parseObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';
import { lastExchangeIn, type Said } from '../record/last-exchange.js';
import type { Environment, Exchange } from '../record/types.js';
import { readChatFile } from './chat-file.js';
import { plainShortId } from './chat-records.js';
import { ownWords } from './list-sessions.js';
import { chats } from './session-record.js';

/** The last exchange of a session, by Gemini's chat file (0.61.0). */
export async function lastExchange(
  sessionId: string,
  _cwd: string,
  env: Environment,
): Promise<Exchange | undefined> {
  const paths: string[] = [];
  for (const { path, shortId } of await chats(env)) {
    if (plainShortId(shortId) !== sessionId.slice(0, 8)) continue;
    if ((await readChatFile(path))?.sessionId === sessionId) paths.push(path);
  }
  return lastExchangeIn(paths, saidIn);
}

function saidIn(lines: readonly string[]): readonly Said[] {
  let said: Said[] = [];
  for (const line of lines) {
    const record = parseObject(line);
    if (record === undefined) continue;
    // A session that is loaded writes down again all that it knows.
    const { messages } = object(record['$set']);
    if (Array.isArray(messages)) said = objects(messages).flatMap(saidBy);
    else said.push(...saidBy(record));
  }
  return said;
}

function saidBy({ type, content }: JsonObject): readonly Said[] {
  const words =
    typeof content === 'string'
      ? content
      : objects(content)
          .map((part) => text(part['text']))
          .join('');
  if (type === 'user') return [{ by: 'user', text: ownWords(words) }];
  return type === 'gemini' ? [{ by: 'agent', text: words }] : [];
}
