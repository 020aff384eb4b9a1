import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MarkdownConfigLoader } from '../../../../src/gateway/persona/markdown-config-loader.js';
import { directoryWith, put } from '../temporary-directory.js';

const paths = (config: { parts: readonly { path: string }[] }) => config.parts.map(({ path }) => path);

describe('the files of a channel', () => {
  it('come in the documented order, those for all channels and those of the channel', async () => {
    const directory = await directoryWith({
      'memory.md': 'm',
      'agents.md': 'a',
      'tools.md': 't',
      'user.md': 'u',
      'soul.md': 's',
      'identity.md': 'i',
      'readme.md': 'not one of them',
      'channels/ops/soul.md': 'another soul',
      'channels/ops/channel.md': 'about ops',
      'channels/dev/user.md': 'of another channel',
    });
    const loader = new MarkdownConfigLoader(directory);
    const config = await loader.load('ops');
    expect(config.parts.map(({ path, text }) => [path, text])).toEqual([
      ['identity.md', 'i'],
      ['channels/ops/soul.md', 'another soul'],
      ['user.md', 'u'],
      ['tools.md', 't'],
      ['agents.md', 'a'],
      ['memory.md', 'm'],
      ['channels/ops/channel.md', 'about ops'],
    ]);
    expect(config.problems).toEqual([]);
    expect(paths(await loader.load('elsewhere'))).toEqual([
      'identity.md',
      'soul.md',
      'user.md',
      'tools.md',
      'agents.md',
      'memory.md',
    ]);
  });

  it('are read afresh each time', async () => {
    const directory = await directoryWith({ 'identity.md': 'one' });
    const loader = new MarkdownConfigLoader(directory);
    expect((await loader.load('c')).parts[0]?.text).toBe('one');
    await put(directory, 'identity.md', 'two');
    expect((await loader.load('c')).parts[0]?.text).toBe('two');
  });

  it('may all be missing, with their directory', async () => {
    const loader = new MarkdownConfigLoader(join(await directoryWith(), 'nowhere'));
    expect(await loader.load('c')).toEqual({ parts: [], settings: {}, problems: [], unusable: [] });
  });

  it('an empty file of a channel takes the general one away', async () => {
    const directory = await directoryWith({ 'soul.md': 'general', 'channels/c/soul.md': '' });
    const { parts } = await new MarkdownConfigLoader(directory).load('c');
    expect(parts).toMatchObject([{ path: 'channels/c/soul.md', text: '', bytes: 0 }]);
  });

  it('of a channel with any name stay inside of the directory', async () => {
    const directory = await directoryWith({
      'config/channels/%2E%2E/channel.md': 'dots',
      'config/channels/a%2F..%2Fb/channel.md': 'slashes',
      'channel.md': 'outside',
    });
    const loader = new MarkdownConfigLoader(join(directory, 'config'));
    expect((await loader.load('..')).parts[0]?.text).toBe('dots');
    expect((await loader.load('a/../b')).parts[0]?.text).toBe('slashes');
    for (const id of ['', '.', '../..', '/', '\0', 'x'.repeat(5000), '\ud800']) {
      expect(await loader.load(id)).toEqual({ parts: [], settings: {}, problems: [], unusable: [] });
    }
  });
});

