import { describe, expect, it } from 'vitest';
import type { PermissionMode } from '../../../../src/core/permission-mode.js';
import { keepRestrictions } from '../../../../src/orchestra/agents/keep-restrictions.js';

const agent = { name: 'a', source: '.turnout/agents/a.md' };

describe('an agent file under what the person has set (27.9)', () => {
  it.each<[PermissionMode | undefined, PermissionMode | undefined, PermissionMode | undefined, boolean]>([
    // set, asked for, used, told
    [undefined, 'bypass', 'bypass', false],
    [undefined, undefined, undefined, false],
    ['plan', undefined, 'plan', false],
    ['plan', 'bypass', 'plan', true],
    ['plan', 'ask', 'plan', true],
    ['ask', 'edits', 'ask', true],
    ['ask', 'plan', 'plan', false],
    ['edits', 'bypass', 'edits', true],
    ['edits', 'plan', 'plan', false],
    ['bypass', 'plan', 'plan', false],
    ['bypass', 'bypass', 'bypass', false],
  ])('PERMISSION_MODE=%s, and the agent asks for %s: %s', (set, asked, used, told) => {
    const kept = keepRestrictions(
      { ...agent, ...(asked === undefined ? {} : { permissionMode: asked }) },
      set === undefined ? {} : { permissionMode: set },
      'flag',
    );
    expect(kept.permissionMode).toBe(used);
    expect(kept.warnings).toEqual(
      told
        ? [
            `PERMISSION_MODE=${set} is kept: the agent a (.turnout/agents/a.md) asks for "${asked}", which allows more. To allow it: --permission-mode ${asked}`,
          ]
        : [],
    );
  });

  it.each<[string, string | undefined, string | undefined, string | undefined, string | undefined]>([
    ['nothing set', undefined, 'Bash', 'Bash', undefined],
    ['nothing asked for', 'Read', undefined, undefined, undefined],
    ['less', 'Read Grep', 'Read', 'Read', undefined],
    ['another one: the person’s stay', 'Read', 'Bash', 'Read', 'Bash'],
    ['one more: what both allow', 'Read Grep', 'Bash Read', 'Read', 'Bash'],
    ['a rule within a tool', 'Bash', 'Bash(ls)', 'Bash(ls)', undefined],
    ['a tool in place of its rule', 'Bash(ls) Read', 'Bash', 'Bash(ls)', 'Bash'],
    ['a tool of a server', 'mcp__s', 'mcp__s__t', 'mcp__s__t', undefined],
    ['a tool whose name only begins so', 'Read mcp__s', 'ReadAll mcp__st', 'Read mcp__s', 'ReadAll, mcp__st'],
  ])('%s', (_, set, asked, used, more) => {
    const words = (list: string | undefined) => list?.split(' ');
    const [limit, wanted] = [words(set), words(asked)];
    const kept = keepRestrictions(
      { ...agent, ...(wanted === undefined ? {} : { allowedTools: wanted }) },
      limit === undefined ? {} : { allowedTools: limit },
      'environment',
    );
    expect(kept.allowedTools).toEqual(words(used));
    expect(kept.warnings).toEqual(
      more === undefined
        ? []
        : [
            `ALLOWED_TOOLS=${limit} is kept: the agent a (.turnout/agents/a.md) asks for ${more} as well. To allow it: ALLOWED_TOOLS="${wanted}"`,
          ],
    );
  });

  it('a word that holds two tools is within none', () => {
    const both = { ...agent, allowedTools: ['Bash(ls) Write'] };
    expect(keepRestrictions(both, { allowedTools: ['Bash'] }, 'flag').allowedTools).toEqual(['Bash']);
  });
});
