import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MarkdownConfigLoader } from '../../../../src/gateway/persona/markdown-config-loader.js';
import { directoryWith } from '../temporary-directory.js';

// A restriction that somebody wrote down holds, or no turn is run. It is never dropped in silence.

type Files = Record<string, string | Uint8Array>;

const plan = '---\npermission_mode: plan\n---\nBody\n';
const path = 'channels/ops/channel.md';

async function outcome(files: Files, channel = 'ops'): Promise<'plan' | 'no turn' | 'FAILS OPEN'> {
  const config = await new MarkdownConfigLoader(await directoryWith(files)).load(channel);
  if (config.unusable.length > 0) return 'no turn';
  return config.settings.permissionMode === 'plan' ? 'plan' : 'FAILS OPEN';
}

describe('a channel’s restriction holds, or no turn is run', () => {
  it.each<[string, string | Uint8Array, 'plan' | 'no turn']>([
    ['a blank line in front', `\n${plan}`, 'plan'],
    ['blanks and blank lines in front', ` \n\t\n  ${plan}`, 'plan'],
    ['a BOM', `\uFEFF${plan}`, 'plan'],
    ['a BOM behind a blank line', `\n\uFEFF${plan}`, 'plan'],
    ['an invisible character in front', `\u200B${plan}`, 'plan'],
    ['the line ends of Windows', plan.replaceAll('\n', '\r\n'), 'plan'],
    ['the line ends of an old Mac', plan.replaceAll('\n', '\r'), 'plan'],
    ['blanks behind the dashes', '--- \npermission_mode: plan\n---\t\nBody', 'plan'],
    ['a tab for a blank', '---\npermission_mode:\tplan\n---\n', 'plan'],
    ['a tab in front', '---\n\tpermission_mode: plan\n---\n', 'no turn'],
    ['blanks in front of all lines', '  ---\n  permission_mode: plan\n  ---\n', 'no turn'],
    ['a comment in front', `# settings\n${plan}`, 'no turn'],
    ['an HTML comment in front', `<!-- settings -->\n${plan}`, 'no turn'],
    ['a heading in front', `# Operations\n\n${plan}`, 'no turn'],
    ['text in front', `This is the yard.\n\n${plan}`, 'no turn'],
    ['a comment behind the dashes', '--- # settings\npermission_mode: plan\n---\n', 'no turn'],
    ['four dashes', '----\npermission_mode: plan\n----\n', 'no turn'],
    ['long dashes', '———\npermission_mode: plan\n———\n', 'no turn'],
    ['no dashes', 'permission_mode: plan\n\nBody', 'no turn'],
    ['no dashes, other words first', 'backend: claude\npermission_mode: plan\n', 'no turn'],
    ['tools without dashes', 'tools: [Read]\n', 'no turn'],
    ['only the second dashes', 'permission_mode: plan\n---\nBody', 'no turn'],
    ['only the first dashes', '---\npermission_mode: plan\n\nBody', 'no turn'],
    ['a fence of code', '```yaml\npermission_mode: plan\n```\n', 'no turn'],
    ['tools in a fence of code', '# Yard\n```\ntools: [Read]\n```\n', 'no turn'],
    ['TOML', '+++\npermission_mode = "plan"\n+++\n', 'no turn'],
    ['JSON', '{ "backend": "claude", "permission_mode": "plan" }\n', 'no turn'],
    ['an empty front matter before it', `---\n---\n${plan}`, 'no turn'],
    ['another front matter before it', `---\nmodel: x\n---\n${plan}`, 'no turn'],
    ['a list', '- permission_mode: plan\n', 'no turn'],
    ['a table', '# Ops\n\n| Setting | Value |\n|---|---|\n| permission_mode | plan |\n', 'no turn'],
    ['a table with keys above', '| Model | **Permission Mode** |\n|---|---|\n| x | plan |\n', 'no turn'],
    ['a table of another setting', '| Setting | Value |\n| --- | --- |\n| `tools` | Read |\n', 'no turn'],
    ['a table without pipes at its sides', 'key | value\n--- | ---\nallowed tools | Read\n', 'no turn'],
    ['a table behind the text', 'Hi.\n\n| a | b |\n|---|---|\n| permission mode | plan |\n', 'no turn'],
    ['bold', '**Permission mode:** plan\n', 'no turn'],
    ['UTF-16', Buffer.from(`\uFEFF${plan}`, 'utf16le'), 'no turn'],
    ['UTF-16 without its mark', Buffer.from(plan, 'utf16le'), 'no turn'],
    ['a unicode line separator', '---\u2028permission_mode: plan\u2028---\u2028', 'no turn'],
    ['more than the limit, and the settings at the end', `${'x\n'.repeat(20_000)}${plan}`, 'no turn'],
    [
      'more than the limit of settings',
      `---\n${'# x\n'.repeat(10_000)}permission_mode: plan\n---\n`,
      'no turn',
    ],
    ['more than the limit of text', `${plan}${'x\n'.repeat(20_000)}`, 'plan'],
  ])(
    'the form of the file: %s [fault 13.7: settings that are not where they are read]',
    async (_, text, expected) => {
      expect(await outcome({ [path]: text })).toBe(expected);
    },
  );

  it.each<[string, 'plan' | 'no turn']>([
    ['permission_mode: plan', 'plan'],
    ['permission-mode: plan', 'plan'],
    ['permissionMode: plan', 'plan'],
    ['Permission_Mode: plan', 'plan'],
    ['PERMISSION_MODE: plan', 'plan'],
    ['permission mode: plan', 'plan'],
    ['"permission_mode": "plan"', 'plan'],
    ['x: &p plan\npermission_mode: *p', 'no turn'],
    ['permission_mode: &p plan\nmodel: *p', 'plan'],
    ['<<: {permission_mode: plan}', 'no turn'],
    ['permission_mode: plan # read only', 'plan'],
    ['permission_mode: Plan', 'no turn'],
    ['permission_mode: read-only', 'no turn'],
    ['permission_mode: [plan]', 'no turn'],
    ['permission_mode:', 'no turn'],
    ['permission_mode: ~', 'no turn'],
    ['permission_mode: bypass\npermission_mode: plan', 'no turn'],
    ['permission_mode: bypass\npermissionMode: plan', 'no turn'],
    ['permission_mod: plan', 'no turn'],
    ['mode: plan', 'no turn'],
    ['readonly: true', 'no turn'],
    ['sandbox: strict', 'no turn'],
    ['settings:\n  permission_mode: plan', 'no turn'],
    ['tools:', 'no turn'],
    ['tools: []', 'no turn'],
    ['backend: claud\npermission_mode: plan', 'no turn'],
  ])('the key: %s [fault 13.7: a key that is not known]', async (lines, expected) => {
    expect(await outcome({ [path]: `---\n${lines}\n---\nBody` })).toBe(expected);
  });

  it.each([
    'Channel.md',
    'CHANNEL.md',
    'channel.MD',
    'channel.markdown',
    'channel.md.txt',
    'channel.txt',
    'channel',
    'channel.yaml',
    'channels.md',
    'chanel.md',
    ' channel.md',
    'channel.md ',
    '.channel.md',
    'channel.md.bak',
    'config.md',
    'Soul.md',
  ])('the name of the file: %j [fault 13.7: another spelling of channel.md]', async (name) => {
    expect(await outcome({ [`channels/ops/${name}`]: plan })).toBe('no turn');
  });

  it.each([
    ['a file for the directory', 'channels/ops.md', 'ops'],
    ['another case', 'channels/Ops/channel.md', 'ops'],
    ['another case of an encoded id', 'channels/team%2fops/channel.md', 'team/ops'],
    ['an id that is not encoded', 'channels/team/ops/channel.md', 'team/ops'],
    ['another case of channels/', 'Channels/ops/channel.md', 'ops'],
    ['channel/ for channels/', 'channel/ops/channel.md', 'ops'],
    ['no directory at all', 'channel.md', 'ops'],
    ['the settings of all channels', 'soul.md', 'ops'],
  ])(
    'the place of the file: %s [fault 13.7: another spelling of the channel’s directory]',
    async (_, file, channel) => {
      expect(await outcome({ [file]: plan }, channel)).toBe('no turn');
    },
  );

  it('what is no file, and what can’t be read', async () => {
    const open = async (make: (directory: string) => void) => {
      const directory = await directoryWith({ 'channels/ops/soul.md': 'x' });
      make(directory);
      return (await new MarkdownConfigLoader(directory).load('ops')).unusable;
    };
    expect(await open((at) => mkdirSync(join(at, path)))).toEqual([
      `${path}: is a directory; expected a file`,
    ]);
    expect(await open((at) => symlinkSync('/dev/null', join(at, path)))).toEqual([
      `${path}: is not a regular file`,
    ]);
    expect(await open((at) => symlinkSync('gone', join(at, path)))).toHaveLength(1);
    const dangling = (at: string) => {
      rmSync(join(at, 'channels/ops'), { recursive: true });
      symlinkSync('gone', join(at, 'channels/ops'));
    };
    expect(await open(dangling)).toEqual(['channels/ops: is a link to a directory that is not there']);
    const linked = await directoryWith({ [path]: '', 'elsewhere.md': plan });
    rmSync(join(linked, path));
    symlinkSync(join(linked, 'elsewhere.md'), join(linked, path));
    expect((await new MarkdownConfigLoader(linked).load('ops')).settings).toEqual({ permissionMode: 'plan' });
  });

  it.skipIf(process.getuid?.() === 0)('a file without the right to read it', async () => {
    const directory = await directoryWith({ [path]: plan });
    chmodSync(join(directory, path), 0);
    expect((await new MarkdownConfigLoader(directory).load('ops')).unusable).toHaveLength(1);
  });

  it('CONFIG_DIR that was there and is gone [fault 13.7: CONFIG_DIR is unmounted]', async () => {
    const directory = await directoryWith({ [path]: plan });
    const loader = new MarkdownConfigLoader(directory);
    expect((await loader.load('ops')).settings).toEqual({ permissionMode: 'plan' });
    renameSync(directory, `${directory}-away`);
    expect((await loader.load('ops')).unusable).toEqual([
      'CONFIG_DIR: is gone; it was there when this gateway last looked',
    ]);
    renameSync(`${directory}-away`, directory);
    expect((await loader.load('ops')).unusable).toEqual([]);
  });
});

