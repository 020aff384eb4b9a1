import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  askedVersion,
  compareVersions,
  installedVersion,
  isAtLeast,
  printedVersion,
  versionIn,
} from '../../../../src/backends/launch/cli-version.js';
import { within } from '../../../../src/core/wait.js';
import { it, type Stage } from '../../../contract/stage.js';

describe('the version of a CLI, without a start of it', () => {
  it('is that of its npm package, behind the link on PATH', async ({ stage }) => {
    const program = put(stage, 'lib/node_modules/@openai/codex/bin/codex.js');
    manifest(stage, 'lib/node_modules/@openai/codex', '@openai/codex', '0.166.0');
    mkdirSync(stage.path('bin'));
    symlinkSync(program, stage.path('bin/codex'));
    expect(await installedVersion(stage.path('bin/codex'), '@openai/codex')).toBe('0.166.0');
  });

  it.for([
    ['@openai/codex', 'vendor/x86_64-unknown-linux-musl/bin/codex', '0.166.0-linux-x64', '0.166.0'],
    ['@anthropic-ai/claude-code', 'claude', '2.1.325', '2.1.325'],
  ] as const)(
    'is that of the package of a native binary: %s',
    async ([name, file, version, read], { stage }) => {
      const program = put(stage, `node_modules/${name}-linux-x64/${file}`);
      manifest(stage, `node_modules/${name}-linux-x64`, name, version);
      expect(await installedVersion(program, name)).toBe(read);
    },
  );

  it.for([
    ['.local/share/claude/versions/2.1.325', 'claude', '2.1.325'],
    ['opt/homebrew/Caskroom/claude-code/2.1.300/claude', 'claude', '2.1.300'],
    ['opt/homebrew/Cellar/codex/0.166.0/bin/codex', 'codex', '0.166.0'],
  ] as const)('is in the path of other installers: %s', async ([path, command, version], { stage }) => {
    const program = put(stage, path);
    mkdirSync(stage.path('on-path'));
    symlinkSync(program, stage.path(`on-path/${command}`));
    expect(await installedVersion(stage.path(`on-path/${command}`), '@some/package')).toBe(version);
  });

  it('is not known from another package, from the version of something else, or of what is not there', async ({
    stage,
  }) => {
    const wrapper = put(stage, 'project/bin/claude');
    manifest(stage, 'project', 'my-project', '1.2.3');
    expect(await installedVersion(wrapper, '@anthropic-ai/claude-code')).toBeUndefined();
    const shim = put(stage, 'mise/installs/node/22.1.0/bin/claude');
    expect(await installedVersion(shim, '@anthropic-ai/claude-code')).toBeUndefined();
    expect(await installedVersion(stage.path('missing'), '@anthropic-ai/claude-code')).toBeUndefined();
    const broken = put(stage, 'broken/claude');
    writeFileSync(stage.path('broken/package.json'), 'no JSON');
    expect(await installedVersion(broken, '@anthropic-ai/claude-code')).toBeUndefined();
    const other = put(stage, 'other/claude');
    manifest(stage, 'other', '@anthropic-ai/claude-code-wrapper', '1.2.3');
    expect(await installedVersion(other, '@anthropic-ai/claude-code')).toBeUndefined();
  });

  it('is not waited for where the manifest is a FIFO, nor read from a huge one', async ({ stage }) => {
    const piped = put(stage, 'piped/claude');
    execFileSync('mkfifo', [stage.path('piped/package.json')]);
    const asked = Array.from({ length: 5 }, () => installedVersion(piped, '@anthropic-ai/claude-code'));
    try {
      expect(await within(2000, Promise.all(asked))).toEqual(asked.map(() => undefined));
    } finally {
      // A writer for each reader that waits: else the test's own process could not end.
      const { O_RDWR, O_NONBLOCK } = constants;
      closeSync(openSync(stage.path('piped/package.json'), O_RDWR | O_NONBLOCK));
    }
    const huge = put(stage, 'huge/claude');
    manifest(stage, 'huge', '@anthropic-ai/claude-code', '2.1.325', ' '.repeat(1024 * 1024));
    expect(await installedVersion(huge, '@anthropic-ai/claude-code')).toBeUndefined();
  });

  it.for(['1.0.0\u001b[31m\nEVIL', 'banana', '', '1.0', `1.0.0-${'x'.repeat(100)}`])(
    'is not known from a manifest with the version %j',
    async (version, { stage }) => {
      const program = put(stage, 'package/claude');
      manifest(stage, 'package', '@anthropic-ai/claude-code', version);
      expect(await installedVersion(program, '@anthropic-ai/claude-code')).toBeUndefined();
    },
  );

  it('is in the path, whatever the manifest says', async ({ stage }) => {
    const program = put(stage, 'Cellar/codex/0.166.0/bin/codex');
    writeFileSync(stage.path('Cellar/codex/0.166.0/package.json'), 'no JSON');
    expect(await installedVersion(program, '@openai/codex')).toBe('0.166.0');
  });
});

