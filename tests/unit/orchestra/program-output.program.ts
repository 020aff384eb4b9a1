import { beforeAll, describe, expect, test } from 'vitest';
import { buildOnce } from '../cli/turnout.js';
import { ChainStage } from './chain-stage.js';

beforeAll(buildOnce);

const it = test.extend<{ stage: ChainStage }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures off the pattern
  stage: async ({}, use) => {
    const stage = new ChainStage();
    try {
      await use(stage);
      await stage.expectNothingLeft();
    } finally {
      stage.close();
    }
  },
});

/** More than is kept of a program's output, in lines. */
const much = "yes 'one more line of a long quotation' | head -c 1200000";

describe('the marker of a program that prints more than is kept (O7, O11)', () => {
  it('does not count in a fence whose beginning is no longer kept', async ({ stage }) => {
    stage.agent(
      'quoter',
      `echo '\`\`\`'; ${much}; echo; echo ORCHESTRA_COMPLETE; echo x; echo '\`\`\`'; echo 'Not yet.'`,
    );
    const report = await stage.run('quoter:1');
    expect(report.steps).toMatchObject([{ status: 'incomplete', reason: 'max_iterations' }]);
  });

  it('does not count in a sentence of which only the end is kept', async ({ stage }) => {
    // What is kept are the last 1,048,576 characters: they begin with the marker.
    const rest = 1024 ** 2 - 'ORCHESTRA_COMPLETE\n'.length;
    stage.agent(
      'talker',
      `printf 'At the end I print ORCHESTRA_COMPLETE\\n'; yes | head -c ${rest - 1}; echo`,
    );
    const report = await stage.run('talker:1');
    expect(report.steps).toMatchObject([{ status: 'incomplete', reason: 'max_iterations' }]);
  });

  it('counts as a line of its own, wherever it stands', async ({ stage }) => {
    stage.agent('doer', `echo ORCHESTRA_COMPLETE; ${much}`);
    const report = await stage.run('doer:1');
    expect(report.steps).toMatchObject([{ status: 'done', reason: 'marker' }]);
  });
});
