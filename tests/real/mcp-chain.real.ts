import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import { buildOnce, turnout } from '../unit/cli/turnout.js';
import { setUpLab } from './set-up-lab.js';

beforeAll(buildOnce);

const server = fileURLToPath(new URL('../fixtures/mcp/ping-server.mjs', import.meta.url));
const marker = 'ORCHESTRA_COMPLETE';

/** The name under which each CLI offers the tool `ping` of the server `echo` to the model. */
const toolNames: Readonly<Record<VendorName, string>> = {
  claude: 'mcp__echo__ping',
  codex: 'mcp__echo__ping',
  gemini: 'mcp_echo_ping',
  opencode: 'echo_ping',
};

describe.each(vendorNames)('MCP servers of one file with %s, typed', (backend) => {
  const lab = setUpLab(backend);
  const ping = () => ({ steps: [{ tool: toolNames[backend], input: { x: 'seven' } }] });

  /** Writes the file in Claude's format; its path is relative to the working directory, as in chain files. */
  function writeServers(mark: string): string {
    const echo = { command: process.execPath, args: [server], env: { MARK: mark } };
    mkdirSync(join(lab.config.workingDir, 'forge/orch'), { recursive: true });
    writeFileSync(
      join(lab.config.workingDir, 'forge/orch/mcp.json'),
      JSON.stringify({ mcpServers: { echo } }),
    );
    return 'forge/orch/mcp.json';
  }

  it('a step of a chain has the servers of its agent, once and in a loop; another agent has none (O8)', async () => {
    const mcpConfig = writeServers('chain');
    const agents = {
      caller: { systemPromptText: 'You call.', mcpConfig },
      other: { systemPromptText: 'You do not.' },
    };
    const steps = [
      { agent: 'caller', prompt: 'ping it' },
      { agent: 'caller', iterations: 3, prompt: 'ping it again' },
      { agent: 'other', iterations: 2, prompt: 'no servers here' },
    ];
    writeFileSync(
      join(lab.config.workingDir, 'forge/orch/chains.json'),
      JSON.stringify({ agents, chains: { c: { steps } } }),
    );
    lab.model.forget();
    lab.model.use([
      ...[ping(), 'once'],
      ...[ping(), 'not yet', ping(), `twice\n${marker}`],
      `alone\n${marker}`,
    ]);
    const done = await turnout(lab.place, ['chain', '--chain', 'c', '--output', 'json']);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(done.stdout)).toMatchObject({
      status: 'completed',
      steps: [
        { backend, status: 'done', reason: 'single_run', output: 'once' },
        { backend, status: 'done', reason: 'marker', iterations: 2, output: 'twice' },
        { backend, status: 'done', reason: 'marker', iterations: 1, output: 'alone' },
      ],
    });
    // The model has got the server's answer in each of the three runs, and was never offered the tool in the fourth.
    const bodies = lab.model.turns.map(({ rawBody }) => rawBody);
    const answered = bodies.filter((body) => body.includes('pong seven env=chain'));
    expect(answered).toHaveLength(3);
    expect(bodies.at(-1)).not.toContain(toolNames[backend]);
  });

  it('turnout run --mcp-config (O8)', async () => {
    const mcpConfig = writeServers('run');
    lab.model.forget();
    lab.model.use([ping(), 'Pinged.']);
    const args = ['run', '--mcp-config', mcpConfig, '--permission-mode', 'bypass', 'ping it'];
    const done = await turnout(lab.place, args);
    expect(done, done.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Pinged.') });
    expect(lab.model.turns.at(-1)?.rawBody).toContain('pong seven env=run');
    const broken = await turnout(lab.place, ['run', '--mcp-config', 'none.json', 'ping it']);
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('none.json') });
  });
});
