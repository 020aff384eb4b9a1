import { parseObject } from '../output/json.js';
import { object, objects, text } from '../output/read-fields.js';
import { lastExchangeIn, type Said } from '../record/last-exchange.js';
import type { Environment, Exchange } from '../record/types.js';
import { promptIn } from './list-sessions.js';
import { rollouts } from './session-record.js';

/** The last exchange of a thread, by Codex's rollout (0.166). */
export async function lastExchange(
  sessionId: string,
  _cwd: string,
  env: Environment,
): Promise<Exchange | undefined> {
  const paths = (await rollouts(env)).filter((path) => path.endsWith(`-${sessionId}.jsonl`));
  return lastExchangeIn(paths, (lines) => lines.flatMap(saidIn));
}

function saidIn(line: string): readonly Said[] {
  if (!line.includes('"user') && !line.includes('"assistant"')) return [];
  const record = parseObject(line);
  const payload = object(record?.['payload']);
  if (payload['type'] === 'message' && payload['role'] === 'assistant') {
    const words = objects(payload['content']).map((part) => text(part['text']));
    return [{ by: 'agent', text: words.join('') }];
  }
  const prompt = promptIn(record);
  return prompt === undefined ? [] : [{ by: 'user', text: prompt }];
}
