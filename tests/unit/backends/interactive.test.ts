import { describe, expect, it } from 'vitest';
import { claudeInteractive } from '../../../src/backends/claude/interactive.js';
import { codexInteractive } from '../../../src/backends/codex/interactive.js';
import { geminiInteractive } from '../../../src/backends/gemini/interactive.js';
import type { InteractiveOptions, InteractiveUi } from '../../../src/backends/launch/interactive.js';
import { vendorNames } from '../../../src/backends/names.js';
import { openCodeInteractive } from '../../../src/backends/opencode/interactive.js';
import { permissionModes } from '../../../src/core/permission-mode.js';

const uis = {
  claude: claudeInteractive,
  codex: codexInteractive,
  gemini: geminiInteractive,
  opencode: openCodeInteractive,
};

const plain: InteractiveOptions = {
  systemPrompt: '',
  cwd: '/w',
  allowedTools: [],
  disallowedTools: [],
  mcpServers: [],
  rawArgs: [],
};
const context = { inherited: {}, scratch: '/s', version: '2.1.325', ownFiles: true };
const describeUi = (ui: InteractiveUi, options: Partial<InteractiveOptions>) =>
  ui.command({ ...plain, ...options }, context);
const argsOf = (ui: InteractiveUi, options: Partial<InteractiveOptions> = {}) => describeUi(ui, options).args;