describe('the version that a CLI says', () => {
  it.each([
    ['2.1.325 (Claude Code)', '2.1.325'],
    ['codex-cli 0.166.0', '0.166.0'],
    ['0.61.0', '0.61.0'],
    ['1.18.33', '1.18.33'],
    ['0.62.0-nightly.20260101.abc', '0.62.0-nightly.20260101.abc'],
    ['turnout/0.130.0 (Debian 12.0.0; x86_64) unknown (turnout; 0)', '0.130.0'],
    ['no version', undefined],
    ['127.0.0.1', undefined],
  ])('in %s', (printed, version) => expect(versionIn(printed)).toBe(version));

  it('is asked for each time: a wrapper stays the same when the CLI behind it is another one', async ({
    stage,
  }) => {
    stage.program('new', 'echo "2.1.325 (Claude Code)"');
    stage.program('old', 'echo "2.1.286 (Claude Code)"');
    stage.write('current', stage.path('new'));
    const command = stage.program('shim', `exec "$(cat '${stage.path('current')}')" "$@"`);
    const ask = () => askedVersion({ command, env: commandPath, timeoutMs: 10_000 });
    expect(await ask()).toBe('2.1.325');
    stage.write('current', stage.path('old'));
    expect(await ask()).toBe('2.1.286');
  });

  it('is asked for again after a failure', async ({ stage }) => {
    const command = stage.program('agent', '[ -e "$0.ready" ] || exit 1; echo 2.1.325');
    const ask = () => askedVersion({ command, env: {}, timeoutMs: 10_000 });
    expect(await ask()).toBeUndefined();
    stage.write('agent.ready', '');
    expect(await ask()).toBe('2.1.325');
  });

  it('is not waited for when the turn is stopped', async ({ stage }) => {
    const command = stage.program('agent', 'exec sleep 60');
    const stop = new AbortController();
    const asked = askedVersion({ command, env: commandPath, timeoutMs: 60_000, signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    expect(await within(4000, asked)).toBeUndefined();
    expect(
      await askedVersion({ command, env: commandPath, timeoutMs: 60_000, signal: stop.signal }),
    ).toBeUndefined();
  });

  it.for([
    ['lines', 'yes 0123456789'],
    ['one line', 'yes 0123456789 | tr -d "\\n"'],
  ] as const)(
    'is found in front of endless output, which is not read: %s',
    async ([, endless], { stage }) => {
      const command = stage.program('agent', `echo "2.1.325 (Claude Code)"; ${endless}`);
      const before = process.memoryUsage().rss;
      const asked = printedVersion({ command, env: commandPath, timeoutMs: 60_000 });
      expect(await within(5000, asked)).toBe('2.1.325 (Claude Code)');
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    },
  );

  it('is told without control characters, and cut', async ({ stage }) => {
    const command = stage.program('agent', `printf '1.0.0 \\033[31mred%0300d\\n' 0`);
    const told = await printedVersion({ command, env: {}, timeoutMs: 10_000 });
    expect(told).toMatch(/^1\.0\.0 \[31mred0+$/);
    expect(told.length).toBeLessThanOrEqual(200);
  });

  it('is not known of a program that fails or says nothing', async ({ stage }) => {
    for (const script of ['exit 1', 'echo hello']) {
      const command = stage.program(`agent-${script.length}`, script);
      expect(await askedVersion({ command, env: {}, timeoutMs: 10_000 })).toBeUndefined();
    }
  });
});

describe('the order of versions', () => {
  it('is that of numbers; a version before a release comes before it', () => {
    const sorted = ['0.9.9', '0.61.0-nightly.1', '0.61.0', '2.1.99', '2.1.300'];
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
    expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
    expect(isAtLeast('2.1.300', '2.1.300')).toBe(true);
    expect(isAtLeast('2.1.299', '2.1.300')).toBe(false);
    expect(isAtLeast(undefined, '0.0.0')).toBe(false);
  });
});

const commandPath = { PATH: '/usr/bin:/bin' };

function put(stage: Stage, path: string): string {
  mkdirSync(dirname(stage.path(path)), { recursive: true });
  writeFileSync(stage.path(path), '#!/bin/sh\n', { mode: 0o755 });
  return stage.path(path);
}

function manifest(stage: Stage, directory: string, name: string, version: string, more = ''): void {
  writeFileSync(stage.path(join(directory, 'package.json')), JSON.stringify({ name, version }) + more);
}
