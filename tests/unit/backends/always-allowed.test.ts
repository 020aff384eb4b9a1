import { describe, expect, it } from 'vitest';
import { alwaysAllowed as byClaude } from '../../../src/backends/claude/live/permissions.js';
import { readPermissionRequest } from '../../../src/backends/codex/live/permissions.js';
import { alwaysAllowed as byGemini } from '../../../src/backends/gemini/live/permissions.js';
import { toBeConfirmed } from '../../../src/backends/live/confirmation.js';
import { alwaysAllowed as byOpenCode } from '../../../src/backends/opencode/live/permissions.js';
import { withoutUnseenAlways } from '../../../src/backends/output/permission-request.js';

// The requests are those of the pinned versions.
describe('a question tells what "always" allows (18.1)', () => {
  it.each([
    [{ type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'touch a.txt' }] }, 'touch a.txt'],
    [
      {
        type: 'addRules',
        rules: [
          { toolName: 'Bash', ruleContent: 'git init *' },
          { toolName: 'Read', ruleContent: '//tmp/**' },
        ],
      },
      'git init *\nRead(//tmp/**)',
    ],
    [
      { type: 'setMode', mode: 'acceptEdits' },
      'every edit of a file\nthe commands mkdir, touch, rm, rmdir, mv, cp and sed',
    ],
    [{ type: 'setMode', mode: 'bypassPermissions' }, undefined],
    [{ type: 'addDirectories', directories: ['/tmp'] }, 'every Bash'],
  ])('claude: its own suggestion %#', (suggestion, always) => {
    const request = { tool_name: 'Bash', permission_suggestions: [suggestion] };
    expect(byClaude(request).always).toBe(always);
  });

  it.each([
    ['item/commandExecution/requestApproval', { command: 'touch a' }, 'this exact command'],
    ['item/fileChange/requestApproval', {}, 'every edit of these files'],
    [
      'mcpServer/elicitation/request',
      {
        serverName: 'echo',
        message: 'Run tool "ping"?',
        _meta: { codex_approval_kind: 'mcp_tool_call', persist: ['session'] },
      },
      'every echo.ping',
    ],
  ])('codex: %s', (method, params, always) => {
    expect(readPermissionRequest({ id: 1, method, params }, new Map())?.always).toBe(always);
  });

  it.each([
    ['execute', 'touch a.txt', 'touch *'],
    ['execute', 'touch a.txt && rm b', undefined],
    ['execute', 'FOO=1 rm b', undefined],
    ['edit', 'Writing to w.txt', 'every edit of a file'],
    ['fetch', 'a page', undefined],
  ])('gemini: %s of "%s"', (kind, title, always) => {
    const options = [{ optionId: 'proceed_always', name: 'Allow for this session', kind: 'allow_always' }];
    expect(byGemini({ options, toolCall: { kind, title } }, 'a tool').always).toBe(always);
    expect(byGemini({ options: [], toolCall: { kind, title } }, 'a tool')).toEqual({});
  });

  it.each([
    ['bash', ['touch *', 'git init *'], 'touch *\ngit init *'],
    ['edit', ['*'], 'every edit of a file'],
    ['webfetch', ['*'], 'every webfetch'],
    ['bash', [], undefined],
    ['bash', ['rm\u001b[2J\n*'], 'rm␛[2J␊*'],
  ])('opencode: %s with the patterns %j', (permission, patterns, always) => {
    expect(byOpenCode({ permission, always: patterns }).always).toBe(always);
  });

  it('every rule is there in full, and none without anything to see (27.9)', () => {
    const rules = [`curl https://example.org/${'a'.repeat(300)}`, 'bash:*'];
    expect(byOpenCode({ permission: 'bash', always: rules }).always).toBe(rules.join('\n'));
    expect(byOpenCode({ permission: 'bash', always: ['ls *\u{e0041}\u200b'] }).always).toBe(
      'ls *[U+E0041][U+200B]',
    );
    expect(byOpenCode({ permission: 'bash', always: ['ls *', ' '] })).toEqual({});
    expect(
      byClaude({
        tool_name: 'Bash',
        permission_suggestions: [{ type: 'addRules', rules: [{ toolName: '', ruleContent: 'x' }] }],
      }),
    ).toEqual({});
  });

  it('"always" is no answer where its rules are unknown, or too many to be shown on every face (27.9)', () => {
    const options = ['allow', 'allow_always', 'deny'] as const;
    const asked = { type: 'permission_request', id: 'q', tool: 't', input: {}, options } as const;
    const offered = { ...asked, always: 'a'.repeat(400) };
    expect(withoutUnseenAlways(offered)).toEqual(offered);
    const without = { ...asked, options: ['allow', 'deny'] };
    expect(withoutUnseenAlways(asked)).toEqual(without);
    expect(withoutUnseenAlways({ ...asked, always: '' })).toEqual(without);
    expect(withoutUnseenAlways({ ...asked, always: 'a'.repeat(401) })).toEqual(without);
  });

  it('a confirmation offers no "always"', () => {
    const options = ['allow', 'allow_always', 'deny'] as const;
    const asked = { type: 'permission_request', id: 'q', tool: 't', input: {}, options } as const;
    expect(toBeConfirmed({ ...asked, always: 'x *' }, true)).toEqual({
      ...asked,
      options: ['allow', 'deny'],
      confirmation: true,
    });
  });
});
