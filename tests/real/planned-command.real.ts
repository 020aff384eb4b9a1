import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../src/backends/registry.js';
import type { SpawnedCommand, TraceEntry } from '../../src/backends/types.js';
import { plannedCommand } from '../../src/runner/planned-command.js';
import { sessionOptions } from '../../src/runner/session-options.js';
import type { RunnerOptions } from '../../src/runner/types.js';
import { setUpLab } from './set-up-lab.js';

const server = fileURLToPath(new URL('../fixtures/mcp/ping-server.mjs', import.meta.url));

describe.each(vendorNames)('the planned command of %s', (backend) => {
  const lab = setUpLab(backend);

  it.each([
    ['one-shot', 'plain', {}],
    ['live', 'plain', {}],
    ['one-shot', 'with a system prompt and a mode', { systemPrompt: 'Be brief.', permissionMode: 'plan' }],
    ['live', 'with a system prompt and a mode', { systemPrompt: 'Be brief.', permissionMode: 'plan' }],
    ['one-shot', 'with MCP servers', { mcpConfig: 'mcp.json' }],
    ['live', 'with MCP servers', { mcpConfig: 'mcp.json' }],
  ] as const)('is the one that is started: %s, %s (O9)', async (mode, _, given) => {
    const options = inHome(given);
    const planned = await plannedCommand(backend, { ...options, prompt: 'hi' }, lab.config, mode);
    const started: SpawnedCommand[] = [];
    const trace = (entry: TraceEntry) => {
      if (entry.type !== 'spawn') return;
      const { command, args, cwd, env } = entry;
      started.push({ command, args, cwd, env });
    };
    lab.model.use(['Hello.']);
    const live = mode === 'live';
    const session = await lab.sessions.open(sessionOptions(backend, { ...options, trace }, lab.config, live));
    const events = [];
    for await (const event of session.send('hi')) events.push(event);
    await session.close();
    expect(events.at(-1)).toMatchObject({ type: 'complete', text: 'Hello.' });
    expect(started.map(withoutTemporary)).toEqual([planned]);
  });

  it('changes nothing in the home of the CLI, with a session to resume either (O9)', async () => {
    lab.model.use(['Hello.']);
    const session = await lab.sessions.open(sessionOptions(backend, {}, lab.config, false));
    for await (const event of session.send('hi')) void event;
    const { sessionId } = session;
    expect(sessionId).toBeDefined();
    await session.close();
    const files = () => readdirSync(lab.home.directory, { recursive: true, encoding: 'utf8' }).sort();
    const before = files();
    for (const mode of ['one-shot', 'live'] as const)
      await plannedCommand(backend, { sessionId, prompt: '/clear' }, lab.config, mode);
    expect(files()).toEqual(before);
  });

  function inHome(given: RunnerOptions): RunnerOptions {
    if (given.mcpConfig === undefined) return given;
    const mcpConfig = join(lab.home.directory, given.mcpConfig);
    const echo = { command: process.execPath, args: [server], env: { MARK: 'm' } };
    writeFileSync(mcpConfig, JSON.stringify({ mcpServers: { echo } }));
    return { ...given, mcpConfig };
  }

  function withoutTemporary(command: SpawnedCommand): SpawnedCommand {
    const scratch = new RegExp(`${lab.home.directory}/\\.turnout/tmp/run-[\\w.-]+`, 'g');
    return JSON.parse(JSON.stringify(command).replaceAll(scratch, '<temporary>'));
  }
});
