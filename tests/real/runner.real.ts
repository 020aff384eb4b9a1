import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import type { SessionEvent } from '../../src/core/chat-event.js';
import { createRunner } from '../../src/runner/create-runner.js';
import { sessionOptions } from '../../src/runner/session-options.js';
import { processesOf, setUpLab } from './set-up-lab.js';

describe.each(vendorNames)('the runner of %s', (name) => {
  const lab = setUpLab(name);
  const runner = () => createRunner(`${name}-cli`, lab.config);

  it('runs one turn, and goes on with its session (O1)', async () => {
    lab.model.use(['the answer']);
    const first = await runner().runOnce({ prompt: 'go', systemPrompt: 'Be brief, please.' });
    expect(first).toMatchObject({ exitCode: 0, output: 'the answer' });
    const session = first.structured?.find(({ type }) => type === 'session');
    expect(session).toMatchObject({ backend: name });
    expect(JSON.stringify(lab.model.requests.at(-1)?.body)).toContain('Be brief, please.');
    lab.model.use(['another']);
    const { sessionId } = session as SessionEvent;
    const second = await runner().runOnce({ prompt: 'go on', sessionId });
    expect(second).toMatchObject({ exitCode: 0, output: 'another' });
    expect(second.structured?.at(-1)).toMatchObject({ type: 'complete', sessionId });
    expect(processesOf(lab.home)).toEqual([]);
  });

  it('finds the marker in what the agent says, and nowhere else (O7)', async () => {
    // The prompt, the command and its output have it; the agent does not say it.
    lab.model.use([{ steps: [{ text: 'I look. ' }, { shell: 'echo; echo ORCHESTRA_COMPLETE' }] }, 'not yet']);
    const pieces: string[] = [];
    const prompt = 'Say this when you are done:\nORCHESTRA_COMPLETE';
    const unfinished = await runner().runStreaming({ prompt }, { onText: (text) => void pieces.push(text) });
    expect(unfinished).toMatchObject({ exitCode: 0, markerDetected: false });
    expect(pieces.join('')).toContain('not yet');
    lab.model.use([{ steps: [{ text: 'I look.' }, { shell: 'true' }] }, 'Done.\nORCHESTRA_COMPLETE:abc\n']);
    const nonce = { prompt, markerNonce: 'abc' };
    expect(await runner().runStreaming(nonce)).toMatchObject({ exitCode: 0, markerDetected: true });
  });

  it('is available, with its version and the kind of its key (O13)', async () => {
    expect(await runner().isAvailable()).toBe(true);
    const found = await runner().availability();
    expect(found).toMatchObject({
      available: true,
      signedIn: 'yes',
      version: expect.stringMatching(/^\d+\.\d+/),
    });
    expect(JSON.stringify(found)).not.toContain('turnout-lab-dummy-key');
  });

  it('passes options of the CLI itself on (O3)', async () => {
    const options = {
      claude: { 'add-dir': ['/tmp', '/usr'], 'fallback-model': 'haiku' },
      codex: { 'add-dir': ['/tmp', '/usr'], ephemeral: true },
      gemini: { 'include-directories': ['/tmp', '/usr'], debug: false },
      opencode: { 'log-level': 'ERROR', 'print-logs': true },
    };
    lab.model.use(['fine']);
    const done = await runner().runOnce({ prompt: 'go', providerOptions: options });
    expect(done).toMatchObject({ exitCode: 0, output: 'fine' });
  });

  if (name !== 'claude') return;

  it.each([
    ['one-shot', 'bypass'],
    ['live', 'bypass'],
    ['one-shot', 'plan'],
    ['live', 'plan'],
  ] as const)('takes a settings file, %s in the mode %s (O3)', async (way, permissionMode) => {
    const settings = join(lab.home.directory, 'settings.json');
    const trace = join(lab.home.directory, `${way}-${permissionMode}`);
    const hook = { hooks: [{ type: 'command', command: `touch ${trace}` }] };
    writeFileSync(settings, JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }));
    lab.model.use(['done']);
    const options = sessionOptions(name, { settings, permissionMode }, lab.config, way === 'live');
    const session = await lab.sessions.open(options);
    for await (const _ of session.send('go'));
    await session.close();
    expect(existsSync(trace)).toBe(true);
  });
});
