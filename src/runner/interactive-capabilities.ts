import { claudeThinking } from '../backends/claude/arguments.js';
import { codexThinking } from '../backends/codex/arguments.js';
import type { OptionCapabilities } from '../backends/launch/check-request.js';
import type { VendorName } from '../backends/registry.js';
import type { EventBackend } from '../backends/types.js';

/**
 * What the vendors' own terminal UIs take, by `--help` of the pinned versions, for a backend that does not say it itself: the
 * branch `native` declares it beside each UI's command (`interactive()`), and this table goes with its merge.
 */
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

/** A backend that has its CLI's terminal UI, and says what that takes. */
interface WithUi {
  interactive?(): Promise<{ readonly capabilities: OptionCapabilities }>;
}

/** What the terminal UI takes; undefined if there is none. */
export async function interactiveCapabilities(
  backend: EventBackend & WithUi,
): Promise<OptionCapabilities | undefined> {
  return (await backend.interactive?.())?.capabilities ?? ofVendor(backend.name());
}

export function hasInteractive(backend: EventBackend & WithUi): boolean {
  return backend.interactive !== undefined || ofVendor(backend.name()) !== undefined;
}

function ofVendor(name: string): OptionCapabilities | undefined {
  return Object.hasOwn(byVendor, name) ? byVendor[name as VendorName] : undefined;
}
