import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import type { Script, Step } from '../../src/lab/model/script.js';
import type { SessionOptions } from '../../src/sessions/types.js';
import { setUpLab } from './set-up-lab.js';

// What each CLI asks about when a caller confirms each tool: the table of docs/cli-behaviour.md, as it was measured.

type Row = readonly [what: string, step: (work: string) => Step, asked: boolean];

const mcpNames: Readonly<Record<VendorName, string>> = {
  claude: 'mcp__echo__',
  codex: 'mcp__echo__',
  gemini: 'mcp_echo_',
  opencode: 'echo_',
};

const shell = (command: string) => () => ({ shell: command });
const tool = (name: string, input: (work: string) => object) => (work: string) => ({
  tool: name,
  input: input(work),
});

const rows: Readonly<Record<VendorName, readonly Row[]>> = {
  claude: [
    ['a command that only reads', shell('cat a.txt'), true],
    ['a tool that only reads', tool('Read', (work) => ({ file_path: join(work, 'a.txt') })), true],
    ['a page of the web', tool('WebFetch', () => ({ url: 'http://127.0.0.1:1/', prompt: 'x' })), true],
  ],
  codex: [['a command that only reads', shell('cat a.txt'), true]],
  gemini: [
    ['a command that only reads', shell('cat a.txt'), false],
    ['a command that reads and a pipe', shell('cat a.txt | head -1'), true],
    ['a command that reads, and one that writes', shell('ls && touch more.txt'), true],
    ['a command inside of a command', shell('echo $(touch more.txt)'), true],
    ['a search that writes', shell('find . -fprint more.txt'), true],
    ['a tool that only reads', tool('read_file', (work) => ({ file_path: join(work, 'a.txt') })), false],
    ['a list', tool('list_directory', (work) => ({ dir_path: work })), false],
    ['a search of the web', tool('google_web_search', () => ({ query: 'x' })), false],
    ['a page of the web', tool('web_fetch', () => ({ prompt: 'get http://127.0.0.1:1/' })), true],
  ],
  opencode: [
    ['a command that only reads', shell('cat a.txt'), true],
    ['a tool that only reads', tool('read', (work) => ({ filePath: join(work, 'a.txt') })), true],
    ['a list of what is to be done', tool('todowrite', () => ({ todos: [] })), true],
    ['a page of the web', tool('webfetch', () => ({ url: 'http://127.0.0.1:1/', format: 'text' })), true],
  ],
};

