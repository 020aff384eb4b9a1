import { wordsBehindSeed } from '../../core/seeded-prompt.js';
import { readTail } from './last-session.js';
import type { Exchange } from './types.js';

/** What somebody has said in a session, as its record tells it. */
export interface Said {
  readonly by: 'user' | 'agent';
  readonly text: string;
}

/** The end of a record is enough: an exchange with more tools in it than this is not shown. */
const mostBytes = 4 * 1024 * 1024;

/** The last exchange in the first of the files that tells one. A link, a damaged file or one that is going away tells none. */
export async function lastExchangeIn(
  paths: readonly string[],
  saidIn: (lines: readonly string[]) => readonly Said[],
): Promise<Exchange | undefined> {
  for (const path of paths) {
    const lines = await readTail(path, mostBytes).catch(() => []);
    const exchange = lastExchangeOf(saidIn(lines));
    if (exchange !== undefined) return exchange;
  }
  return undefined;
}

/** The user's last words, and the last thing that the agent has said to them: what it says between its tools is left out. */
export function lastExchangeOf(said: readonly Said[]): Exchange | undefined {
  const spoken = said.filter(({ text }) => text.trim() !== '');
  const at = spoken.findLastIndex(({ by }) => by === 'user');
  const prompt = wordsBehindSeed(spoken[at]?.text ?? '').trim();
  if (prompt === '') return undefined;
  return { prompt, answer: spoken.slice(at + 1).at(-1)?.text };
}
