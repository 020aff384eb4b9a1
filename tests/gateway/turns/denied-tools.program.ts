import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { diskAfterKill } from '../disk-after-kill.js';
import { eventually, setUpGateway } from '../stage.js';

const deniedAgent = fileURLToPath(new URL('../../fixtures/programs/denied-agent.sh', import.meta.url));

describe('a turn in which every tool was denied', () => {
  it('is tried again when the agent fails: nothing was done [fault 13.8: a denied tool counts as begun]', async () => {
    const stage = setUpGateway();
    const client = await stage.start({ BACKEND_CLI_PATH: deniedAgent, AGENT_DIR: stage.work });
    expect(await client.ask('a', 'make it')).toMatchObject({
      state: 'answered',
      responseText: 'I could not.',
      attempts: 2,
    });
  });

  it('runs again after a crash of the gateway [fault 13.8: a denied tool counts as begun]', async () => {
    const stage = setUpGateway();
    const env = { BACKEND_CLI_PATH: deniedAgent, AGENT_DIR: stage.work, HANG: '1' };
    const client = await stage.start(env);
    const event = await client.post('a', 'make it');
    await eventually(() => stage.points.includes('tool_ended'));
    const left = diskAfterKill(stage);
    await client.interrupt('a');
    await client.stop();
    const next = await stage.start({ ...env, TURNOUT_HOME: left });
    expect(await next.ended(event)).toMatchObject({ state: 'answered', responseText: 'I could not.' });
  });
});
