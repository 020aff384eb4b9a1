import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import type { VendorName } from '../../../src/backends/registry.js';
import { createRunner } from '../../../src/runner/create-runner.js';
import { it, type Stage } from '../../contract/stage.js';

const secret = 'a-secret-of-somebody';

/** What a runner finds in a home with these files and variables; `$` stands for the secret. */
async function look(
  stage: Stage,
  name: VendorName,
  files: Readonly<Record<string, string>> = {},
  variables: Readonly<Record<string, string>> = {},
) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(stage.home, path)), { recursive: true });
    writeFileSync(join(stage.home, path), content.replaceAll('$', secret));
  }
  const env = Object.fromEntries(
    Object.entries(variables).map(([key, value]) => [key, value.replace('$', secret)]),
  );
  const program = stage.program(name, 'echo "9.8.7 (fixture)"');
  return createRunner(name, stage.configFor(program, env)).availability();
}

describe('availability', () => {
  it.for<[VendorName, Record<string, string>, Record<string, string>, 'yes' | 'no' | 'unknown', RegExp?]>([
    ['claude', {}, { ANTHROPIC_API_KEY: '$' }, 'yes', /ANTHROPIC_API_KEY/],
    ['claude', {}, { ANTHROPIC_AUTH_TOKEN: '$' }, 'yes', /AUTH_TOKEN/],
    ['claude', {}, { CLAUDE_CODE_OAUTH_TOKEN: '$' }, 'yes', /OAUTH/],
    ['claude', {}, { CLAUDE_CODE_USE_BEDROCK: '1' }, 'unknown', /BEDROCK/],
    ['claude', {}, { ANTHROPIC_API_KEY: ' ' }, 'no'],
    [
      'claude',
      { '.claude/.credentials.json': '{"claudeAiOauth": {"refreshToken": "$"}}' },
      {},
      'yes',
      /account/,
    ],
    [
      'claude',
      { '.claude/.credentials.json': '{"claudeAiOauth": {"accessToken": "$", "expiresAt": 1}}' },
      {},
      'no',
    ],
    ['claude', { '.claude/.credentials.json': 'garbage' }, {}, 'unknown'],
    ['claude', { '.claude/settings.json': '{"apiKeyHelper": "/bin/key"}' }, {}, 'yes', /apiKeyHelper/],
    [
      'claude',
      { '.claude/settings.json': '{"env": {"ANTHROPIC_API_KEY": "$"}}' },
      {},
      'yes',
      /settings.json/,
    ],
    ['claude', { '.claude.json': '{"primaryApiKey": "$"}' }, {}, 'yes'],
    ['claude', {}, {}, 'no'],
    ['codex', {}, { CODEX_API_KEY: '$' }, 'yes', /CODEX_API_KEY/],
    ['codex', {}, { OPENAI_API_KEY: '$' }, 'no'],
    ['codex', { '.codex/auth.json': '{"OPENAI_API_KEY": "$"}' }, {}, 'yes', /key/],
    [
      'codex',
      { '.codex/auth.json': '{"OPENAI_API_KEY": null, "tokens": {"refresh_token": "$"}}' },
      {},
      'yes',
      /ChatGPT/,
    ],
    [
      'codex',
      { '.codex/config.toml': 'model_provider = "lab"\n[model_providers.lab]\nenv_key = "LAB_KEY"\n' },
      { LAB_KEY: '$' },
      'yes',
      /LAB_KEY/,
    ],
    [
      'codex',
      { '.codex/config.toml': 'model_provider = "lab"\n[model_providers.lab]\nenv_key = "LAB_KEY"\n' },
      {},
      'no',
    ],
    ['codex', { '.codex/config.toml': 'model_provider = "ollama"\n' }, {}, 'unknown', /ollama/],
    ['codex', { '.codex/config.toml': 'cli_auth_credentials_store = "keyring"\n' }, {}, 'unknown'],
    ['codex', {}, {}, 'no'],
    ['gemini', {}, { GEMINI_API_KEY: '$' }, 'yes', /GEMINI_API_KEY/],
    ['gemini', { '.gemini/.env': 'GEMINI_API_KEY="$"\n' }, {}, 'yes', /GEMINI_API_KEY/],
    [
      'gemini',
      {
        '.gemini/settings.json': '{"security": {"auth": {"selectedType": "oauth-personal"}}}',
        '.gemini/oauth_creds.json': '{"refresh_token": "$"}',
      },
      {},
      'yes',
      /Google account/,
    ],
    [
      'gemini',
      { '.gemini/settings.json': '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' },
      {},
      'no',
    ],
    ['gemini', {}, { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_API_KEY: '$' }, 'yes', /Vertex/],
    ['gemini', {}, {}, 'no'],
    [
      'opencode',
      { '.local/share/opencode/auth.json': '{"anthropic": {"key": "$"}}' },
      {},
      'yes',
      /anthropic/,
    ],
    ['opencode', {}, { OPENROUTER_API_KEY: '$' }, 'yes', /OPENROUTER/],
    [
      'opencode',
      { '.config/opencode/opencode.json': '{"provider": {"lab": {"options": {"apiKey": "$"}}}}' },
      {},
      'yes',
      /lab/,
    ],
    ['opencode', {}, {}, 'unknown'],
  ])('%s with %j and %j: signed in %s (O13)', async ([name, files, variables, signedIn, kind], { stage }) => {
    const found = await look(stage, name, files, variables);
    expect(found).toMatchObject({ available: signedIn !== 'no', signedIn, version: '9.8.7' });
    if (kind !== undefined) expect(found.credentials).toMatch(kind);
    // What is missing comes with the command that fixes it.
    if (signedIn === 'no') expect(found.problem).toMatch(/^Sign in to .*`.+`/);
    else expect(found.problem).toBeUndefined();
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  it('says how to install a CLI that is not there, and what is wrong with a file (O10)', async ({
    stage,
  }) => {
    const missing = createRunner('codex', stage.configFor('codex'));
    expect(await missing.isAvailable()).toBe(false);
    expect(await missing.availability()).toMatchObject({
      available: false,
      problem: expect.stringContaining('npm install -g @openai/codex'),
    });
    const file = stage.program('claude', 'exit 0');
    chmodSync(file, 0o644);
    const closed = createRunner('claude', stage.configFor(file));
    expect((await closed.availability()).problem).toContain('is not executable');
    const sdk = createRunner('codex-sdk', stage.configFor('codex'));
    expect((await sdk.availability()).problem).toContain('npm install @openai/codex-sdk');
  });

  it('reads the version from the package without a start of the CLI', async ({ stage }) => {
    const folder = stage.path('node_modules/@anthropic-ai/claude-code');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"name": "@anthropic-ai/claude-code", "version": "2.1.3"}');
    const program = stage.program(
      'node_modules/@anthropic-ai/claude-code/claude',
      `touch ${stage.path('started')}`,
    );
    const found = await createRunner('claude', stage.configFor(program)).availability();
    expect(found).toMatchObject({ version: '2.1.3', path: program });
    expect(existsSync(stage.path('started'))).toBe(false);
  });

  it('is true or false in isAvailable() (O1)', async ({ stage }) => {
    const program = stage.program('claude', 'echo "9.8.7 (fixture)"');
    const available = (env: Record<string, string>) =>
      createRunner('claude', stage.configFor(program, env)).isAvailable();
    expect(await available({ ANTHROPIC_API_KEY: secret })).toBe(true);
    expect(await available({})).toBe(false);
  });

  it('never rejects: what can’t be read is not known', async ({ stage }) => {
    mkdirSync(join(stage.home, '.claude/.credentials.json'), { recursive: true });
    expect(await look(stage, 'claude')).toMatchObject({ available: true, signedIn: 'unknown' });
  });
});

describe('createRunner', () => {
  it.for([
    ['Claude-CLI', 'claude'],
    ['codex', 'codex'],
    [' GEMINI-cli ', 'gemini'],
    ['opencode-cli', 'opencode'],
    ['Codex-SDK', 'codex-sdk'],
  ] as const)('understands %s (O2)', ([written, name]) => {
    expect(createRunner(written).name).toBe(name);
  });

  it.for([
    ['codx', 'Did you mean codex?'],
    ['codexsdk', 'Did you mean codex-sdk?'],
    ['claude-code', 'Did you mean claude?'],
    ['what', 'Valid backends: claude, codex, gemini, opencode, codex-sdk.'],
  ] as const)('refuses %s with the list and a guess (O2)', ([written, words]) => {
    expect(() => createRunner(written)).toThrow(words);
  });

  it('tells its abilities, with a hint for each that is missing (O13)', () => {
    for (const name of ['claude', 'codex', 'gemini', 'opencode', 'codex-sdk']) {
      const { hints, ...abilities } = createRunner(name).capabilities();
      const missing = Object.entries(abilities).flatMap(([ability, has]) => (has ? [] : [ability]));
      expect(Object.keys(hints).sort()).toEqual(missing.sort());
    }
    expect(createRunner('claude').capabilities()).toMatchObject({ supportsMaxTurns: true, hints: {} });
    expect(createRunner('codex-sdk').capabilities().supportsInteractive).toBe(false);
  });

  it('names a default that is wrong', () => {
    expect(() => createRunner('claude', { maxTurns: Number.NaN })).toThrow('defaults.maxTurns');
  });
});