describe('what is no restriction costs no turn', () => {
  it.each<[string, Files]>([
    ['no files', {}],
    ['other channels', { 'channels/dev/channel.md': '---\nfoo: 1\n---\n', 'channels/OTHER/x': '' }],
    [
      'prose and rules',
      { [path]: '# Yard\n\nBe kind.\n\n---\n\nTools: prefer rg.\n\n---\nAsk first: always.\n' },
    ],
    ['tools of the trade', { 'channels/ops/tools.md': 'Tools: rg, fd\n' }],
    ['another program’s front matter for all', { 'identity.md': '---\nname: Kit\ndescription: x\n---\nHi' }],
    ['a text about modes', { 'memory.md': 'permission_mode: plan is what Ann likes.\n' }],
    ['an empty directory', { 'channels/ops/notes/x.md': plan }],
    [
      'what an editor leaves',
      { [path]: 'Body', 'channels/ops/.channel.md.swp': 'b0VIM', [`${path}~`]: plan, [`${path}.bak`]: plan },
    ],
  ])('%s', async (_, files) => {
    const { unusable } = await new MarkdownConfigLoader(await directoryWith(files)).load('ops');
    expect(unusable).toEqual([]);
  });

  it('a mode that is set properly may be talked about', async () => {
    const text = `${plan}permission_mode: plan means that nothing is changed.\n`;
    expect(await outcome({ [path]: text })).toBe('plan');
  });
});
