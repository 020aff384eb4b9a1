import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { BackendAdapter } from '../../../src/backends/types.js';
import { TurnoutError } from '../../../src/core/errors.js';
import { backendConfig, configWith, loadConfig, settingsLeftOut } from '../../../src/gateway/config.js';

describe('settings', () => {
  it('have defaults that need no thought (R2.6, R6.3, R7.2, R10)', () => {
    expect(loadConfig({ HOME: '/home/ada' })).toEqual({
      agentBackend: 'claude',
      backendCliPath: 'claude',
      backendMaxTurns: 25,
      backendMaxTurnsSet: false,
      allowedTools: [],
      allowUnsupported: false,
      queryTimeoutMs: 600_000,
      workingDir: resolve('.'),
      configDir: '/home/ada/.turnout/config',
      home: '/home/ada/.turnout',
      backendLive: false,
      runWarm: false,
      permissionMode: 'bypass',
      allowStateInWorkingDir: false,
      maxPermissionRequests: 200,
      maxConcurrentTurns: 4,
      maxQueueDepth: 10_000,
      maxOutputMb: 1024,
      queueMode: 'queue',
      retryDelayMs: 5000,
      leaseMs: 60_000,
      shutdownGraceMs: 30_000,
      retentionDays: 0,
      workTreeChanges: true,
      httpHost: '127.0.0.1',
      httpPort: 8420,
      httpMaxConnections: 256,
      httpMaxRequestsPerMinute: 6000,
      httpAllowedHosts: [],
      discord: {
        maxAttachmentMb: 25,
        attachmentTypes: [],
        contextMessages: 10,
        allowed: { users: [], roles: [], guilds: [], channels: [] },
        pairing: true,
        limits: { userTurnsPerHour: 60, channelTurnsPerHour: 240, userSpendPerDay: 0, channelSpendPerDay: 0 },
      },
      logLevel: 'info',
      clocks: { modelSilenceMs: 120_000, toolMs: 1_800_000, permissionMs: 300_000 },
      pool: { maxProcesses: 12, maxResidentBytes: 6 * 1024 ** 3, idleMs: 600_000, spares: 0 },
      warnings: [],
    });
  });

  it('of Discord: ids and amounts, and a wrong one is named (17.5)', () => {
    const id = '123456789012345678';
    const { discord } = loadConfig({
      DISCORD_ALLOWED_USERS: `${id}, ${id}9`,
      DISCORD_ALLOWED_ROLES: id,
      DISCORD_ALLOWED_GUILDS: id,
      DISCORD_ALLOWED_CHANNELS: id,
      DISCORD_TURNS_PER_HOUR: '0',
      DISCORD_CHANNEL_TURNS_PER_HOUR: '7',
      DISCORD_USER_SPEND_PER_DAY: '2.50',
      DISCORD_CHANNEL_SPEND_PER_DAY: '10',
    });
    expect(discord).toMatchObject({
      allowed: { users: [id, `${id}9`], roles: [id], guilds: [id], channels: [id] },
      limits: { userTurnsPerHour: 0, channelTurnsPerHour: 7, userSpendPerDay: 2.5, channelSpendPerDay: 10 },
    });
    expect(() => loadConfig({ DISCORD_ALLOWED_USERS: `${id},ada#1234` })).toThrow('unlike "ada#1234"');
    const types = 'image/*, .zip,*/*,application/vnd.api+json';
    expect(loadConfig({ DISCORD_ATTACHMENT_TYPES: types }).discord.attachmentTypes).toHaveLength(4);
    for (const wrong of ['image', 'zip', 'image/', 'a b/c'])
      expect(() => loadConfig({ DISCORD_ATTACHMENT_TYPES: wrong })).toThrow('expected types of files');
    for (const wrong of [',', '1234', `<@${id}>`, `${id} ${id}`])
      expect(() => loadConfig({ DISCORD_ALLOWED_GUILDS: wrong })).toThrow('DISCORD_ALLOWED_GUILDS');
    for (const wrong of ['-1', '$5', '1e3', 'Infinity', '2,50'])
      expect(() => loadConfig({ DISCORD_USER_SPEND_PER_DAY: wrong })).toThrow('expected US dollars');
  });

  it('of the gateway: each from its variable', () => {
    const config = loadConfig({
      BACKEND_LIVE: 'yes',
      PERMISSION_MODE: 'edits',
      ALLOW_STATE_IN_WORKING_DIR: '1',
      MAX_PERMISSION_REQUESTS: '8',
      MAX_CONCURRENT_TURNS: '9',
      MAX_QUEUE_DEPTH: '2',
      QUEUE_MODE: ' collect ',
      RETRY_DELAY_MS: '50',
      LEASE_MS: '2000',
      SHUTDOWN_GRACE_MS: '0',
      RETENTION_DAYS: '30',
      WORK_TREE_CHANGES: '0',
      OUTPUT_CHANNEL_ID: 'ops',
      HTTP_HOST: '::1',
      HTTP_PORT: '0',
      HTTP_TOKEN: 'secret',
      HTTP_MAX_REQUESTS_PER_MINUTE: '0',
      HTTP_ALLOWED_HOSTS: 'agents.example.com, [fd00::1]',
      LOG_LEVEL: 'debug',
      MODEL_SILENCE_MS: '1',
      TOOL_TIMEOUT_MS: '2',
      PERMISSION_TIMEOUT_MS: '3',
      POOL_MAX_PROCESSES: '5',
      POOL_MAX_MEMORY_MB: '100',
      POOL_IDLE_MS: '6',
      POOL_SPARES: '1',
    });
    expect(config).toMatchObject({
      backendLive: true,
      permissionMode: 'edits',
      allowStateInWorkingDir: true,
      maxPermissionRequests: 8,
      maxConcurrentTurns: 9,
      maxQueueDepth: 2,
      queueMode: 'collect',
      retryDelayMs: 50,
      leaseMs: 2000,
      shutdownGraceMs: 0,
      retentionDays: 30,
      workTreeChanges: false,
      outputChannelId: 'ops',
      httpHost: '::1',
      httpPort: 0,
      httpToken: 'secret',
      httpMaxRequestsPerMinute: 0,
      httpAllowedHosts: ['agents.example.com', '[fd00::1]'],
      logLevel: 'debug',
      clocks: { modelSilenceMs: 1, toolMs: 2, permissionMs: 3 },
      pool: { maxProcesses: 5, maxResidentBytes: 100 * 1024 ** 2, idleMs: 6, spares: 1 },
    });
  });

  describe('that are secrets', () => {
    const directory = mkdtempSync(join(tmpdir(), 'turnout-secrets-'));
    afterAll(() => rmSync(directory, { recursive: true, force: true }));
    const file = join(directory, 'token');
    writeFileSync(file, 'token-of-the-file\n');
    writeFileSync(join(directory, 'HTTP_TOKEN'), 'token-of-systemd\n');
    writeFileSync(join(directory, 'empty'), '\n');

    it('come from a file or a credential as well [fault 13.9: secrets in the environment]', () => {
      expect(loadConfig({ HTTP_TOKEN_FILE: file }).httpToken).toBe('token-of-the-file');
      const credentials = { CREDENTIALS_DIRECTORY: directory };
      expect(loadConfig(credentials).httpToken).toBe('token-of-systemd');
      expect(loadConfig({ ...credentials, HTTP_TOKEN_FILE: file }).httpToken).toBe('token-of-the-file');
      expect(loadConfig({ ...credentials, HTTP_TOKEN: 'here' }).httpToken).toBe('here');
      expect(loadConfig({ CREDENTIALS_DIRECTORY: join(directory, 'none') }).httpToken).toBeUndefined();
    });

    it('are asked for once: a file that can’t be read, an empty one, two sources', () => {
      expect(failure({ HTTP_TOKEN_FILE: '/nowhere/token' }).message).toMatch(/HTTP_TOKEN_FILE=.*ENOENT/);
      expect(failure({ DATABASE_URL_FILE: join(directory, 'empty') }).message).toContain('the file is empty');
      expect(failure({ HTTP_TOKEN: 'x', HTTP_TOKEN_FILE: file }).message).toContain('both set');
    });
  });

  it('asking for permissions needs a live session, and gets one', () => {
    expect(loadConfig({ PERMISSION_MODE: 'ask' }).backendLive).toBe(true);
  });

  it('lists every problem at once, and prints no secret', () => {
    const load = () =>
      loadConfig({
        AGENT_BACKEND: 'cursor',
        HTTP_PORT: '99999',
        QUEUE_MODE: 'fast',
        BACKEND_LIVE: 'maybe',
        LOG_LEVEL: 'loud',
        HTTP_TOKEN: 'my-secret-token',
      });
    expect(load).toThrow(
      /5 settings are wrong:[\s\S]*"cursor"[\s\S]*BACKEND_LIVE="maybe": expected 1 or 0[\s\S]*QUEUE_MODE="fast": expected one of queue, interrupt, collect, steer[\s\S]*HTTP_PORT="99999": expected a whole number/,
    );
    expect(load).not.toThrow(/my-secret-token/);
  });

  it('choose one of four backends, and its own program (R6.1, R6.2)', () => {
    for (const name of ['claude', 'codex', 'gemini', 'opencode']) {
      expect(loadConfig({ AGENT_BACKEND: name })).toMatchObject({ agentBackend: name, backendCliPath: name });
    }
  });

  it('FORGE_BACKEND is not the gateway’s, whatever it says (O5)', () => {
    for (const written of ['codex', 'codex-sdk', 'no such backend']) {
      const config = loadConfig({ FORGE_BACKEND: written, BACKEND_CLI_PATH: '/opt/claude' });
      expect(config).toMatchObject({ agentBackend: 'claude', backendCliPath: '/opt/claude', warnings: [] });
      expect(loadConfig({ FORGE_BACKEND: written, AGENT_BACKEND: 'gemini' }).agentBackend).toBe('gemini');
    }
  });

  it('override the binary, the model, the tools and the directories (R6.4, R7.1, R7.4)', () => {
    const config = loadConfig({
      BACKEND_CLI_PATH: '/opt/claude',
      BACKEND_MODEL: 'opus',
      BACKEND_MAX_TURNS: '7',
      ALLOWED_TOOLS: ' Read, Bash(git:*) ,,',
      QUERY_TIMEOUT_MS: '1500',
      WORKING_DIR: '/work',
      CONFIG_DIR: '/etc/turnout',
      TURNOUT_HOME: '/var/turnout',
    });
    expect(config).toMatchObject({
      agentBackend: 'claude',
      backendCliPath: '/opt/claude',
      backendModel: 'opus',
      backendMaxTurns: 7,
      allowedTools: ['Read', 'Bash(git:*)'],
      queryTimeoutMs: 1500,
      workingDir: '/work',
      configDir: '/etc/turnout',
      home: '/var/turnout',
      warnings: [],
    });
    expect(backendConfig(config)).toMatchObject({
      cliPath: '/opt/claude',
      workingDir: '/work',
      queryTimeoutMs: 1500,
      allowedTools: ['Read', 'Bash(git:*)'],
      maxTurns: 7,
      model: 'opus',
    });
  });

  it('that are blank are not set, and directories are absolute', () => {
    const names = [
      'AGENT_BACKEND',
      'BACKEND_CLI_PATH',
      'BACKEND_MODEL',
      'BACKEND_MAX_TURNS',
      'ALLOWED_TOOLS',
    ];
    const blank = Object.fromEntries([...names, 'QUERY_TIMEOUT_MS', 'WORKING_DIR'].map((name) => [name, '']));
    expect(loadConfig({ ...blank, HOME: '/h' })).toEqual(loadConfig({ HOME: '/h' }));
    expect(loadConfig({ WORKING_DIR: 'sub', TURNOUT_HOME: 'state' })).toMatchObject({
      workingDir: resolve('sub'),
      home: resolve('state'),
      configDir: join(resolve('state'), 'config'),
    });
  });

  it('an invalid number of turns warns and falls back to 25 (R7.2)', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.constantFrom('0', '-1', '2.5', 'many', '1e3', '0x10', '٣', '99999999999999999999'),
          fc.string(),
        ),
        (raw) => {
          fc.pre(raw.trim() !== '' && !/^\s*0*[1-9]\d{0,14}\s*$/.test(raw));
          const { backendMaxTurns, warnings } = loadConfig({ BACKEND_MAX_TURNS: raw });
          expect(backendMaxTurns).toBe(25);
          expect(warnings).toEqual([expect.stringContaining(`BACKEND_MAX_TURNS=${JSON.stringify(raw)}`)]);
          expect(warnings[0]).toContain('25');
        },
      ),
    );
  });

  it('any whole number of turns from 1 up is taken', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), (turns) => {
        expect(loadConfig({ BACKEND_MAX_TURNS: ` ${turns} ` })).toMatchObject({
          backendMaxTurns: turns,
          warnings: [],
        });
      }),
    );
  });

  it('options that the active backend can not honour are warned about by name and ignored (R7.3)', () => {
    const env = { BACKEND_MAX_TURNS: '9', ALLOWED_TOOLS: 'Read' };
    expect(loadConfig({ ...env, AGENT_BACKEND: 'claude' }).warnings).toEqual([]);
    for (const name of ['codex', 'gemini']) {
      expect(loadConfig({ ...env, AGENT_BACKEND: name }).warnings).toEqual([
        `ALLOWED_TOOLS is not supported by the ${name} backend and is ignored.`,
        `BACKEND_MAX_TURNS is not supported by the ${name} backend and is ignored.`,
      ]);
    }
    expect(loadConfig({ ...env, AGENT_BACKEND: 'opencode' }).warnings).toEqual([
      'BACKEND_MAX_TURNS is not supported by the opencode backend and is ignored.',
    ]);
  });

  it('are kept by a backend that a flag puts in the place of AGENT_BACKEND, or it is refused by their names', () => {
    const env = { BACKEND_MAX_TURNS: '9', ALLOWED_TOOLS: 'Read' };
    const load = (flags: Parameters<typeof loadConfig>[1], more = {}) =>
      loadConfig({ ...env, ...more }, flags);
    for (const more of [{}, { AGENT_BACKEND: 'claude-cli' }, { AGENT_BACKEND: 'codex' }])
      expect(() => load({ backend: 'gemini' }, more)).toThrow(
        expect.objectContaining({
          code: 'unsupported',
          message:
            "gemini can't be restricted by ALLOWED_TOOLS and BACKEND_MAX_TURNS, and does not run without.",
          hint: expect.stringMatching(/--allow-unsupported.*ALLOW_UNSUPPORTED=1/),
        }),
      );
    const told = [
      "gemini can't be restricted by ALLOWED_TOOLS and BACKEND_MAX_TURNS, and runs here without.",
    ];
    expect(load({ backend: 'gemini', allowUnsupported: true }).warnings).toEqual(told);
    expect(load({ backend: 'gemini' }, { ALLOW_UNSUPPORTED: '1' }).warnings).toEqual(told);
    expect(load({ backend: 'claude' }, { AGENT_BACKEND: 'codex' })).toMatchObject({ allowedTools: ['Read'] });
  });

  it('the default of 25 turns is no such option (R7.3)', () => {
    for (const name of ['codex', 'gemini', 'opencode']) {
      expect(loadConfig({ AGENT_BACKEND: name }).warnings).toEqual([]);
      // A value that falls back to the default is one warning, not two.
      expect(loadConfig({ AGENT_BACKEND: name, BACKEND_MAX_TURNS: 'x' }).warnings).toHaveLength(1);
    }
  });

  it('understand the names with -cli too, wherever a backend is named (O2, O5)', () => {
    for (const name of ['claude', 'codex', 'gemini', 'opencode']) {
      for (const written of [name, `${name}-cli`, ` ${name} `, `${name.toUpperCase()}-CLI`]) {
        expect(loadConfig({ AGENT_BACKEND: written }).agentBackend).toBe(name);
        expect(loadConfig({ AGENT_BACKEND: 'gemini' }, { backend: written }).agentBackend).toBe(name);
      }
    }
    expect(loadConfig({ AGENT_BACKEND: '  ' }).agentBackend).toBe('claude');
  });

  it('a wrong name is told with where it came from and what may have been meant (R6.5)', () => {
    expect(failure({ AGENT_BACKEND: 'clade' }).message).toMatch(
      /- AGENT_BACKEND: Unknown backend "clade".*claude, codex, gemini, opencode\. Did you mean claude\?/,
    );
    expect(failure({ AGENT_BACKEND: 'open-code' }).message).toMatch(/AGENT_BACKEND: .*mean opencode\?/);
    expect(failure({ AGENT_BACKEND: 'Codx-CLI' }).message).toMatch(/"Codx-CLI".*mean codex\?/);
    expect(failure({ AGENT_BACKEND: 'cursor' }).message).not.toContain('mean');
    expect(() => loadConfig({}, { backend: '' })).toThrow(/--backend: Unknown backend ""/);
  });

  describe('for a path and a model belong to the backend that is configured with them (R6.4, O5)', () => {
    const both = { BACKEND_CLI_PATH: '/opt/it', BACKEND_MODEL: 'large' };
    const warning =
      'BACKEND_CLI_PATH and BACKEND_MODEL belong to claude and are not used for codex. To use a codex that is not on the PATH, set AGENT_BACKEND=codex and BACKEND_CLI_PATH to its path.';

    it.each([
      ['by AGENT_BACKEND', { AGENT_BACKEND: 'claude-cli' }],
      ['whatever FORGE_BACKEND says', { FORGE_BACKEND: 'codex' }],
      ['by default', {}],
    ])('%s, and a flag that chooses another one leaves them out, and says so', (_how, named) => {
      const config = loadConfig({ ...both, ...named }, { backend: 'codex' });
      expect(config).toMatchObject({ agentBackend: 'codex', backendCliPath: 'codex', warnings: [warning] });
      expect(config).not.toHaveProperty('backendModel');
      // The same one, chosen again, is no other one.
      expect(loadConfig({ ...both, ...named }, { backend: 'claude-cli' })).toMatchObject({
        backendCliPath: '/opt/it',
        backendModel: 'large',
        warnings: [],
      });
    });

    it('a backend that is given to the gateway has neither, if it is another one', () => {
      const named = (name: string): BackendAdapter => ({
        name: () => name,
        validate: async () => true,
        execute: async () => ({ isError: false }),
      });
      const config = loadConfig(both);
      const toy = configWith(config, named('toy'));
      expect(toy).toMatchObject({ agentBackend: 'toy', backendCliPath: 'toy' });
      expect(toy).not.toHaveProperty('backendModel');
      expect(settingsLeftOut(toy, 'codex')).toBeUndefined();
      const codex = configWith(config, named('codex'));
      expect(codex).toMatchObject({ agentBackend: 'codex', backendCliPath: 'codex' });
      expect(codex).not.toHaveProperty('backendModel');
      expect(configWith(config, named('claude'))).toBe(config);
    });

    it('also if that one does not exist: a name that a stronger source replaces is only warned about', () => {
      const flag = loadConfig({ ...both, AGENT_BACKEND: 'codx' }, { backend: 'claude' });
      expect(flag).toMatchObject({ agentBackend: 'claude', backendCliPath: 'claude' });
      expect(flag.warnings).toEqual([
        expect.stringMatching(
          /^AGENT_BACKEND: Unknown backend "codx"\..* It is not used: claude was asked for\.$/,
        ),
        expect.stringContaining('belong to codx and are not used for claude.'),
      ]);
    });

    it('a model that is given with the flag is the flag’s', () => {
      const config = loadConfig({ BACKEND_MODEL: 'large' }, { backend: 'codex', model: 'small' });
      expect(config).toMatchObject({ backendModel: 'small', warnings: [] });
      expect(loadConfig({ BACKEND_MODEL: 'large' }, { model: 'small' }).backendModel).toBe('small');
    });
  });

  it('an unknown backend stops the start with the list of the valid ones (R6.5)', () => {
    const error = failure({ AGENT_BACKEND: 'claudia' });
    expect(error.message).toContain('"claudia"');
    expect(error.message).toContain('claude, codex, gemini, opencode');
  });

  it('all problems come at once, each with its name, its value and what was expected', () => {
    const error = failure({ AGENT_BACKEND: 'gpt', QUERY_TIMEOUT_MS: 'soon', BACKEND_MAX_TURNS: 'x' });
    expect(error.code).toBe('bad_request');
    expect(error.message).toMatch(/^2 settings are wrong:/);
    expect(error.message).toContain('Unknown backend "gpt"');
    expect(error.message).toContain('QUERY_TIMEOUT_MS="soon": expected a whole number of milliseconds');
    expect(error.hint).toContain('.env');
  });

  it('a time-out is a whole number that a timer can hold', () => {
    expect(loadConfig({ QUERY_TIMEOUT_MS: '2147483647' }).queryTimeoutMs).toBe(2147483647);
    for (const raw of ['0', '-5', '1.5', '1s', '2147483648', '1e3']) {
      expect(failure({ QUERY_TIMEOUT_MS: raw }).message).toContain('QUERY_TIMEOUT_MS');
    }
  });
});

function failure(env: Record<string, string>): TurnoutError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof TurnoutError) return error;
    throw error;
  }
  throw new Error('the settings were taken');
}
