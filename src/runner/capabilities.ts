import { runnerBackend, runnerConfig } from './runner-config.js';
import { settingsOwner } from './runner-names.js';
import type { CapabilityName, RunnerCapabilities, RunnerName } from './types.js';

/** O13: the abilities of a runner; each that is missing has a hint. Nothing is started. */
export function runnerCapabilities(name: RunnerName): RunnerCapabilities {
  const backend = runnerBackend(name, runnerConfig(name));
  const can = backend.capabilities;
  const supports: Record<CapabilityName, boolean> = {
    supportsInteractive: backend.interactive !== undefined,
    // Every backend's turns are events; one without deltas tells its text message by message.
    supportsStreaming: true,
    supportsSystemPrompt: true,
    supportsMcp: can.mcpConfig,
    supportsTools: can.allowedTools && can.disallowedTools,
    supportsModel: !can.asMade,
    supportsMaxTurns: can.maxTurns,
  };
  const missing = Object.entries(hints).filter(([ability]) => !supports[ability as CapabilityName]);
  const told = missing.map(([ability, hint]) => [ability, hint(settingsOwner(name))]);
  return { ...supports, hints: Object.fromEntries(told) };
}

const hints: Readonly<Partial<Record<CapabilityName, (name: RunnerName) => string>>> = {
  supportsInteractive: (name) => `Use runOnce or runStreaming, or start ${name} itself in a terminal.`,
  supportsMcp: (name) => `Configure the MCP servers in ${name}'s own settings.`,
  supportsTools: (name) =>
    `Configure the tools in ${name}'s own settings, or use a stricter permission mode.`,
  supportsModel: (name) => `${name} runs turns as it was made: createRunner('${name}', { model }).`,
  supportsMaxTurns: () => 'Limit the turn by time instead (timeoutMs).',
};
