import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type BackendCapabilities,
  createBackend,
  type Invocation,
  OneShotBackend,
  openSession,
  registerBackend,
  type Turn,
  type TurnFacts,
  type Vendor,
  type WireDecoder,
} from '../../src/index.js';
import { parrotDecoder } from '../fixtures/parrot/decoder.js';
import { configWith } from '../property/read-arguments.js';
import { setUpGateway } from './stage.js';

const program = fileURLToPath(new URL('../fixtures/parrot/parrot.mjs', import.meta.url));

/** A backend that leaves the long-lived mode out, over Parrot's program. */
class QuietBackend extends OneShotBackend<TurnFacts> {
  readonly capabilities: BackendCapabilities = {
    textDeltas: true,
    thinking: false,
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: false,
    permissionModes: ['bypass'],
  };

  protected readonly vendor: Vendor = { name: 'quiet', label: 'Quiet', install: 'cp it', noise: [] };

  buildArgs(_prompt: string, _systemPrompt: string, sessionId?: string): string[] {
    return ['talk', ...(sessionId ? ['--again', sessionId] : [])];
  }

  protected describe({ prompt, sessionId }: Turn): Invocation {
    return { args: this.buildArgs('', '', sessionId), stdin: prompt };
  }

  protected decoderFor(): WireDecoder<TurnFacts> {
    return parrotDecoder;
  }
}

beforeAll(() => registerBackend('quiet', { create: QuietBackend, command: program, install: 'cp it' }));

describe('a registered backend without a long-lived mode (S6)', () => {
  const settings = { AGENT_BACKEND: 'quiet', BACKEND_CLI_PATH: program, BACKEND_LIVE: '1' };

  it('runs each turn by itself in the gateway with BACKEND_LIVE=1', async () => {
    const client = await setUpGateway(settings).start();
    expect(await client.ask('a', 'hello')).toMatchObject({ state: 'answered', responseText: 'hello' });
    expect(await client.ask('a', 'before?')).toMatchObject({ state: 'answered', responseText: 'hello' });
  });

  it('refuses a hook that decides about tools before they run', async () => {
    const stage = setUpGateway(settings);
    stage.configure('hooks.json', '{"tool_start": [{"module": "./gate.mjs"}]}');
    stage.configure('gate.mjs', 'export default () => undefined;\n');
    const event = await (await stage.start()).ask('a', 'hello');
    expect(event).toMatchObject({ state: 'failed', error: { code: 'unsupported' } });
    expect(event.error?.message).toContain('quiet does not support confirmTools');
  });

  it('has no method for one, and a live session of it is refused by name', async () => {
    const config = { ...configWith({}), cliPath: program };
    expect(createBackend('quiet', config).live).toBeUndefined();
    await expect(openSession({ backend: 'quiet', config })).rejects.toMatchObject({
      ...{ code: 'unsupported', message: 'quiet does not support live sessions.' },
    });
    const session = await openSession({ backend: 'quiet', config, live: false });
    await session.close();
  });
});
