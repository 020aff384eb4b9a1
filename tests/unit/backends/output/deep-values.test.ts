import { describe, expect, it } from 'vitest';
import { createBackend, vendorNames } from '../../../../src/backends/registry.js';
import type { ChatEvent } from '../../../../src/core/chat-event.js';

const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;

/** A line that announces a tool with a deep input, in the words of each CLI. */
const announcements: Record<(typeof vendorNames)[number], string> = {
  claude: `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":${deep}}]}}`,
  codex: `{"type":"item.started","item":{"id":"t","type":"mcp_tool_call","server":"s","tool":"x","arguments":${deep}}}`,
  gemini: `{"type":"tool_use","tool_name":"x","tool_id":"t","parameters":${deep}}`,
  opencode: `{"type":"tool_use","sessionID":"s","part":{"id":"t","callID":"t","type":"tool","tool":"x","state":{"status":"completed","input":${deep},"output":"o"}}}`,
};

async function* only(line: string): AsyncGenerator<string> {
  yield line;
}

describe('a tool input nested 5,000 deep', () => {
  it.each(vendorNames)(
    'becomes an event of %s that can be written down [fault 13.1: deep input, every backend]',
    async (name) => {
      const adapter = createBackend(name, {
        cliPath: name,
        workingDir: '.',
        queryTimeoutMs: 0,
        allowedTools: [],
        maxTurns: 1,
      });
      const events: ChatEvent[] = [];
      for await (const event of adapter.decode?.(only(announcements[name])) ?? []) events.push(event);
      expect(events).toContainEqual(expect.objectContaining({ type: 'tool_start', id: 't' }));
      expect(JSON.stringify(events)).toContain('[cut: nested');
    },
  );
});
