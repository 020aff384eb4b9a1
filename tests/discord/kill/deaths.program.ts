import { describe, expect, it } from 'vitest';
import { untilAnswered, untilSent } from './death-points.js';
import { runDeaths } from './run-deaths.js';

/** Two points in one life; `npm run test:kill` has all of them. */
describe.runIf(process.platform === 'linux')('a gateway on Discord that is killed', () => {
  it('before a question is on disk, and before a piece is noted as sent: nothing lost, nothing twice (17.6)', async () => {
    const chosen = ['its file is saved', 'Discord has said that it has piece 1'];
    const points = [...untilAnswered, ...untilSent].filter(({ when }) => chosen.includes(when));
    expect(await runDeaths(points, { together: true, later: true })).toEqual(['once', 'once']);
  });
});
