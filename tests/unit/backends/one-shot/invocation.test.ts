import { describe, expect } from 'vitest';
import { createBackend, type VendorName } from '../../../../src/backends/registry.js';
import type { RunRequest, SpawnedCommand, TraceEntry } from '../../../../src/backends/types.js';
import { collect } from '../../../contract/backend-contract.js';
import { it, type Stage } from '../../../contract/stage.js';

const mcp = JSON.stringify({
  mcpServers: {
    echo: { command: 'node', args: ['/x.mjs', 'a "b"'], env: { KEY: 'v' } },
    'with space': { url: 'http://127.0.0.1:1/mcp', headers: { A: 'b' } },
  },
});

describe.concurrent('the command of a turn', () => {
  it('has the model, the permission mode and the raw words, for each CLI in its own terms', async ({
    stage,
  }) => {
    const request = { prompt: 'hi', model: 'm', permissionMode: 'plan', rawArgs: ['--own', 'word'] } as const;
    expect((await commandOf(stage, 'claude', request)).args).toEqual(
      expect.arrayContaining(['--model', 'm', '--permission-mode', 'plan', '--own', 'word']),
    );
    const codex = (await commandOf(stage, 'codex', request)).args;
    expect(codex).toEqual(
      expect.arrayContaining(['--model', 'm', '--sandbox', 'read-only', '--own', 'word']),
    );
    expect(codex).not.toContain('--dangerously-bypass-approvals-and-sandbox');
    expect(codex.slice(-2)).toEqual(['--', '-']);
    expect((await commandOf(stage, 'gemini', request)).args).toEqual(
      expect.arrayContaining(['--model', 'm', '--approval-mode', 'plan', '--own', 'word']),
    );
    expect((await commandOf(stage, 'opencode', request)).args).toEqual(
      expect.arrayContaining(['--model', 'm', '--agent', 'plan', '--own', 'word']),
    );
  });

  it('never skips permissions outside the bypass mode', async ({ stage }) => {
    for (const name of ['claude', 'codex', 'gemini', 'opencode'] as const) {
      for (const permissionMode of ['edits', 'plan'] as const) {
        const { args } = await commandOf(stage, name, { prompt: 'hi', permissionMode });
        expect(args.join(' ')).not.toMatch(/dangerously|yolo|--auto\b/);
      }
    }
  });

  it('has the MCP servers in the form that the CLI wants (O8)', async ({ stage }) => {
    const mcpConfig = stage.write('mcp.json', mcp);
    const claude = await commandOf(stage, 'claude', { prompt: 'hi', mcpConfig });
    expect(claude.args).toEqual(expect.arrayContaining(['--mcp-config', mcpConfig]));

    const codex = await commandOf(stage, 'codex', { prompt: 'hi', mcpConfig });
    expect(codex.args).toEqual(
      expect.arrayContaining([
        'mcp_servers.echo.command="node"',
        'mcp_servers.echo.args=["/x.mjs","a \\"b\\""]',
        'mcp_servers.echo.env={"KEY"="v"}',
        'mcp_servers."with space".url="http://127.0.0.1:1/mcp"',
        'mcp_servers."with space".http_headers={"A"="b"}',
      ]),
    );

    const opencode = await commandOf(stage, 'opencode', { prompt: 'hi', mcpConfig });
    expect(JSON.parse(opencode.env['OPENCODE_CONFIG_CONTENT'] ?? '')['mcp']).toEqual({
      echo: { type: 'local', command: ['node', '/x.mjs', 'a "b"'], environment: { KEY: 'v' }, enabled: true },
      'with space': { type: 'remote', url: 'http://127.0.0.1:1/mcp', headers: { A: 'b' }, enabled: true },
    });
  });

  it('is refused when the file of MCP servers is missing, no JSON, or something else (O8)', async ({
    stage,
  }) => {
    const files = [
      stage.path('gone'),
      stage.write('a', '{'),
      stage.write('b', '[]'),
      stage.write('c', '{"mcpServers":{"x":1}}'),
      stage.write('d', '{"mcpServers":{"x":{}}}'),
    ];
    for (const name of ['claude', 'codex', 'gemini', 'opencode'] as const) {
      for (const mcpConfig of files) {
        const run = createBackend(name, stage.config('replay.sh')).run({ prompt: 'hi', mcpConfig });
        expect(await collect(run)).toMatchObject([
          { type: 'error', code: 'bad_request', message: expect.stringContaining(mcpConfig) },
        ]);
      }
    }
  });

  it('of Gemini is that of a session of --acp if it has MCP servers, which takes no raw words (O8)', async ({
    stage,
  }) => {
    const mcpConfig = stage.write('mcp.json', mcp);
    expect((await commandOf(stage, 'gemini', { prompt: 'hi', mcpConfig })).args).toEqual(['--acp']);
    const run = createBackend('gemini', stage.config('replay.sh')).run({
      prompt: 'hi',
      mcpConfig,
      rawArgs: ['--debug'],
    });
    expect(await collect(run)).toMatchObject([
      { type: 'error', code: 'unsupported', message: expect.stringContaining('rawArgs') },
    ]);
  });

  it('takes tools away by name (R7.4)', async ({ stage }) => {
    const request = { prompt: 'hi', allowedTools: ['Read', 'Bash(git:*)'], disallowedTools: ['Write'] };
    const claude = (await commandOf(stage, 'claude', request)).args;
    expect(claude).toEqual(
      expect.arrayContaining(['--allowedTools', 'Read', '--allowedTools', 'Bash(git:*)']),
    );
    expect(claude).toEqual(expect.arrayContaining(['--tools', 'Read,Bash', '--disallowedTools', 'Write']));
    // With a rule for a part of a tool, skipping permissions would allow all of it.
    expect(claude).not.toContain('--dangerously-skip-permissions');

    const opencode = await commandOf(stage, 'opencode', {
      prompt: 'hi',
      allowedTools: ['read'],
      disallowedTools: ['bash'],
    });
    const { permission, agent } = JSON.parse(opencode.env['OPENCODE_CONFIG_CONTENT'] ?? '');
    expect(permission).toMatchObject({ '*': 'deny', read: 'allow', bash: 'deny', edit: 'deny' });
    // The last rule decides, and a settings file of the repository can't put its own behind ours.
    expect(Object.keys(permission).at(0)).toBe('*');
    expect(agent).toEqual({ build: { permission }, plan: { permission } });
  });

  it("puts OpenCode's settings on top of the user's own, and refuses to run with broken ones", async ({
    stage,
  }) => {
    const own = { OPENCODE_CONFIG_CONTENT: '{"theme":"x","instructions":["/own.md"]}' };
    const { env } = await commandOf(stage, 'opencode', { prompt: 'hi', systemPrompt: 'be brief' }, own);
    expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')).toEqual({
      theme: 'x',
      instructions: ['/own.md', expect.stringMatching(/instructions\.md$/)],
    });
    const broken = createBackend('opencode', stage.config('replay.sh', { OPENCODE_CONFIG_CONTENT: '{' }));
    expect(await collect(broken.run({ prompt: 'hi', systemPrompt: 'x' }))).toMatchObject([
      { type: 'error', code: 'bad_request' },
    ]);
  });

  it('tells a thread of Codex of instructions that changed since it began, in front of the prompt', async ({
    stage,
  }) => {
    const id = '00000000-0000-4000-8000-000000000001';
    const unknown = await promptOf(stage, 'codex', { prompt: 'hi', sessionId: id, systemPrompt: 'new' });
    expect(unknown).toBe('<instructions>\nnew\n</instructions>\n\nhi');
    expect(await promptOf(stage, 'codex', { prompt: 'hi', sessionId: id })).toBe('hi');
  });

  it('shows no prompt to the users of the machine: it is no argument [fault 13.9: prompts in argv]', async ({
    stage,
  }) => {
    for (const name of ['claude', 'codex', 'gemini', 'opencode'] as const) {
      for (const prompt of ['the secret plan', '/the secret plan', '-the secret', 'secret']) {
        const { args } = await commandOf(stage, name, { prompt });
        expect(args.join(' '), name).not.toContain('secret');
        expect(await promptOf(stage, name, { prompt }), name).toContain(prompt);
      }
    }
  });

  it('moves a system prompt that is too long for an argument of Codex in front of the prompt, on stdin', async ({
    stage,
  }) => {
    const systemPrompt = 'x'.repeat(150_000);
    const { args } = await commandOf(stage, 'codex', { prompt: 'hi', systemPrompt });
    expect(args.at(-1)).toBe('-');
    expect(args.join(' ').length).toBeLessThan(10_000);
  });
});

/** The command that a request comes to, without running it to its end. */
async function commandOf(
  stage: Stage,
  name: VendorName,
  request: RunRequest,
  env: Record<string, string> = {},
): Promise<SpawnedCommand> {
  let command: SpawnedCommand | undefined;
  const backend = createBackend(name, stage.config('replay.sh', { ...stage.replay(''), ...env }));
  for await (const event of backend.run(request, { onSpawn: (told) => (command = told) })) {
    if (event.type === 'error' && command === undefined) throw new Error(event.message);
  }
  if (command === undefined) throw new Error('nothing was started');
  return command;
}

/** The text on the CLI's stdin. */
async function promptOf(stage: Stage, name: VendorName, request: RunRequest): Promise<string> {
  const sent: string[] = [];
  const backend = createBackend(name, stage.config('replay.sh', stage.replay('')));
  const trace = (entry: TraceEntry) => {
    if (entry.type === 'line' && entry.direction === 'out') sent.push(entry.line);
  };
  await collect(backend.run(request, { trace }));
  return sent.join('\n');
}
