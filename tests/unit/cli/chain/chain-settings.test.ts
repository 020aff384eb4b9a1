import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { demoAgentProgram } from '../../../../src/cli/built-files.js';
import { chainSettings, homeOfRuns } from '../../../../src/cli/chain/chain-settings.js';
import { registerDemoBackend } from '../../../../src/cli/demo/demo-backend.js';
import { directoryWith } from '../../gateway/temporary-directory.js';

let home: string;

beforeEach(async () => {
  home = await directoryWith({ 'work/.keep': '' });
  const settings = { AGENT_BACKEND: 'codex-cli', BACKEND_CLI_PATH: '/x/codex', BACKEND_MODEL: 'gpt-x' };
  for (const [name, value] of Object.entries({ ...settings, TURNOUT_HOME: home })) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the settings of a chain', () => {
  it('give the path and the model of AGENT_BACKEND to no other backend, and say so once (O5)', async () => {
    const warnings: string[] = [];
    const { configFor, defaultBackend, cwd } = await chainSettings(
      { cwd: `${home}/work`, demo: false },
      (warning) => warnings.push(warning),
    );
    expect(defaultBackend).toBe('codex');
    expect(cwd).toBe(`${home}/work`);
    for (const name of ['codex', 'codex-cli', 'codex-sdk'])
      expect(configFor(name)).toMatchObject({ cliPath: '/x/codex', model: 'gpt-x', workingDir: cwd });
    expect(warnings).toEqual([]);
    for (const name of ['claude', 'claude', 'gemini'])
      expect(configFor(name)).toMatchObject({ cliPath: name, model: undefined });
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/BACKEND_CLI_PATH.*BACKEND_MODEL.*codex.*claude/);
  });

  it('have FORGE_BACKEND as the default backend, over AGENT_BACKEND, whose path stays its own (O5)', async () => {
    for (const [written, name] of [
      ['Claude-CLI', 'claude'],
      ['codex-sdk', 'codex-sdk'],
    ] as const) {
      vi.stubEnv('FORGE_BACKEND', written);
      const { configFor, defaultBackend } = await chainSettings({ cwd: home, demo: false }, () => undefined);
      expect(defaultBackend).toBe(name);
      expect(configFor('codex')).toMatchObject({ cliPath: '/x/codex' });
      expect(configFor('claude')).toMatchObject({ cliPath: 'claude' });
    }
    vi.stubEnv('FORGE_BACKEND', 'clod');
    await expect(chainSettings({ cwd: home, demo: false }, () => undefined)).rejects.toThrow(
      /^FORGE_BACKEND in the environment: Unknown backend "clod"/,
    );
  });

  it('of a demo have the demo agent for every backend, and a home of their own (O6)', async () => {
    onTestFinished(registerDemoBackend());
    const {
      configFor,
      defaultBackend,
      home: ofRuns,
    } = await chainSettings({ cwd: `${home}/work`, demo: true }, (warning) => expect.unreachable(warning));
    expect(defaultBackend).toBe('claude');
    for (const name of ['claude', 'gemini'])
      expect(configFor(name)).toMatchObject({
        cliPath: demoAgentProgram,
        model: undefined,
        workingDir: `${home}/work`,
      });
    expect(ofRuns).toBe(`${home}/demo`);
    expect(homeOfRuns({ demo: true })).toBe(ofRuns);
    expect(homeOfRuns({ demo: false })).toBe(home);
  });

  it('refuse a directory that is not there (O10)', async () => {
    onTestFinished(registerDemoBackend());
    for (const demo of [true, false])
      await expect(chainSettings({ cwd: `${home}/nope`, demo }, () => undefined)).rejects.toThrow(
        /The working directory .*nope is not there/,
      );
  });
});
