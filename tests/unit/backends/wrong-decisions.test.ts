import { describe, expect, it } from 'vitest';
import { permissionResult } from '../../../src/backends/claude/live/permissions.js';
import { readPermissionRequest } from '../../../src/backends/codex/live/permissions.js';
import { chooseOption } from '../../../src/backends/gemini/live/permissions.js';
import { PendingPermissions } from '../../../src/backends/opencode/live/permissions.js';
import { checkDecision } from '../../../src/backends/output/permission-request.js';
import type { PermissionDecision } from '../../../src/core/chat-event.js';

const wrong = ['no', 'Deny', 'ALLOW', '', undefined, null, true, 1, {}, ['allow']];
const passed = (value: unknown) => value as PermissionDecision;

describe('a decision that is none of the three allows nothing (18.9)', () => {
  it.each(wrong)('%j is refused by name', (value) => {
    expect(() => checkDecision(value, ['allow', 'deny'])).toThrow(
      expect.objectContaining({ code: 'bad_request', hint: 'Answer with "allow" or "deny".' }),
    );
  });

  it('a decision that this request does not offer is refused too', () => {
    expect(() => checkDecision('allow_always', ['allow', 'deny'])).toThrow('"allow_always" is no answer');
    expect(() => checkDecision('deny', ['allow', 'deny'])).not.toThrow();
  });

  it.each(wrong)('claude denies with %j', (value) => {
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: {} };
    expect(permissionResult(request, { decision: passed(value) })).toMatchObject({ behavior: 'deny' });
    const hook = { subtype: 'hook_callback', callback_id: 'turnout-confirm', input: {} };
    expect(permissionResult(hook, { decision: passed(value) })).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  it.each(wrong)('codex declines with %j', (value) => {
    const reply = (method: string, params: object) =>
      readPermissionRequest({ id: 1, method, params }, new Map())?.reply(passed(value));
    expect(reply('item/commandExecution/requestApproval', { command: 'ls' })).toEqual({
      decision: 'decline',
    });
    expect(reply('item/permissions/requestApproval', { permissions: { network: true } })).toEqual({
      permissions: {},
      scope: 'turn',
    });
    const call = { serverName: 's', _meta: { codex_approval_kind: 'mcp_tool_call', persist: ['session'] } };
    expect(reply('mcpServer/elicitation/request', call)).toMatchObject({ action: 'decline', content: null });
  });

  it.each(wrong.filter((value) => value !== undefined))('gemini rejects with %j', (value) => {
    const kinds = ['allow_once', 'allow_always', 'reject_once'];
    const options = kinds.map((kind) => ({ optionId: kind, kind, name: kind }));
    expect(chooseOption({ options }, passed(value))).toEqual({
      outcome: { outcome: 'selected', optionId: 'reject_once' },
    });
  });

  it.each(wrong)('opencode rejects with %j', (value) => {
    const permissions = new PendingPermissions();
    permissions.add({ id: 'p', permission: 'bash', always: ['ls'] }, false);
    expect(permissions.answer('p', { decision: passed(value) })).toMatchObject([
      { id: 'p', body: { reply: 'reject' } },
    ]);
  });
});