describe('the settings of a channel', () => {
  it('come from its front matter, which is no part of the prompt', async () => {
    const directory = await directoryWith({
      'identity.md': '---\ntitle: of another program\n---\nI am.',
      'channels/ops/soul.md': '---\nmodel: small\nbackend: codex-cli\n---\nCalm.',
      'channels/ops/channel.md':
        '---\nmodel: large\ncwd: ../site\ntools: [Read, Edit]\nqueue: collect\npermission_mode: plan\n---\nOps.',
    });
    const config = await new MarkdownConfigLoader(directory).load('ops');
    expect(config.settings).toEqual({
      backend: 'codex',
      model: 'large',
      cwd: '../site',
      tools: ['Read', 'Edit'],
      queueMode: 'collect',
      permissionMode: 'plan',
    });
    expect(config.parts.map(({ text }) => text)).toEqual(['I am.', 'Calm.', 'Ops.']);
    expect(config.problems).toEqual([]);
  });

  it('may give tools in one line', async () => {
    const directory = await directoryWith({
      'channels/c/channel.md': '---\ntools: Read, Bash(git *),\n---\n',
    });
    expect((await new MarkdownConfigLoader(directory).load('c')).settings.tools).toEqual([
      'Read',
      'Bash(git *)',
    ]);
  });

  it.each([
    ['cwd', 'cwd'],
    ['workingDir', 'cwd'],
    ['working_dir', 'cwd'],
    ['working_directory', 'cwd'],
    ['queue', 'queueMode'],
    ['queueMode', 'queueMode'],
    ['queue_mode', 'queueMode'],
    ['permissionMode', 'permissionMode'],
  ])('may be called %s', async (key, name) => {
    const value = { cwd: '/srv', queueMode: 'collect', permissionMode: 'plan' }[name] ?? '';
    const directory = await directoryWith({ 'channels/c/channel.md': `---\n${key}: ${value}\n---\n` });
    const { settings, problems } = await new MarkdownConfigLoader(directory).load('c');
    expect(settings).toEqual({ [name]: value });
    expect(problems).toEqual([]);
  });

  it.each([
    ['high', 'high'],
    ['off', 'off'],
    ['4321', 4321],
  ])('may name a depth of thinking: %s (S3)', async (written, thinking) => {
    const directory = await directoryWith({ 'channels/c/channel.md': `---\nthinking: ${written}\n---\n` });
    const { settings, problems } = await new MarkdownConfigLoader(directory).load('c');
    expect([settings, problems]).toEqual([{ thinking }, []]);
  });

  it('has no depth of thinking that nobody knows', async () => {
    const directory = await directoryWith({ 'channels/c/channel.md': '---\nthinking: deeply\n---\n' });
    const { settings, problems } = await new MarkdownConfigLoader(directory).load('c');
    expect(settings).toEqual({});
    expect(problems).toEqual([expect.stringMatching(/line 2: thinking: expected one of off, low/)]);
  });

  it('has no option of a CLI for a model', async () => {
    const directory = await directoryWith({ 'channels/c/channel.md': '---\nmodel: --mcp-config=/x\n---\n' });
    const { settings, problems } = await new MarkdownConfigLoader(directory).load('c');
    expect(settings).toEqual({});
    expect(problems).toEqual([expect.stringMatching(/line 2: model: .*does not begin with "-"/)]);
  });

  it('a misspelt backend is told with the one that may have been meant', async () => {
    const directory = await directoryWith({ 'channels/c/channel.md': '---\nbackend: gemeni\n---\n' });
    const { problems } = await new MarkdownConfigLoader(directory).load('c');
    expect(problems).toEqual([expect.stringMatching(/not "gemeni"; did you mean gemini\?$/)]);
  });

  it('that are wrong are named, the others hold', async () => {
    const directory = await directoryWith({
      'channels/c/channel.md':
        '---\nbackend: gpt\nmodel: [5]\ntools: []\nqueue: fast\npermission_mode: none\ncwd: /srv\nfoo: 1\n---\nBody',
    });
    const config = await new MarkdownConfigLoader(directory).load('c');
    expect(config.settings).toEqual({ cwd: '/srv' });
    expect(config.parts[0]?.text).toBe('Body');
    expect(config.problems).toEqual([
      'channels/c/channel.md line 2: backend: expected one of claude, codex, gemini, opencode, not "gpt"',
      "channels/c/channel.md line 3: model: expected the model's name",
      'channels/c/channel.md line 4: tools: expected a list of tool names; leave it out to allow all',
      'channels/c/channel.md line 5: queue: expected one of queue, interrupt, collect, steer, not "fast"',
      'channels/c/channel.md line 6: permission_mode: expected one of bypass, ask, edits, plan, not "none"',
      'channels/c/channel.md line 8: unknown key "foo"; expected backend, model, thinking, cwd, tools, queue, permission_mode',
    ]);
  });
});

describe('what a turn must not be run without', () => {
  const unusable = async (files: Record<string, string | Uint8Array>) =>
    (await new MarkdownConfigLoader(await directoryWith(files)).load('c')).unusable;
  const path = 'channels/c/channel.md';

  it.each([
    ['tools', 'tools: {a: b}'],
    ['no tools', 'tools: []'],
    ['a mode', 'permission_mode: plann'],
    ['a directory', 'cwd: [a]'],
    ['front matter that is no mapping', '- plan'],
    ['front matter that is no YAML', 'tools: [Read'],
    ['a key given twice', 'tools: [Read]\ntools: [Edit]'],
    ['a key given twice, under two names', 'tools: [Read]\nallowed_tools: [Edit]'],
  ])('%s', async (_what, lines) => {
    expect(await unusable({ [path]: `---\n${lines}\n---\nBody` })).toEqual([expect.stringContaining(path)]);
  });

  it.each(['tool', 'tolls', 'toolz', 'permission', 'permissions', 'permision_mode', 'premission_mode'])(
    'a key that seems to be meant for one: %s',
    async (key) => {
      expect(await unusable({ [path]: `---\n${key}: plan\n---\n` })).toHaveLength(1);
    },
  );

  it('a file of the channel that can not be read', async () => {
    expect(await unusable({ [path]: Buffer.from('\uFEFF---\ntools: [Read]\n---', 'utf16le') })).toHaveLength(
      1,
    );
    expect(await unusable({ 'channels/c/soul.md/x': 'a directory' })).toHaveLength(1);
    expect(await unusable({ 'channels/c': 'a file' })).toHaveLength(1);
    const directory = await directoryWith({ 'channels/c/soul.md': 'x' });
    symlinkSync(join(directory, 'gone'), join(directory, path));
    expect((await new MarkdownConfigLoader(directory).load('c')).unusable).toEqual([
      `${path}: is a link to a file that is not there`,
    ]);
  });

  it('any other mistake: nobody knows what was meant', async () => {
    const lines = 'backend: gpt\nmodel: [5]\nqueue: fast\ntitle: x\n';
    expect(await unusable({ [path]: `---\n${lines}---\n` })).toHaveLength(4);
  });
});

