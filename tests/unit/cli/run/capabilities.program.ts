import { beforeAll, describe, expect } from 'vitest';
import { it } from '../../../contract/stage.js';
import { buildOnce, turnout } from '../turnout.js';

beforeAll(buildOnce);

describe.concurrent('turnout capabilities', () => {
  it('prints abilities, hints and options of every runner, and starts no CLI (O13)', async ({ stage }) => {
    const { code, stdout, stderr } = await turnout(stage, ['capabilities']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ +claude +codex +gemini +opencode +codex-sdk$/m);
    expect(stdout).toMatch(/^supportsMaxTurns +yes +no +no +no +no$/m);
    expect(stdout).toMatch(/^codex supportsMaxTurns +Limit the turn by time/m);
    expect(stdout).toMatch(/^settings +native +refused +refused +refused +refused$/m);
  });

  it('prints the same as JSON, and one backend with its ways (O13)', async ({ stage }) => {
    const { stdout } = await turnout(stage, ['capabilities', '--json']);
    const [claude, codex, , , sdk] = JSON.parse(stdout);
    expect(claude).toMatchObject({ name: 'claude', capabilities: { supportsInteractive: true }, hints: {} });
    expect(codex.options['one-shot'].maxTurns).toMatchObject({ type: 'refused' });
    expect(sdk).toMatchObject({
      capabilities: { supportsInteractive: false },
      options: { interactive: null },
    });
    const one = await turnout(stage, ['capabilities', '--backend', 'Gemini-CLI']);
    expect(one.stdout).toMatch(/^systemPrompt +emulated +in front of the prompt$/m);
  });

  it('is wrong usage with a backend or an option that there is not', async ({ stage }) => {
    for (const args of [['--backend', 'codx'], ['--deep'], ['claude']])
      expect(await turnout(stage, ['capabilities', ...args])).toMatchObject({ code: 2, stdout: '' });
  });
});
