import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { createBackend, type VendorName } from '../../src/backends/registry.js';
import type { ChatEvent } from '../../src/core/chat-event.js';
import { makeHome } from '../../src/lab/home.js';
import type { Script } from '../../src/lab/model/script.js';
import { startScriptedModel } from '../../src/lab/model/server.js';
import { installedCli } from './installed-cli.js';

/** One turn of a CLI that may take three seconds to exit, with a settings file of its own. */
async function turn(
  { onTestFinished }: TestContext,
  backend: VendorName,
  script: Script,
  settings: Record<string, object> = {},
) {
  const model = await startScriptedModel();
  const home = await makeHome(backend, model.url);
  onTestFinished(async () => {
    await model.close();
    await home.remove();
  });
  for (const [path, more] of Object.entries(settings)) {
    const file = join(home.directory, path);
    const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, JSON.stringify({ ...before, ...more }));
  }
  model.use(script);
  const { workingDir, env } = home;
  const limits = { queryTimeoutMs: 90_000, exitGraceMs: 3000, allowedTools: [], maxTurns: 25 };
  const cli = { cliPath: installedCli(backend), workingDir, env, model: home.model, ...limits };
  const events: ChatEvent[] = [];
  for await (const event of createBackend(backend, cli).run({ prompt: 'Go.' })) events.push(event);
  return events;
}

const ended = expect.objectContaining({ message: expect.stringContaining('did not exit') });

// Side by side: most of their time is waiting, and each has a home of its own.
describe.concurrent('between the result of a one-shot CLI and its exit', () => {
  it('claude waits for a command in the background, and answers once more', async (context) => {
    const command = { command: 'sleep 8', description: 'sleep', run_in_background: true };
    const events = await turn(context, 'claude', [
      { steps: [{ tool: 'Bash', input: command }] },
      'Started.',
      { steps: [{ wait: 5000 }, { text: 'It has ended.' }] },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'It has ended.' });
    expect(events).not.toContainEqual(ended);
  });

  it('opencode compacts a full conversation, and goes on', async (context) => {
    const full = { inputTokens: 199_000, cachedInputTokens: 0, cacheWriteInputTokens: 0, outputTokens: 900 };
    // The limits of the model come on top of the lab's settings, in the directory where it works.
    const models = { 'lab-model': { limit: { context: 200_000, output: 8000 } } };
    const events = await turn(
      context,
      'opencode',
      [
        { steps: [{ text: 'First.' }], usage: full },
        { steps: [{ wait: 5000 }, { text: 'A summary.' }] },
        { steps: [{ wait: 5000 }, { text: 'Last.' }] },
      ],
      { 'work/opencode.json': { provider: { lab: { models } } } },
    );
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: expect.stringMatching(/Last\.$/) });
    expect(events).not.toContainEqual(ended);
  });

  it.for([
    ['claude', '.claude/settings.json'],
    ['gemini', '.gemini/settings.json'],
  ] as const)('%s with a hook that hangs is ended, and has answered', async ([backend, file], context) => {
    const hook = { type: 'command', command: 'sleep 50', timeout: 60 };
    const events = await turn(context, backend, ['Hello.'], {
      [file]: {
        hooks: { SessionEnd: [{ hooks: [backend === 'gemini' ? { ...hook, timeout: 60_000 } : hook] }] },
      },
    });
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'Hello.' });
    expect(events.at(-2)).toEqual(ended);
  });
});
