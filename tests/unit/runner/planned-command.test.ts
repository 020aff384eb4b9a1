import { existsSync, readdirSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { vendorNames } from '../../../src/backends/registry.js';
import { plannedCommand } from '../../../src/runner/planned-command.js';
import { it } from '../../contract/stage.js';

const modes = ['one-shot', 'live'] as const;

describe.each(vendorNames)('the planned command of %s', (name) => {
  it.for(modes)('starts, asks and writes nothing: %s (O9)', async (mode, { stage }) => {
    const agent = stage.program('agent', `touch ${stage.path('was-started')}`);
    const options = {
      // A command of the CLI itself: before a run, Claude is asked for its version because of it.
      prompt: '/clear',
      systemPrompt: 'Be brief.',
      continueLast: true,
      mcpConfig: stage.write('mcp.json', '{"mcpServers":{"a":{"command":"a"}}}'),
    };
    const before = readdirSync(stage.directory);
    const planned = await plannedCommand(name, options, stage.configFor(agent), mode);
    expect(planned.command).toBe(agent);
    expect(readdirSync(stage.directory)).toEqual(before);
    expect(existsSync(stage.home)).toBe(false);
    await stage.expectNothingLeft();
  });

  it.for(modes)('has the plain name of a CLI that is not installed: %s (O9)', async (mode, { stage }) => {
    const config = { ...stage.configFor(`no-such-${name}`), queryTimeoutMs: 0 };
    const planned = await plannedCommand(name, { prompt: 'hi' }, config, mode);
    expect(planned.command).toBe(`no-such-${name}`);
  });

  it.for(modes)(
    'has the variables of the caller, but no secret of them: %s (O9)',
    async (mode, { stage }) => {
      const env = { COLOUR: 'green', MY_API_KEY: 'sk-0123456789abcdef' };
      const planned = await plannedCommand(name, { env }, stage.configFor('agent'), mode);
      expect(planned.env).toMatchObject({ COLOUR: 'green', MY_API_KEY: '[redacted]' });
      expect(JSON.stringify(planned)).not.toContain('0123456789abcdef');
    },
  );
});

it('shows where temporary files will be, and that the last session will be looked up (O9)', async ({
  stage,
}) => {
  const config = stage.configFor('agent');
  const claude = await plannedCommand(
    'claude',
    { systemPrompt: 'x', continueLast: true },
    config,
    'one-shot',
  );
  expect(claude.args).toEqual(
    expect.arrayContaining(['--append-system-prompt-file', '<temporary>/system-prompt.md']),
  );
  expect(claude.args).toEqual(expect.arrayContaining(['--resume', '<last session>']));
  const opencode = await plannedCommand('opencode', { systemPrompt: 'x' }, config, 'one-shot');
  expect(opencode.env['OPENCODE_CONFIG_CONTENT']).toContain('<temporary>/instructions.md');
});

it('of the SDK is what it starts Codex with, whether it is installed or not; it has no live one (O9)', async ({
  stage,
}) => {
  const config = stage.configFor('no-such-codex');
  const planned = await plannedCommand('codex-sdk', { permissionMode: 'plan' }, config, 'one-shot');
  expect(planned.command).toBe('no-such-codex');
  expect(planned.args).toEqual(expect.arrayContaining(['exec', '--experimental-json', 'read-only']));
  await expect(plannedCommand('codex-sdk', {}, config, 'live')).rejects.toMatchObject({
    code: 'unsupported',
  });
});

it('is refused where the options can’t be run at all (O9)', async ({ stage }) => {
  const config = stage.configFor('agent');
  await expect(
    plannedCommand('codex', { mcpConfig: '/nowhere.json' }, config, 'one-shot'),
  ).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining('/nowhere.json') });
});
