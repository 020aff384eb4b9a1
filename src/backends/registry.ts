import { TurnoutError } from '../core/errors.js';
import { ClaudeCodeBackend } from './claude-backend.js';
import { CodexBackend } from './codex-backend.js';
import { GeminiBackend } from './gemini-backend.js';
import { type BackendName, backendNames } from './names.js';
import { OpenCodeBackend } from './opencode-backend.js';
import type { BackendAdapter, BackendAdapterConfig } from './types.js';

export { type BackendName, backendNames } from './names.js';

interface BackendEntry {
  readonly create: new (config: BackendAdapterConfig) => BackendAdapter;
  /** The program's name on PATH. */
  readonly command: string;
  readonly npmPackage: string;
}

/** The four backends. A fifth one is its module, its name in `names.ts`, and one line here. */
export const backends: Readonly<Record<BackendName, BackendEntry>> = {
  claude: { create: ClaudeCodeBackend, command: 'claude', npmPackage: '@anthropic-ai/claude-code' },
  codex: { create: CodexBackend, command: 'codex', npmPackage: '@openai/codex' },
  gemini: { create: GeminiBackend, command: 'gemini', npmPackage: '@google/gemini-cli' },
  opencode: { create: OpenCodeBackend, command: 'opencode', npmPackage: 'opencode-ai' },
};

export function createBackend(name: BackendName, config: BackendAdapterConfig): BackendAdapter {
  // The name is checked again: it may come from a database or from plain JavaScript.
  return new backends[resolveBackendName(name)].create(config);
}

/** R6: an unset name means claude; anything but the four names is refused, with the list of them. */
export function resolveBackendName(raw: string | undefined): BackendName {
  if (raw === undefined || raw === '') return 'claude';
  const name = backendNames.find((known) => known === raw);
  if (name !== undefined) return name;
  throw new TurnoutError(
    'bad_request',
    `Unknown backend ${JSON.stringify(raw)}. Valid backends: ${backendNames.join(', ')}.`,
  );
}