describe('the command of a terminal UI (O1)', () => {
  it('has nothing but what was asked for: the vendor’s defaults stay', () => {
    expect(argsOf(claudeInteractive)).toEqual([]);
    expect(argsOf(codexInteractive)).toEqual(['-c', 'features.daemon_auto_start=false', '--cd', '/w']);
    expect(argsOf(geminiInteractive)).toEqual([]);
    expect(argsOf(openCodeInteractive)).toEqual([]);
    expect(describeUi(openCodeInteractive, {}).env).toEqual({ PWD: '/w' });
  });

  it('has model, session and permission mode in each CLI’s own words', () => {
    const asked = { model: 'm', sessionId: 's1', permissionMode: 'plan' as const };
    expect(argsOf(claudeInteractive, asked).join(' ')).toBe('--permission-mode plan --model m --resume s1');
    expect(argsOf(codexInteractive, asked).join(' ')).toBe(
      'resume -c features.daemon_auto_start=false --cd /w --sandbox read-only --ask-for-approval never --model m s1',
    );
    expect(argsOf(geminiInteractive, asked).join(' ')).toBe('--approval-mode plan --model m --resume s1');
    expect(argsOf(openCodeInteractive, asked).join(' ')).toBe('--agent plan --model m --session s1');
  });

  it.each(vendorNames)('%s: each mode that is declared is another command', (name) => {
    const ui = uis[name];
    expect(ui.capabilities.permissionModes).toEqual(permissionModes);
    const commands = [undefined, ...permissionModes].map((permissionMode) => {
      const { args, env } = describeUi(ui, { permissionMode });
      return JSON.stringify([args, env?.['OPENCODE_CONFIG_CONTENT']]);
    });
    expect(new Set(commands).size).toBe(commands.length);
  });

  it.each(['-hello', '--model', 'mcp', 'update', 'resume', 'one word more'])(
    'a first prompt stays a prompt: %s',
    (prompt) => {
      const last = (ui: InteractiveUi) => argsOf(ui, { prompt, rawArgs: ['--raw'] }).slice(-3);
      const oneWord = /^\w+$/.test(prompt);
      expect(last(claudeInteractive)).toEqual(['--raw', '--', oneWord ? ` ${prompt}` : prompt]);
      expect(last(codexInteractive)).toEqual(['--raw', '--', prompt]);
      expect(last(geminiInteractive)).toEqual(['--raw', `--prompt-interactive=${prompt}`]);
      expect(last(openCodeInteractive)).toEqual(['--raw', `--prompt=${prompt}`]);
    },
  );

  it('a system prompt goes where the CLI has a place for it, else in front of the first prompt', () => {
    const given = { systemPrompt: 'Say "x".', prompt: 'go' };
    const file = { path: '/s/system-prompt.md', content: 'Say "x".' };
    expect(describeUi(claudeInteractive, given)).toMatchObject({
      args: ['--append-system-prompt-file', file.path, '--', ' go'],
      files: [file],
    });
    expect(argsOf(codexInteractive, given)).toContain('developer_instructions="Say \\"x\\"."');
    expect(argsOf(codexInteractive, given).at(-1)).toBe('go');
    expect(argsOf(geminiInteractive, given)).toEqual([
      '--prompt-interactive=<instructions>\nSay "x".\n</instructions>\n\ngo',
    ]);
    const { env, files } = describeUi(openCodeInteractive, given);
    expect(JSON.parse(env?.['OPENCODE_CONFIG_CONTENT'] ?? '')).toEqual({
      instructions: ['/s/instructions.md'],
    });
    expect(files).toEqual([{ path: '/s/instructions.md', content: 'Say "x".' }]);
  });

  it('a resumed session gets a new system prompt where it would keep the old one', () => {
    const given = { systemPrompt: 'New.', prompt: 'go on', sessionId: 's1' };
    expect(argsOf(claudeInteractive, given).join(' ')).toContain('--system-prompt-snapshot off');
    expect(
      claudeInteractive.command({ ...plain, ...given }, { ...context, version: '2.1.300' }).args,
    ).not.toContain('--system-prompt-snapshot');
    expect(argsOf(codexInteractive, given).at(-1)).toBe('<instructions>\nNew.\n</instructions>\n\ngo on');
    const { prompt: _, ...silent } = given;
    expect(argsOf(codexInteractive, silent).at(-1)).toMatch(/New\.[\s\S]+Wait for my first task\.$/);
  });

  it('Gemini without a first prompt gets the system prompt as the first one', () => {
    expect(argsOf(geminiInteractive, { systemPrompt: 'Be brief.' })[0]).toMatch(
      /^--prompt-interactive=<instructions>\nBe brief\.\n<\/instructions>\n\n.+Wait for my first task\.$/,
    );
  });

  it('tools, MCP servers, settings and thinking', () => {
    const runs = { type: 'local', command: 'x', args: ['y'], env: {} } as const;
    const mcp = { mcpConfig: '/m.json', mcpServers: [{ name: 'a', runs }] };
    const tools = { allowedTools: ['Read'], disallowedTools: ['Bash'] };
    const claude = { ...mcp, ...tools, settings: '/set.json', thinking: 'high' as const };
    expect(argsOf(claudeInteractive, claude).join(' ')).toBe(
      '--allowedTools Read --tools Read --disallowedTools Bash --mcp-config /m.json --settings /set.json --effort high',
    );
    expect(argsOf(codexInteractive, { ...mcp, thinking: 'low' }).slice(4)).toEqual([
      ...['-c', 'model_reasoning_effort="low"'],
      ...['-c', 'mcp_servers.a.command="x"', '-c', 'mcp_servers.a.args=["y"]', '-c', 'mcp_servers.a.env={}'],
    ]);
    const { env } = describeUi(openCodeInteractive, { ...mcp, disallowedTools: ['bash'] });
    expect(JSON.parse(env?.['OPENCODE_CONFIG_CONTENT'] ?? '')).toMatchObject({
      mcp: { a: { type: 'local', command: ['x', 'y'] } },
      permission: { bash: 'deny' },
      agent: { build: { permission: { bash: 'deny' } } },
    });
  });

  it('OpenCode asks about allowed tools in the mode that asks, and allows nothing that the settings deny', () => {
    const rulesFor = (options: Partial<InteractiveOptions>) => {
      const { env } = describeUi(openCodeInteractive, options);
      return JSON.parse(env?.['OPENCODE_CONFIG_CONTENT'] ?? '{}').permission;
    };
    expect(rulesFor({ permissionMode: 'ask' })).toEqual({ '*': 'ask' });
    expect(rulesFor({ permissionMode: 'ask', allowedTools: ['bash'] })).toMatchObject({
      '*': 'deny',
      bash: 'ask',
      edit: 'deny',
    });
    expect(Object.values(rulesFor({ permissionMode: 'edits' }))).not.toContain('allow');
  });

  it('a UI that is started inside Claude Code is not nested in it', () => {
    expect(describeUi(claudeInteractive, {}).env).toMatchObject({ CLAUDECODE: undefined });
  });
});
