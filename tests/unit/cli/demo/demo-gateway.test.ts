import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { backendEntry, createBackend, findBackendName } from '../../../../src/backends/registry.js';
import { demoAgentProgram } from '../../../../src/cli/built-files.js';
import { registerDemoBackend } from '../../../../src/cli/demo/demo-backend.js';
import { demoGateway, welcomeWhenFollowed } from '../../../../src/cli/demo/demo-gateway.js';
import { suggestedPrompts } from '../../../../src/cli/demo/demo-prompts.js';
import { skills } from '../../../../src/demo-agent/skills/skills.js';
import { Agents } from '../../../../src/gateway/agents/agents.js';
import type { IncomingMessage } from '../../../../src/gateway/channels/types.js';
import { backendConfig, readConfig } from '../../../../src/gateway/config.js';
import type { Gateway } from '../../../../src/gateway/gateway.js';
import { directoryWith } from '../../gateway/temporary-directory.js';

const registered: (() => void)[] = [];
afterEach(unregister);

function unregister(): void {
  for (const one of registered.splice(0)) one();
}

/** The settings of a demo in this environment; the backend is taken away again after the test. */
function demoIn(environment: Record<string, string>) {
  registered.push(registerDemoBackend());
  const { settings, inherited } = demoGateway(environment);
  return { inherited, ...readConfig(settings) };
}

describe('the gateway of a demo (16.6)', () => {
  it('has a backend of its own, that nobody else knows', async () => {
    expect(findBackendName('demo')).toBeUndefined();
    const TURNOUT_HOME = await directoryWith();
    const user = { PATH: '/usr/bin', HOME: '/home/me', ANTHROPIC_API_KEY: 'key' };
    const foreign = { AGENT_BACKEND: 'codex', BACKEND_CLI_PATH: '/x/codex', BACKEND_MODEL: 'gpt-x' };
    const { config, problems, inherited } = demoIn({ ...user, ...foreign, TURNOUT_HOME });
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      agentBackend: 'demo',
      backendCliPath: demoAgentProgram,
      permissionMode: 'ask',
      backendLive: true,
      home: join(TURNOUT_HOME, 'demo'),
      workingDir: join(TURNOUT_HOME, 'demo', 'work'),
    });
    const agents = new Agents(config, createBackend('demo', backendConfig(config, inherited)), inherited);
    expect(agents.configOf('demo')).toMatchObject({ cliPath: demoAgentProgram });
    // It comes with Turnout.
    expect(backendEntry('demo').install).toBe('');
    // Another CLI is looked up on the user's PATH, with the user's own home and login.
    for (const name of ['claude', 'codex', 'gemini', 'opencode']) {
      expect(agents.configOf(name)).toMatchObject({ cliPath: name, model: undefined, env: user });
      expect(agents.settingsLeftOut(name)).toBeUndefined();
    }
    unregister();
    expect(findBackendName('demo')).toBeUndefined();
  });

  it('keeps what the user sets for it', async () => {
    const TURNOUT_HOME = await directoryWith({ 'mine/file': '' });
    const mine = join(TURNOUT_HOME, 'mine');
    const { config } = demoIn({ TURNOUT_HOME, WORKING_DIR: mine, PERMISSION_MODE: 'bypass' });
    expect(config).toMatchObject({ permissionMode: 'bypass', backendLive: false, workingDir: mine });
    expect(existsSync(join(mine, 'README.md'))).toBe(false);
    expect(demoIn({ TURNOUT_HOME, PERMISSION_MODE: ' ' }).config.permissionMode).toBe('ask');
  });

  it('lays out a small project once, and never over anything', async () => {
    const TURNOUT_HOME = await directoryWith();
    const { workingDir } = demoIn({ TURNOUT_HOME }).config;
    expect(statSync(workingDir).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(workingDir, 'src/hello.ts'), 'utf8')).toContain('Hello, ');
    rmSync(join(workingDir, 'README.md'));
    unregister();
    demoIn({ TURNOUT_HOME });
    expect(existsSync(join(workingDir, 'README.md'))).toBe(false);
  });

  it('suggests only prompts that the demo agent understands', () => {
    for (const [prompt] of suggestedPrompts)
      expect(
        skills.filter(({ pattern }) => pattern.test(prompt)),
        prompt,
      ).not.toEqual([]);
  });
});

describe('the first conversation (16.6)', () => {
  it('begins when somebody follows it, once', async () => {
    const received: IncomingMessage[] = [];
    let fails = true;
    const receive = async (message: IncomingMessage) => {
      received.push(message);
      if (fails) throw new Error('the disk is full');
    };
    const gateway = Promise.resolve({ receive } as unknown as Gateway);
    const settled = () => new Promise((resolve) => setTimeout(resolve));
    const followed = welcomeWhenFollowed();
    followed('main', gateway);
    await settled();
    expect(received).toEqual([]);
    followed('welcome', gateway);
    followed('welcome', gateway);
    await settled();
    expect(received).toHaveLength(1);
    fails = false;
    for (let reader = 0; reader < 3; reader++) {
      followed('welcome', gateway);
      await settled();
    }
    expect(received).toHaveLength(2);
    const [first, second] = received;
    expect(first).toEqual(second);
    expect(first).toMatchObject({
      channel: 'welcome',
      text: 'Show me around',
      messageId: expect.any(String),
    });
  });
});
