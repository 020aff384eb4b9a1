import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createBackend } from '../../../src/backends/registry.js';
import { defaultPoolLimits } from '../../../src/config/limits.js';
import type { HostedOptions } from '../../../src/host/messages.js';
import { warmKey } from '../../../src/host/warm-key.js';
import { WarmKinds } from '../../../src/host/warm-kinds.js';
import { it, type Stage } from '../../contract/stage.js';

const options = (stage: Stage): HostedOptions => ({
  backend: 'claude',
  config: { ...stage.config('replay.sh', { SOME: 'value' }), home: stage.home },
});

async function keyOf(wanted: HostedOptions): Promise<string> {
  return (await warmKey(wanted, createBackend(wanted.backend, wanted.config))).key;
}

describe('the key of a warm process (18.7)', () => {
  it('is another one for every option that a CLI is started or asked with', async ({ stage }) => {
    const base = options(stage);
    const { config } = base;
    const mcpConfig = stage.write('mcp.json', '{"mcpServers":{}}');
    const wishes: readonly HostedOptions[] = [
      base,
      { ...base, backend: 'codex' },
      { ...base, model: 'another' },
      { ...base, cwd: stage.directory },
      { ...base, systemPrompt: 'Be brief.' },
      { ...base, thinking: 'high' },
      { ...base, maxTurns: 3 },
      { ...base, allowedTools: ['Read'] },
      { ...base, disallowedTools: ['Read'] },
      { ...base, permissionMode: 'ask' },
      { ...base, confirmTools: true },
      { ...base, mcpConfig },
      { ...base, settings: mcpConfig },
      { ...base, config: { ...config, env: { ...config.env, SOME: 'other value' } } },
      { ...base, config: { ...config, env: { ...config.env, MORE: '' } } },
      { ...base, config: { ...config, workingDir: stage.directory } },
      { ...base, config: { ...config, allowedTools: ['Read'] } },
      { ...base, config: { ...config, maxTurns: 1 } },
      { ...base, config: { ...config, model: 'another' } },
      { ...base, config: { ...config, cliPath: stage.program('other', 'exit 0') } },
    ];
    const keys = await Promise.all(wishes.map(keyOf));
    expect(new Set(keys).size).toBe(wishes.length);
  });

  it('is the same for another session, other clocks, another order, and a copy of the same file', async ({
    stage,
  }) => {
    const base = options(stage);
    const mcpConfig = stage.write('one.json', '{"mcpServers":{}}');
    const key = await keyOf({ ...base, mcpConfig });
    const { env = {}, ...config } = base.config;
    const same: HostedOptions = {
      config: {
        ...config,
        env: Object.fromEntries(Object.entries(env).reverse()),
        queryTimeoutMs: 7,
        // Our own secrets don't reach a CLI.
      },
      clocks: { toolMs: 1 },
      sessionId: 'abc',
      continueLast: true,
      mcpConfig: stage.write('two.json', '{"mcpServers":{}}'),
      backend: base.backend,
      model: undefined,
    };
    expect(await keyOf(same)).toBe(key);
    const secret = { ...same.config.env, HTTP_TOKEN: 'x'.repeat(40) };
    expect(await keyOf({ ...same, config: { ...same.config, env: secret } })).toBe(key);
  });

  it('is another one when the program, a login, settings or instructions have changed', async ({ stage }) => {
    const base = options(stage);
    const program = stage.program('cli', 'exit 0');
    const wanted = { ...base, config: { ...base.config, cliPath: program } };
    const seen = [await keyOf(wanted)];
    const changes = [
      () => stage.program('cli', 'exit 0 # updated'),
      () => writeFileSync(join(stage.workingDir, 'CLAUDE.md'), 'Be brief.'),
      () => writeFileSync(join(stage.directory, 'CLAUDE.md'), 'Above it.'),
      () => writeFileSync(join(stage.workingDir, '.mcp.json'), '{}'),
      () => mkdirSync(join(stage.home, '.claude'), { recursive: true }),
      () => writeFileSync(join(stage.home, '.claude', 'settings.json'), '{}'),
      () => writeFileSync(join(stage.home, '.claude', '.credentials.json'), '{}'),
    ];
    for (const change of changes) {
      change();
      seen.push(await keyOf(wanted));
    }
    // The directory itself says nothing.
    expect(new Set(seen).size).toBe(changes.length);
  });

  it('is another one for another directory of the same name', async ({ stage }) => {
    const work = stage.path('moved');
    mkdirSync(work);
    const wanted = { ...options(stage), cwd: work };
    const before = await keyOf(wanted);
    expect(await keyOf(wanted)).toBe(before);
    renameSync(work, `${work}-away`);
    mkdirSync(work);
    expect(await keyOf(wanted)).not.toBe(before);
  });

  it('what is kept is dropped when the clock jumps: the machine may have been asleep', async ({ stage }) => {
    const kinds = new WarmKinds(defaultPoolLimits);
    const now = Date.now;
    try {
      const first = await kinds.enter(options(stage));
      kinds.leave(first);
      const again = await kinds.enter(options(stage));
      kinds.leave(again);
      expect(again).toBe(first);
      Date.now = () => now() + 3_600_000;
      const afterwards = await kinds.enter(options(stage));
      kinds.leave(afterwards);
      expect(afterwards).not.toBe(first);
      expect(kinds.status()).toHaveLength(1);
    } finally {
      Date.now = now;
      await kinds.close();
    }
  });
});