describe.each(vendorNames)('what %s asks about', (backend) => {
  const lab = setUpLab(backend);
  const work = () => lab.home.workingDir;

  beforeAll(() => {
    writeFileSync(join(work(), 'a.txt'), 'hello\n');
  });

  /** The requests of a turn whose caller refuses everything. */
  async function requests(script: Script, more: Partial<SessionOptions> = {}) {
    const session = await lab.sessions.open({ backend, config: lab.config, confirmTools: true, ...more });
    lab.model.use(script);
    const seen: { readonly tool: string; readonly confirmation: boolean }[] = [];
    for await (const event of session.send('go')) {
      if (event.type !== 'permission_request') continue;
      seen.push({ tool: event.tool, confirmation: event.confirmation ?? false });
      await session.answerPermission(event.id, 'deny');
    }
    await session.close();
    return seen;
  }

  it.each<Row>([
    ['a command that writes', (at) => ({ shell: `echo x > ${join(at, 'refused.txt')}` }), true],
    ['an edit', (at) => ({ writeFile: { path: join(at, 'refused.txt'), content: 'x\n' } }), true],
    ['a tool of an MCP server', () => ({ tool: `${mcpNames[backend]}ping`, input: {} }), true],
    // Codex believes a server that calls its tool read only.
    [
      'one that says it only reads',
      () => ({ tool: `${mcpNames[backend]}look`, input: {} }),
      backend !== 'codex',
    ],
    ...rows[backend],
  ])('%s', async (_, step, asked) => {
    const seen = await requests([{ steps: [step(work())] }, 'done'], { mcpConfig: mcpConfig() });
    expect(seen.map(({ confirmation }) => confirmation)).toEqual(asked ? [true] : []);
    expect(existsSync(join(work(), 'refused.txt'))).toBe(false);
    expect(existsSync(join(work(), 'more.txt'))).toBe(false);
  });

  it.each(['bypass', 'ask'] as const)(
    'a tool that was refused says so at its end, in the mode %s',
    async (permissionMode) => {
      const session = await lab.sessions.open({
        ...{ backend, config: lab.config, permissionMode },
        confirmTools: permissionMode === 'bypass',
      });
      lab.model.use([{ steps: [{ shell: `echo x > ${join(work(), 'refused.txt')}` }] }, 'done']);
      const ends: unknown[] = [];
      for await (const event of session.send('go')) {
        if (event.type === 'permission_request') await session.answerPermission(event.id, 'deny');
        if (event.type === 'tool_end') ends.push(event);
      }
      await session.close();
      expect(ends).toMatchObject([{ isError: true, denied: true }]);
    },
  );

  it('in plan mode nothing gets more rights, and an edit of edits mode is asked about', async () => {
    const file = join(work(), 'refused.txt');
    const edit = { writeFile: { path: file, content: 'x\n' } };
    await requests([{ steps: [{ shell: `echo x > ${file}` }] }, 'done'], { permissionMode: 'plan' });
    expect(existsSync(file)).toBe(false);
    const seen = await requests([{ steps: [edit] }, 'done'], { permissionMode: 'edits' });
    expect(seen).toMatchObject([{ confirmation: true }]);
    expect(existsSync(file)).toBe(false);
  });

  it('the tools of a subagent are asked about, or there are no subagents', async () => {
    const file = join(work(), 'refused.txt');
    const calls: Readonly<Record<VendorName, Step>> = {
      claude: {
        tool: 'Agent',
        input: { description: 'd', prompt: 'CHILD work', subagent_type: 'general-purpose' },
      },
      codex: { tool: 'spawn_agent', input: { message: 'CHILD work', task_name: 'child' } },
      gemini: { tool: 'invoke_agent', input: { agent_name: 'generalist', prompt: 'CHILD work' } },
      opencode: { tool: 'task', input: { description: 'd', prompt: 'CHILD work', subagent_type: 'general' } },
    };
    const session = await lab.sessions.open({ backend, config: lab.config, confirmTools: true });
    const done = new Set<string>();
    const once = (what: string) => !done.has(what) && done.add(what);
    lab.model.use(({ rawBody, toolResults }) => {
      if (once('spawn')) return { steps: [calls[backend]] };
      const isChild = toolResults.length === 0 && rawBody.includes('CHILD work');
      if (isChild && once('work')) return { steps: [{ shell: `echo x > ${file}` }] };
      // Codex ends a turn without its subagents unless it waits for them.
      if (backend === 'codex' && !isChild && once('wait'))
        return { steps: [{ tool: 'wait_agent', input: { timeout_ms: 10_000 } }] };
      return 'done';
    });
    const asked: string[] = [];
    for await (const event of session.send('go')) {
      if (event.type !== 'permission_request') continue;
      const isWork = JSON.stringify(event.input).includes('refused.txt');
      if (isWork) asked.push(event.tool);
      await session.answerPermission(event.id, isWork ? 'deny' : 'allow');
    }
    await session.close();
    expect(existsSync(file)).toBe(false);
    expect(asked).toEqual({ claude: ['Bash'], codex: ['shell'], gemini: [], opencode: [] }[backend]);
  });

  it.skipIf(backend !== 'claude' || !process.env['LAB_FULL'])(
    'Claude waits longer than the minute that it gives a hook by itself',
    async () => {
      const config = { ...lab.config, queryTimeoutMs: 110_000 };
      const session = await lab.sessions.open({ backend, config, confirmTools: true });
      const file = join(work(), 'refused.txt');
      lab.model.use([{ steps: [{ shell: `echo x > ${file}` }] }, 'done']);
      for await (const event of session.send('go')) {
        if (event.type !== 'permission_request') continue;
        await new Promise((resolve) => setTimeout(resolve, 70_000));
        expect(existsSync(file)).toBe(false);
        await session.answerPermission(event.id, 'deny');
      }
      await session.close();
      expect(existsSync(file)).toBe(false);
    },
  );

  /** A server with a tool, and with one that says of itself that it only reads. */
  function mcpConfig(): string {
    const server = join(lab.home.directory, 'mcp.mjs');
    writeFileSync(
      server,
      `import { createInterface } from 'node:readline';
      const inputSchema = { type: 'object' };
      const tools = [
        { name: 'ping', description: 'ping', inputSchema },
        { name: 'look', description: 'look', inputSchema, annotations: { readOnlyHint: true } },
      ];
      const answers = {
        initialize: ({ protocolVersion }) => ({
          protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } }),
        'tools/list': () => ({ tools }),
        'tools/call': () => ({ content: [{ type: 'text', text: 'pong' }] }),
      };
      for await (const line of createInterface({ input: process.stdin })) {
        const { id, method, params } = JSON.parse(line);
        const result = answers[method]?.(params) ?? {};
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      }`,
    );
    const config = join(lab.home.directory, 'mcp.json');
    const servers = { echo: { command: process.execPath, args: [server] } };
    writeFileSync(config, JSON.stringify({ mcpServers: servers }));
    return config;
  }
});
