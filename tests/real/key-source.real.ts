import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ChatEvent, createBackend, Sessions } from '../../src/index.js';
import { turnout } from '../unit/cli/turnout.js';
import { setUpLab } from './set-up-lab.js';

describe('the kind of key that Claude uses (S3)', () => {
  const lab = setUpLab('claude');

  it('is told with the session, one-shot and live, and by run --verbose', async () => {
    lab.model.use(['ok']);
    const once = await sessionIn(createBackend('claude', lab.config).run({ prompt: 'hi' }));
    expect(once).toMatchObject({ keySource: 'ANTHROPIC_API_KEY' });
    const session = await lab.sessions.open({ backend: 'claude', config: lab.config });
    expect(await sessionIn(session.send('hi'))).toMatchObject({ keySource: 'ANTHROPIC_API_KEY' });
    await session.close();
    const { stderr } = await turnout(lab.place, ['run', '--verbose', 'hi']);
    expect(stderr).toContain('key or account: ANTHROPIC_API_KEY');
  });
});

describe('the kind of account that Codex uses (S4)', () => {
  const lab = setUpLab('codex');

  it('is told with a live session, if there is one', async () => {
    lab.model.use(['ok']);
    const without = await lab.sessions.open({ backend: 'codex', config: lab.config });
    expect(await sessionIn(without.send('hi'))).not.toHaveProperty('keySource');
    await without.close();
    await lab.sessions.close();
    // A provider that takes the account's key in place of one of its own.
    const [auth, settings] = ['auth.json', 'config.toml'].map((name) =>
      join(lab.home.directory, '.codex', name),
    );
    writeFileSync(auth ?? '', JSON.stringify({ OPENAI_API_KEY: 'turnout-lab-dummy-key' }), { mode: 0o600 });
    const own = readFileSync(settings ?? '', 'utf8');
    writeFileSync(settings ?? '', own.replace(/^env_key .*$/m, 'requires_openai_auth = true'));
    lab.sessions = new Sessions();
    const session = await lab.sessions.open({ backend: 'codex', config: lab.config });
    expect(await sessionIn(session.send('hi'))).toMatchObject({ keySource: 'apiKey' });
    await session.close();
  });
});

async function sessionIn(events: AsyncIterable<ChatEvent>): Promise<ChatEvent | undefined> {
  let found: ChatEvent | undefined;
  for await (const event of events) if (event.type === 'session') found = event;
  return found;
}
