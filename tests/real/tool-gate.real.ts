import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { LabGateway } from './lab-gateway.js';

// A hook that refuses tools, with the vendors' own CLIs in one-shot settings: no tool may be faster than the hook.

const slowGuard = `#!/bin/sh
input=$(cat)
sleep 0.5
case "$input" in
  *forbidden*) echo '{"action": "block", "reason": "THE-HOOKS-OWN-REASON"}' ;;
esac
`;

describe.each(vendorNames)('a tool_start hook with %s', (backend) => {
  let model: ScriptedModel;
  let gateway: LabGateway;

  beforeAll(async () => {
    model = await startScriptedModel();
    gateway = await LabGateway.with(backend, model.url);
    await gateway.persona('hooks.json', JSON.stringify({ tool_start: [{ command: ['./guard.sh'] }] }));
    await gateway.persona('guard.sh', slowGuard);
    await chmod(join(gateway.configDir, 'guard.sh'), 0o755);
    await gateway.start();
  }, 120_000);

  afterAll(async () => {
    await gateway.remove();
    await model.close();
    expect(gateway.processes()).toEqual([]);
  }, 60_000);

  it.each([
    ['a command', (path: string) => ({ shell: `echo x > ${path}` })],
    ['an edit', (path: string) => ({ writeFile: { path, content: 'x\n' } })],
  ])('%s is blocked before it has done anything; the agent is told why, and goes on', async (what, call) => {
    const file = join(gateway.home.workingDir, `forbidden by ${what}`.replaceAll(' ', '-'));
    const step = call(file);
    model.use([{ steps: [step] }, 'I was not allowed to.']);
    model.forget();
    const blocked = await gateway.say('blocked', 'do what is forbidden');
    expect(existsSync(file), gateway.log).toBe(false);
    expect(blocked, gateway.log).toMatchObject({ state: 'answered' });
    expect(blocked.responseText).toContain('I was not allowed to.');
    expect(model.turns.at(-1)?.rawBody).toContain('THE-HOOKS-OWN-REASON');
  });

  it('what the hook lets pass runs, and nobody is asked', async () => {
    model.use([{ steps: [{ shell: 'echo x > permitted.txt' }] }, 'Done.']);
    const done = await gateway.say('permitted', 'do what is permitted');
    expect(done, gateway.log).toMatchObject({ state: 'answered', responseText: 'Done.' });
    expect(existsSync(join(gateway.home.workingDir, 'permitted.txt'))).toBe(true);
    expect((await gateway.messages('permitted')).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });
});
