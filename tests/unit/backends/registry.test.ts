import { beforeEach, describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { GeminiBackend } from '../../../src/backends/gemini-backend.js';
import { completeConfig } from '../../../src/backends/launch/complete-config.js';
import { findBackendName, readBackendName } from '../../../src/backends/registry.js';
import { loadConfig } from '../../../src/gateway/config.js';
import {
  type BackendAdapter,
  type BackendAdapterConfig,
  type BackendName,
  backendNames,
  type ChatEvent,
  ClaudeCodeBackend,
  CodexBackend,
  createBackend,
  createRunner,
  registerBackend,
  resolveBackendName,
  runnerNames,
  TurnoutError,
} from '../../../src/index.js';
import { supportTable } from '../../../src/runner/option-table.js';
import { ParrotBackend } from '../../fixtures/parrot/parrot-backend.js';
import { configWith } from '../../property/read-arguments.js';

const parrot = { create: ParrotBackend, command: 'parrot', install: 'cp parrot.mjs ~/bin/parrot' };

describe('registerBackend() (S6)', () => {
  it.each([
    '',
    ' ',
    'Parrot',
    'par rot',
    'parrot-',
    '-parrot',
    'parrot--x',
    '1parrot',
    'parrot-cli',
    '../x',
    '__proto__',
  ])('refuses %j as a name', (name) => {
    expect(() => registerBackend(name, parrot)).toThrow(/can't be the name of a backend/);
    expect(backendNames()).toEqual(['claude', 'codex', 'gemini', 'opencode']);
  });

  it('refuses a name that is taken, and leaves its owner as it was', () => {
    expect(() => registerBackend('gemini', parrot)).toThrow('There is a backend "gemini" already.');
    const register = registerBackend as unknown as () => void;
    expect(() => register()).toThrow('name is missing: expected the new backend');
    expect(createBackend('gemini', configWith({}))).toBeInstanceOf(GeminiBackend);
  });

  it('refuses the name of a runner that is no backend, which would stay that runner (O4)', () => {
    expect(() => registerBackend('codex-sdk', parrot)).toThrow(
      'There is a runner of Turnout "codex-sdk" already.',
    );
    expect(backendNames()).not.toContain('codex-sdk');
    for (const name of runnerNames()) expect(() => registerBackend(name, parrot)).toThrow('already');
  });

  it('names everything that an entry lacks at once, with an example (O4)', () => {
    const register = () => registerBackend('m2', ParrotBackend as unknown as typeof parrot);
    expect(register).toThrow(/create is missing: .*command is missing: .*install is missing: /);
    expect(register).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('{ create: MyBackend, command:') }),
    );
  });

  it('refuses to make a backend that calls itself otherwise', () => {
    onTestFinished(registerBackend('macaw', parrot));
    expect(() => createBackend('macaw', configWith({}))).toThrow(
      'The backend that was registered as "macaw" calls itself "parrot".',
    );
  });

  it.each([
    [undefined, 'create is missing: expected a class'],
    [{}, 'create is missing: expected a class'],
    [{ ...parrot, create: {} }, "create can't be an object like this"],
    [{ ...parrot, command: undefined }, 'command is missing'],
    [{ ...parrot, install: 7 }, "install can't be 7"],
  ])('refuses the entry %j, and says what it lacks', (entry, words) => {
    const register = () => registerBackend('m2', entry as typeof parrot);
    expect(register).toThrow(TurnoutError);
    expect(register).toThrow(words);
    expect(backendNames()).not.toContain('m2');
  });

  it('makes the name known wherever a backend is named, and to the errors', () => {
    const unregister = registerBackend('parrot', parrot);
    onTestFinished(unregister);
    expect(backendNames()).toContain('parrot');
    expect(readBackendName(' parrot-cli', '--backend')).toBe('parrot');
    expect(() => createBackend('parot')).toThrow(/opencode, parrot\. Did you mean parrot\?/);
    expect(() => registerBackend('parrot', parrot)).toThrow('already');
    expect(loadConfig({ AGENT_BACKEND: 'parrot-cli', BACKEND_MAX_TURNS: '3' })).toMatchObject({
      agentBackend: 'parrot',
      backendCliPath: 'parrot',
      warnings: ['BACKEND_MAX_TURNS is not supported by the parrot backend and is ignored.'],
    });
    unregister();
    expect(backendNames()).toEqual(['claude', 'codex', 'gemini', 'opencode']);
    expect(() => createBackend('parrot')).toThrow('Unknown backend "parrot"');
  });

  it('leaves resolveBackendName with the four names (P7)', () => {
    onTestFinished(registerBackend('parrot', parrot));
    expect(() => resolveBackendName('parrot')).toThrow(/claude, codex, gemini, opencode\./);
    // The compiler checks these, in `npm run check`.
    expectTypeOf<BackendName>().toEqualTypeOf<'claude' | 'codex' | 'gemini' | 'opencode'>();
    expectTypeOf(resolveBackendName).returns.toEqualTypeOf<BackendName>();
  });
});

