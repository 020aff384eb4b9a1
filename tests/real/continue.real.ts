import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import { type ChatEvent, createBackend } from '../../src/index.js';
import { setUpLab } from './set-up-lab.js';

/** The words with which each CLI itself continues its last session. */
const ownWords: Readonly<Record<VendorName, readonly string[]>> = {
  claude: ['--continue'],
  codex: ['resume', '--last'],
  gemini: ['--resume', 'latest'],
  opencode: ['--continue'],
};

describe.each(vendorNames)('the last session of %s (S4)', (backend) => {
  const lab = setUpLab(backend);

  it('goes on in one-shot and live turns, and is the one that the CLI itself would take', async () => {
    lab.model.use(['an answer']);
    const adapter = createBackend(backend, lab.config);
    const run = (options: object) => collect(adapter.run({ prompt: 'and then', ...options }));
    const first = idIn(await run({ prompt: 'the first' }));
    const second = idIn(await run({ prompt: 'the second' }));
    expect(second).not.toBe(first);
    expect(idIn(await run({ sessionId: first }))).toBe(first);

    expect(idIn(await run({ continueLast: true }))).toBe(first);
    expect(lab.model.turns.at(-1)?.rawBody).toContain('the first');
    // Gemini (0.61.0) takes the session that was begun last, though another one was used since.
    const taken = idIn(await run({ rawArgs: ownWords[backend] }));
    expect(taken).toBe(backend === 'gemini' ? second : first);

    const session = await lab.sessions.open({ backend, config: lab.config, continueLast: true });
    expect(session.sessionId).toBe(taken);
    const live = await collect(session.send('live'));
    expect(live.at(-1)).toMatchObject({ type: 'complete', sessionId: taken });
    expect(lab.model.turns.at(-1)?.rawBody).toContain(backend === 'gemini' ? 'the second' : 'the first');
    await session.close();

    // A session that was begun live is found like any other.
    const begun = await lab.sessions.open({ backend, config: lab.config });
    await collect(begun.send('begun live'));
    await begun.close();
    expect(idIn(await run({ continueLast: true }))).toBe(begun.sessionId);
  }, 240_000);

  it('is an error where there is none, and nothing reaches the model', async () => {
    const cwd = join(lab.home.directory, 'empty');
    mkdirSync(cwd);
    lab.model.forget();
    const events = await collect(
      createBackend(backend, lab.config).run({ prompt: 'x', cwd, continueLast: true }),
    );
    expect(events).toEqual([
      expect.objectContaining({
        type: 'error',
        code: 'session_not_found',
        message: expect.stringContaining(cwd),
      }),
    ]);
    for (const live of [true, false])
      await expect(
        lab.sessions.open({ backend, config: lab.config, cwd, continueLast: true, live }),
      ).rejects.toMatchObject({ code: 'session_not_found' });
    expect(lab.model.turns).toEqual([]);
  });
});

// The two that can go on with a session under a new id.
describe.each([
  ['claude', '--fork-session'],
  ['opencode', '--fork'],
] as const)('a fork of a session of %s (R10)', (backend, flag) => {
  const lab = setUpLab(backend);

  it('is a new session if it was asked for, and else no answer of the one to resume', async () => {
    lab.model.use(['an answer']);
    const adapter = createBackend(backend, lab.config);
    const first = idIn(await collect(adapter.run({ prompt: 'the first' })));
    const fork = await collect(adapter.run({ prompt: 'and then', sessionId: first, rawArgs: [flag] }));
    expect(fork.at(-1)).toMatchObject({ type: 'complete', text: 'an answer' });
    expect(idIn(fork)).not.toBe(first);
    expect(lab.model.turns.at(-1)?.rawBody).toContain('the first');

    // A wrapper that forks whatever it is told to resume.
    const cliPath = join(lab.home.directory, 'forking');
    const adds =
      backend === 'claude'
        ? `exec "${lab.config.cliPath}" "$@" ${flag}`
        : `exec "${lab.config.cliPath}" run ${flag} "$@"`;
    writeFileSync(cliPath, `#!/bin/sh\n[ "$1" = run ] && shift\n${adds}\n`, { mode: 0o755 });
    const forking = { ...lab.config, cliPath };
    const events = await collect(createBackend(backend, forking).run({ prompt: 'again', sessionId: first }));
    expect(events).toMatchObject([{ type: 'error', code: 'session_not_found' }]);
    if (backend === 'opencode') return;
    const session = await lab.sessions.open({ backend, config: forking, sessionId: first });
    expect((await collect(session.send('live'))).at(-1)).toMatchObject({
      type: 'error',
      code: 'session_not_found',
    });
    await session.close();
  }, 240_000);
});

function idIn(events: readonly ChatEvent[]): string | undefined {
  expect(events.at(-1)).toMatchObject({ type: 'complete' });
  return events.find((event) => event.type === 'session')?.sessionId;
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
