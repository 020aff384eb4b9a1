import { expect, it } from 'vitest';
import { setUpGateway } from '../stage.js';
import { storedTurns } from './stored-turns.js';

it('each retry of a turn waits twice as long as the one before (R10)', async () => {
  const stage = setUpGateway({ RETRY_DELAY_MS: '150' });
  const client = await stage.start();
  const { eventId } = await client.ask('a', 'crash');
  const turns = await storedTurns(stage, eventId);
  const waits = turns.slice(1).map((turn, index) => turn.startedAt - (turns[index]?.endedAt ?? 0));
  expect(waits).toHaveLength(3);
  for (const [index, least] of [150, 300, 600].entries()) expect(waits[index]).toBeGreaterThanOrEqual(least);
});