describe('a registered class with three methods (S6, R10.2)', () => {
  /** It has the members of R1, and is accepted by its type. */
  class Toy implements BackendAdapter {
    readonly #config: BackendAdapterConfig;

    constructor(config: BackendAdapterConfig) {
      this.#config = config;
    }

    name() {
      return 'toy';
    }

    async validate() {
      return this.#config.workingDir !== '/nowhere';
    }

    async execute(prompt: string, _systemPrompt: string, sessionId = 's1') {
      if (prompt === 'fail') return { isError: true, responseText: 'Toy CLI error (exit 7): no' };
      return { isError: false, responseText: `${this.#config.model}: ${prompt}`, sessionId };
    }
  }

  beforeEach(() => {
    onTestFinished(registerBackend('toy', { create: Toy, command: 'toy', install: 'make toy' }));
  });

  it('gives its turns as events', async () => {
    const events: ChatEvent[] = [];
    for await (const event of createBackend('toy', { model: 'm' }).run({ prompt: 'hi' })) events.push(event);
    expect(events).toMatchObject([
      { type: 'session' },
      { type: 'text' },
      { type: 'complete', text: 'm: hi' },
    ]);
  });

  it('warns by name about settings that it can’t honour (R7.3)', () => {
    const settings = { AGENT_BACKEND: 'toy', BACKEND_MAX_TURNS: '3', ALLOWED_TOOLS: 'Read' };
    expect(new Set(loadConfig(settings).warnings)).toEqual(
      new Set(
        Object.keys(settings)
          .slice(1)
          .map((name) => `${name} is not supported by the toy backend and is ignored.`),
      ),
    );
  });

  it('has a runner (O1)', async () => {
    const runner = createRunner('toy', { model: 'm' });
    expect(await runner.isAvailable()).toBe(true);
    expect(await createRunner('toy', { workingDir: '/nowhere' }).isAvailable()).toBe(false);
    expect(runner.capabilities()).toMatchObject({ supportsInteractive: false, supportsTools: false });
    expect(await runner.runStreaming({ prompt: 'a\nORCHESTRA_COMPLETE' })).toMatchObject({
      exitCode: 0,
      output: 'm: a\nORCHESTRA_COMPLETE',
      markerDetected: true,
      structured: [{ type: 'session', sessionId: 's1', backend: 'toy' }, { type: 'complete' }],
    });
    expect(await runner.runOnce({ prompt: 'fail' })).toMatchObject({
      exitCode: 1,
      output: 'Toy CLI error (exit 7): no',
    });
    await expect(runner.runOnce({ prompt: 'hi', maxTurns: 3 })).rejects.toMatchObject({
      code: 'unsupported',
    });
    await expect(runner.runInteractive({})).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('declares what a turn of it refuses, with the way out (O4, O13)', async () => {
    const runner = createRunner('toy', { model: 'm' });
    expect(runner.capabilities()).toMatchObject({
      supportsModel: false,
      hints: { supportsModel: expect.stringContaining("createRunner('toy', { model })") },
    });
    expect(await runner.runOnce({ prompt: 'hi', model: 'm' })).toMatchObject({ exitCode: 0 });
    expect(await runner.runOnce({ prompt: 'hi', model: 'other' })).toMatchObject({
      exitCode: 4,
      output: expect.stringContaining('Give model, workingDir and env where it is made'),
    });
    await expect(runner.runOnce({ prompt: 'hi', rawArgs: ['-x'] })).rejects.toMatchObject({
      code: 'unsupported',
    });
    const refused = Object.entries((await supportTable('toy', 'one-shot')) ?? {}).filter(
      ([, { type }]) => type === 'refused',
    );
    expect(refused.map(([option]) => option)).toEqual(
      expect.arrayContaining(['model', 'cwd', 'rawArgs', 'providerOptions', 'maxTurns']),
    );
  });
});

describe('createBackend()', () => {
  it('knows a name with -cli behind it, which resolveBackendName does not (O2, P7)', () => {
    expect(createBackend('gemini-cli', configWith({}))).toBeInstanceOf(GeminiBackend);
    onTestFinished(registerBackend('parrot', parrot));
    expect(createBackend('parrot-cli', configWith({})).name()).toBe('parrot');
    expect(() => resolveBackendName('parrot-cli')).toThrow('Unknown backend "parrot-cli"');
    expect(() => createBackend('parrot-sdk', configWith({}))).toThrow('Unknown backend "parrot-sdk"');
  });

  it('needs nothing but a name, and not even that (18.9)', () => {
    expect(createBackend()).toBeInstanceOf(ClaudeCodeBackend);
    expect(createBackend('codex')).toBeInstanceOf(CodexBackend);
    expect(createBackend('gemini', { model: undefined, workingDir: '/tmp' })).toBeInstanceOf(GeminiBackend);
    expect(completeConfig('claude', { maxTurns: undefined, model: 'opus' })).toEqual({
      cliPath: 'claude',
      model: 'opus',
      workingDir: process.cwd(),
      queryTimeoutMs: 600_000,
      allowedTools: [],
      maxTurns: 25,
    });
  });

  it.each([
    [null, "config can't be null: expected an object"],
    ['claude', 'config can\'t be "claude": expected an object'],
    [{ workingDri: '/tmp' }, 'There is no option "config.workingDri". Did you mean config.workingDir?'],
    [{ cliPath: 7 }, "config.cliPath can't be 7: expected a path"],
    [{ workingDir: 5 }, "config.workingDir can't be 5"],
    [{ allowedTools: 'Read' }, 'config.allowedTools can\'t be "Read"'],
    [{ allowedTools: [1] }, "config.allowedTools can't be an array like this"],
    [{ queryTimeoutMs: -1 }, "config.queryTimeoutMs can't be -1: expected a number of milliseconds"],
    [{ maxTurns: '3' }, 'config.maxTurns can\'t be "3": expected a whole number (0: no limit).'],
    [{ maxTurns: 1.5 }, "config.maxTurns can't be 1.5"],
    [{ maxTurns: Number.NaN }, "config.maxTurns can't be NaN"],
    [{ workingDir: '' }, 'config.workingDir can\'t be "": expected the path of a directory'],
    [{ model: '-x' }, 'config.model can\'t be "-x"'],
    [{ env: 'PATH=/bin' }, 'expected an object of names and texts'],
    [{ env: { KEY: 'sk', A: 5 } }, "config.env.A can't be 5: expected a text."],
    [{ env: { 'A=B': 'c' } }, 'config.env has "A=B"'],
  ])('refuses the config %j by the field', (config, words) => {
    const create = () => createBackend('claude', config as ReturnType<typeof configWith>);
    expect(create).toThrow(TurnoutError);
    expect(create).toThrow(words);
  });
});

describe('the name that a person writes (O2)', () => {
  it('is the short one or that with -cli, in any case, and nothing else', () => {
    for (const name of ['claude', 'codex', 'gemini', 'opencode']) {
      expect(findBackendName(name)).toBe(name);
      for (const same of [`${name}-cli`, name.toUpperCase(), `${name.toUpperCase()}-CLI`])
        expect(findBackendName(same)).toBe(name);
      expect(() => resolveBackendName(name.toUpperCase())).toThrow();
      for (const wrong of [`${name}-sdk`, `${name}-cli-cli`, `${name}cli`, `x${name}`])
        expect(findBackendName(wrong), wrong).toBeUndefined();
    }
    for (const wrong of ['', '-cli', 'cli', 'constructor']) expect(findBackendName(wrong)).toBeUndefined();
  });

  it.each([
    ['claude-code', 'claude'],
    ['Claude-Code', 'claude'],
    ['@anthropic-ai/claude-code', 'claude'],
    ['@google/gemini-cli', 'gemini'],
    ['opencode-ai', 'opencode'],
    ['CODX-CLI', 'codex'],
  ])('%s, which is none, is answered with %s', (written, meant) => {
    expect(() => readBackendName(written, '--backend')).toThrow(`Did you mean ${meant}?`);
  });
});
