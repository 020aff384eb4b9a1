import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createBackend, type VendorName, vendorNames } from '../../src/backends/registry.js';
import type { ChatEvent } from '../../src/core/chat-event.js';
import { setUpLab } from './set-up-lab.js';

const server = fileURLToPath(new URL('../fixtures/mcp/ping-server.mjs', import.meta.url));

/** The name under which each CLI offers the tool `ping` of the server `echo` to the model. */
const toolNames: Readonly<Record<VendorName, string>> = {
  claude: 'mcp__echo__ping',
  codex: 'mcp__echo__ping',
  gemini: 'mcp_echo_ping',
  opencode: 'echo_ping',
};

describe.each(vendorNames)('MCP servers for a run of %s', (backend) => {
  const lab = setUpLab(backend);
  const modes = ['one-shot', 'live'] as const;

  /** The events of a turn whose model calls the tool, with the servers of a file. */
  async function turnWith(mode: (typeof modes)[number], mcpServers: object): Promise<readonly ChatEvent[]> {
    const mcpConfig = join(lab.home.directory, 'mcp.json');
    writeFileSync(mcpConfig, JSON.stringify({ mcpServers }));
    lab.model.use([{ steps: [{ tool: toolNames[backend], input: { x: 'seven' } }] }, 'Pinged.']);
    lab.model.forget();
    if (mode === 'one-shot')
      return collect(createBackend(backend, lab.config).run({ prompt: 'ping it', mcpConfig }));
    const session = await lab.sessions.open({ backend, config: lab.config, mcpConfig });
    const events = await collect(session.send('ping it'));
    await session.close();
    return events;
  }

  it.each(modes)('%s: the model calls the tool of a server, and gets its answer (O8)', async (mode) => {
    const env = { ...lab.config.env, MARK_OF_CALLER: 'green' };
    Object.assign(lab.config, { env });
    const echo = {
      // `claude mcp add` writes the type too, and Claude puts variables in.
      type: 'stdio',
      command: process.execPath,
      args: [server],
      env: { MARK: `\${MARK_OF_CALLER}-\${NO_SUCH_VARIABLE:-7}` },
    };
    const events = await turnWith(mode, { echo });
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'Pinged.' });
    const end = events.find((event) => event.type === 'tool_end');
    expect(end).toMatchObject({ isError: false, output: expect.stringContaining('pong seven env=green-7') });
    expect(lab.model.turns.at(-1)?.rawBody).toContain('pong seven env=green-7');
  });

  it.each(modes)('%s: a server that can’t start does not end the turn, and is told (O8)', async (mode) => {
    const events = await turnWith(mode, { broken: { command: '/nowhere/mcp-server', args: [] } });
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'Pinged.' });
    const warnings = events.filter((event) => event.type === 'notice' && event.level === 'warning');
    expect(warnings).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^The MCP server broken could not start/) }),
    ]);
  });
});

async function collect(events: AsyncIterable<ChatEvent>): Promise<readonly ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
