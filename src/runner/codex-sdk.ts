import type { BackendAdapterConfig, EventBackend } from '../backends/types.js';
import { errorEvent } from '../core/chat-event.js';

/** A place holder: the real adapter comes with the branch `sdk`. */
export function codexSdkAdapter(_config: BackendAdapterConfig): EventBackend {
  const message = 'The Codex SDK was not found. Install it with `npm install @openai/codex-sdk`.';
  return {
    name: () => 'codex-sdk',
    validate: async () => false,
    execute: async () => ({ responseText: message, isError: true }),
    capabilities: {
      textDeltas: false,
      thinking: true,
      thinkingDepth: ['low', 'medium', 'high', 'xhigh'],
      maxTurns: false,
      allowedTools: false,
      disallowedTools: false,
      mcpConfig: true,
      permissionModes: ['bypass', 'edits', 'plan'],
    },
    async *run() {
      yield errorEvent('not_installed', message);
    },
  };
}
