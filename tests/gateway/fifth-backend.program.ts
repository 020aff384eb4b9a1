import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { registerBackend } from '../../src/index.js';
import { ParrotBackend } from '../fixtures/parrot/parrot-backend.js';
import { setUpGateway } from './stage.js';

const program = fileURLToPath(new URL('../fixtures/parrot/parrot.mjs', import.meta.url));

// A worker keeps its modules from one file of tests to the next: the function that this returns is called behind the last test.
beforeAll(() =>
  registerBackend('parrot', {
    create: ParrotBackend,
    command: program,
    install: 'cp parrot.mjs ~/bin/parrot',
  }),
);

describe.each(['0', '1'])('the gateway with a registered backend, BACKEND_LIVE=%s (S6)', (BACKEND_LIVE) => {
  it('answers with it, goes on with its session, and also after a restart', async () => {
    const stage = setUpGateway({ AGENT_BACKEND: 'parrot', BACKEND_CLI_PATH: program, BACKEND_LIVE });
    const client = await stage.start();
    expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered', responseText: 'hello' });
    expect(await client.ask('a', 'before?')).toMatchObject({ responseText: 'hello' });
    await client.stop();
    const again = await stage.start();
    expect(await again.ask('a', 'before?')).toMatchObject({ responseText: 'before?' });
    expect((await again.ask('a', '/status')).responseText).toContain('backend: parrot');
  });

  it('changes to it and back in the chat, where each is told what was said', async () => {
    const client = await setUpGateway({ BACKEND_LIVE }).start();
    await client.ask('a', 'say exactly: by claude');
    expect((await client.ask('a', '/backend parot')).responseText).toContain('Did you mean parrot?');
    expect((await client.ask('a', '/backend parrot-cli')).responseText).toMatch(
      /^parrot answers from here on/,
    );
    expect((await client.ask('a', 'by parrot')).responseText).toMatch(/by claude[\s\S]*by parrot$/);
    expect((await client.ask('a', '/backend claude')).responseText).toMatch(/^claude answers from here on/);
  });
});
