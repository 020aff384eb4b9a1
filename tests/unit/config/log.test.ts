import { expect, it } from 'vitest';
import { createLog } from '../../../src/config/log.js';

it('a fact never takes the place of the line’s own words, time and level (17.7)', () => {
  const lines: string[] = [];
  const log = createLog('info', (line) => lines.push(line)).with({ level: 'high' });
  log.info('it happened', { message: '42', time: 1, error: new Error('why') });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    ...{ level: 'info', message: 'it happened', level_: 'high', message_: '42', time_: 1 },
    error: { name: 'Error', message: 'why' },
  });
});