describe('a file', () => {
  const load = async (content: string | Uint8Array, fileBytes?: number) => {
    const directory = await directoryWith({ 'identity.md': content });
    const loader = new MarkdownConfigLoader(directory, fileBytes === undefined ? {} : { fileBytes });
    const config = await loader.load('c');
    return { ...config, part: config.parts[0] };
  };
  const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

  it('is known by its hash and size', async () => {
    const { part } = await load('I am Kit. ä\n');
    expect(part).toEqual({
      path: 'identity.md',
      text: 'I am Kit. ä',
      sha256: sha256('I am Kit. ä\n'),
      bytes: 13,
      truncated: false,
    });
  });

  it('may have a BOM and the line ends of Windows', async () => {
    expect((await load('\uFEFF---\r\na: b\r\n---\r\nOne\r\nTwo\r\n')).part?.text).toBe('One\nTwo');
  });

  it('in another encoding is named, or comes with marks where it is not UTF-8', async () => {
    expect((await load(Buffer.from('\uFEFFhello', 'utf16le'))).problems).toEqual([
      'identity.md: is UTF-16; expected UTF-8',
    ]);
    expect((await load(Buffer.from([0x61, 0xff, 0x62, 0]))).part?.text).toBe('a\uFFFDb\uFFFD');
  });

  it('over the limit is cut between two characters, and says so', async () => {
    const { part } = await load('ä'.repeat(100), 101);
    expect(part?.text).toBe(`${'ä'.repeat(50)}\n\n[identity.md was cut here: 101 of 200 bytes shown]`);
    expect(part).toMatchObject({
      truncated: true,
      bytes: 200,
      sha256: sha256(Buffer.from('ä'.repeat(100)).subarray(0, 101)),
    });
    expect((await load('x'.repeat(101), 101)).part).toMatchObject({
      truncated: false,
      text: 'x'.repeat(101),
    });
    expect((await load('x'.repeat(40_000))).part?.text).toContain('cut here: 32,768 of 40,000 bytes shown]');
  });

  it('of a gigabyte costs no gigabyte', async () => {
    const directory = await directoryWith({ 'identity.md': 'text' });
    truncateSync(join(directory, 'identity.md'), 1024 ** 3);
    const before = process.memoryUsage().rss;
    const { parts } = await new MarkdownConfigLoader(directory).load('c');
    expect(parts[0]).toMatchObject({ bytes: 1024 ** 3, truncated: true });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2);
  });

  it.skipIf(process.platform === 'win32')('that is none is named, and nothing waits for it', async () => {
    const directory = await directoryWith({ 'user.md': 'Ann', 'secret.txt': 'linked' });
    mkdirSync(join(directory, 'soul.md'));
    execFileSync('mkfifo', [join(directory, 'identity.md')]);
    symlinkSync('/dev/zero', join(directory, 'memory.md'));
    symlinkSync(join(directory, 'secret.txt'), join(directory, 'tools.md'));
    symlinkSync(join(directory, 'gone'), join(directory, 'agents.md'));
    const config = await new MarkdownConfigLoader(directory).load('c');
    expect(paths(config)).toEqual(['user.md', 'tools.md']);
    expect(config.problems).toEqual([
      'identity.md: is not a regular file',
      'soul.md: is a directory; expected a file',
      'memory.md: is not a regular file',
    ]);
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'that may not be read is named',
    async () => {
      const directory = await directoryWith({ 'identity.md': 'x', 'user.md': 'Ann' });
      chmodSync(join(directory, 'identity.md'), 0);
      const config = await new MarkdownConfigLoader(directory).load('c');
      expect(config.problems).toEqual(['identity.md: could not be read (EACCES)']);
      expect(paths(config)).toEqual(['user.md']);
    },
  );

  it('in place of a directory is named', async () => {
    const directory = await directoryWith({ 'channels/c': 'a file' });
    const { problems } = await new MarkdownConfigLoader(directory).load('c');
    expect(problems).toEqual(['channels/c: could not be listed (ENOTDIR)']);
  });
});
