import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import type { BackendAdapterConfig, RunRequest } from '../../../src/backends/types.js';
import { codexSdkAdapter } from '../../../src/runner/codex-sdk.js';
import { collect } from '../../contract/backend-contract.js';
import { it, type Stage } from '../../contract/stage.js';

describe('codex-sdk', () => {
  it('that is not installed is told before anything starts, with the command that installs it (O2, O10)', async ({
    stage,
  }) => {
    const adapter = codexSdkAdapter(stage.config('replay.sh'), [stage.path('package.json')]);
    expect(await adapter.validate()).toBe(false);
    expect(await collect(adapter.run({ prompt: 'hi' }))).toMatchObject([
      {
        type: 'error',
        code: 'not_installed',
        message: expect.stringContaining('npm install @openai/codex-sdk'),
      },
    ]);
    await expect(adapter.locate()).rejects.toMatchObject({ code: 'not_installed' });
  });

  it.for([
    ['is too old', '0.100.0', 'export class Codex {}', 'The Codex SDK 0.100.0 in .* is too old'],
    ['is broken', '0.163.0', 'export class {', "The Codex SDK 0.163.0 can't be loaded"],
    ['is another package', '9.0.0', 'export const x = 1;', 'The Codex SDK 9.0.0 has no class Codex'],
    [
      'starts nothing',
      '0.163.0',
      'export class Codex { startThread() { return { runStreamed: async () => ({ events: (async function* () { yield {}; })() }) }; } }',
      'could not start .*: it started no process',
    ],
  ] as const)('that %s is told (O10)', async ([, version, code, message], { stage }) => {
    const events = await collect(withSdk(stage, version, code).run({ prompt: 'hi' }));
    expect(events.at(-1)).toMatchObject({ type: 'error', message: expect.stringMatching(message) });
  });

  it.for<readonly [string, Partial<RunRequest>, Partial<BackendAdapterConfig>, string]>([
    ['raw arguments', { rawArgs: ['--x'] }, {}, 'codex-sdk does not support rawArgs'],
    ['a limit of turns', { maxTurns: 3 }, {}, 'codex-sdk does not support maxTurns'],
    ['the mode ask', { permissionMode: 'ask' }, {}, 'codex-sdk does not support permissionMode'],
    [
      'another user',
      {},
      { user: { name: 'agent', uid: 1, gid: 1, home: '/' } },
      'codex-sdk does not support another user',
    ],
  ])('refuses %s by name (O4)', async ([, request, config, message], { stage }) => {
    const adapter = withSdk(stage, '0.163.0', 'export class Codex {}', config);
    expect(await collect(adapter.run({ prompt: 'hi', ...request }))).toMatchObject([
      { type: 'error', code: 'unsupported', message: expect.stringContaining(message) },
    ]);
  });

  it('has no live mode, and no start at its import (O2)', async ({ stage }) => {
    const adapter = codexSdkAdapter(stage.config('replay.sh'), []);
    expect(adapter.name()).toBe('codex-sdk');
    expect(adapter.live).toBeUndefined();
    const planned = await adapter.plan({ prompt: 'hi' });
    expect(planned.args.slice(0, 2)).toEqual(['exec', '--experimental-json']);
  });

  it('drives the Codex that the SDK brings along, unless a path is configured', async ({ stage }) => {
    const adapter = withSdk(stage, '0.163.0', 'export class Codex {}', { cliPath: 'codex-sdk' });
    const native = `@openai/codex-${process.platform}-${process.arch}`;
    const target = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
    const system = process.platform === 'darwin' ? 'apple-darwin' : 'unknown-linux-musl';
    const binary = join('vendor', `${target}-${system}`, 'bin', 'codex');
    put(stage, 'node_modules/@openai/codex/package.json', '{"version":"0.163.0"}');
    put(stage, 'node_modules/@openai/codex/bin/codex.js', '');
    put(stage, `node_modules/${native}/package.json`, '{}');
    put(stage, `node_modules/${native}/${binary}`, '');
    expect(await adapter.locate()).toMatchObject({
      command: stage.path(`node_modules/${native}/${binary}`),
      version: '0.163.0',
    });
    const chosen = withSdk(stage, '0.163.0', 'export class Codex {}');
    expect((await chosen.locate()).command).toMatch(/replay\.sh$/);
  });
});

function withSdk(stage: Stage, version: string, code: string, config: Partial<BackendAdapterConfig> = {}) {
  const manifest = { version, type: 'module', exports: { '.': { import: './dist/index.js' } } };
  put(stage, 'node_modules/@openai/codex-sdk/package.json', JSON.stringify(manifest));
  put(stage, 'node_modules/@openai/codex-sdk/dist/index.js', code);
  return codexSdkAdapter({ ...stage.config('replay.sh'), ...config }, [stage.path('package.json')]);
}

function put(stage: Stage, path: string, content: string): void {
  mkdirSync(dirname(stage.path(path)), { recursive: true });
  stage.write(path, content);
}
