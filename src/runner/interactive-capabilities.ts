import { claudeThinking } from '../backends/claude/arguments.js';
import { codexThinking } from '../backends/codex/arguments.js';
import type { OptionCapabilities } from '../backends/launch/check-request.js';
import type { VendorName } from '../backends/registry.js';
import type { RunnerName } from './types.js';

/** What the vendors' own terminal UIs take, by `--help` of the pinned versions. A runner that is not here has no UI. */
const byVendor: Readonly<Record<VendorName, OptionCapabilities>> = {
  claude: {
    // `--max-turns` works with `--print` only.
    maxTurns: false,
    allowedTools: true,
    disallowedTools: true,
    mcpConfig: true,
    settings: true,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
    thinkingDepth: claudeThinking,
  },
  codex: {
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: true,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
    thinkingDepth: codexThinking,
  },
  gemini: {
    maxTurns: false,
    allowedTools: false,
    disallowedTools: false,
    mcpConfig: false,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
  },
  opencode: {
    maxTurns: false,
    allowedTools: true,
    disallowedTools: true,
    mcpConfig: true,
    permissionModes: ['bypass', 'ask', 'edits', 'plan'],
    // `--variant` is an option of `opencode run` only.
    thinkingDepth: [],
  },
};

export function interactiveCapabilities(name: RunnerName): OptionCapabilities | undefined {
  return Object.hasOwn(byVendor, name) ? byVendor[name as VendorName] : undefined;
}
