import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { VendorName } from '../backends/registry.js';

/** A home for one CLI: a temporary directory, its settings, and an environment built from nothing. */
export interface LabHome {
  readonly directory: string;
  /** The agent's working directory. */
  readonly workingDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** The model to ask for: some CLIs need one to find the provider. */
  readonly model: string | undefined;
  /** The mark of every process of this home, so that a leftover can be found. */
  readonly mark: string;
  remove(): Promise<void>;
}

/**
 * Makes a home without any of the machine's own accounts: no variable is inherited, keys are dummies, and the
 * only model is the one on loopback. Retries are cut to one, so that a failing API costs seconds.
 */
export async function makeHome(
  cli: VendorName,
  modelUrl: string,
  extraPath: readonly string[] = [],
): Promise<LabHome> {
  const directory = await mkdtemp(join(tmpdir(), `turnout-lab-${cli}-`));
  const workingDir = join(directory, 'work');
  await mkdir(workingDir);
  const mark = `${process.pid}-${directory.slice(-6)}`;
  const { env, files, model } = settings[cli](modelUrl);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content, { mode: 0o600 });
  }
  return {
    directory,
    workingDir,
    model,
    mark,
    env: {
      PATH: [...extraPath, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: directory,
      TURNOUT_HOME: join(directory, '.turnout'),
      TURNOUT_LAB: mark,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      ...env,
    },
    // A killed CLI's last writes may arrive while the tree is being removed.
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

interface Settings {
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly model?: string;
}

const dummyKey = 'turnout-lab-dummy-key';

const settings: Readonly<Record<VendorName, (modelUrl: string) => Settings>> = {
  claude: (modelUrl) => ({
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: dummyKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    files: {},
  }),
  codex: (modelUrl) => ({
    env: { OPENAI_API_KEY: dummyKey },
    files: {
      '.codex/config.toml': [
        'model_provider = "lab"',
        '[model_providers.lab]',
        'name = "lab"',
        `base_url = "${modelUrl}/v1"`,
        'wire_api = "responses"',
        'env_key = "OPENAI_API_KEY"',
        'request_max_retries = 1',
        'stream_max_retries = 1',
        '',
      ].join('\n'),
    },
  }),
  gemini: (modelUrl) => ({
    env: { GEMINI_API_KEY: dummyKey, GOOGLE_GEMINI_BASE_URL: modelUrl },
    files: {
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { maxAttempts: 2, enableAutoUpdate: false },
      }),
    },
    // Without a model, Gemini asks a router first.
    model: 'gemini-2.5-flash',
  }),
  opencode: (modelUrl) => ({
    env: {
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    files: {
      '.config/opencode/opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        provider: {
          lab: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${modelUrl}/v1`, apiKey: dummyKey },
            models: { 'lab-model': {}, 'other-model': {}, 'thinking-model': { reasoning: true } },
          },
        },
      }),
      // OpenCode's plugin interface counts as installed: otherwise every start fetches it from npm, and a
      // short run never gets to the end of that (1.18.33).
      '.config/opencode/package-lock.json': JSON.stringify({
        packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } },
      }),
      '.config/opencode/node_modules/.keep': '',
      // An empty catalogue of hosted models saves a second of every start: the one provider is above.
      '.cache/opencode/models.json': '{}',
    },
    // Without a model, OpenCode takes a hosted one.
    model: 'lab/lab-model',
  }),
};
