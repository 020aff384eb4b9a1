import { describe, expect } from 'vitest';
import { settingsFor } from '../../../../src/backends/claude/settings.js';
import { ClaudeCodeBackend } from '../../../../src/backends/claude-backend.js';
import { it } from '../../../contract/stage.js';

describe('a settings file for Claude', () => {
  it('goes to Claude as it is, and is merged with ours where Claude has to ask (O3)', async ({ stage }) => {
    const file = stage.write('settings.json', '{"env": {"KEY": "k"}, "useAutoModeDuringPlan": true}');
    expect(await settingsFor(file, false, '/scratch')).toEqual({ args: ['--settings', file], files: [] });
    const { args, files } = await settingsFor(file, true, '/scratch');
    expect(args).toEqual(['--settings', '/scratch/settings.json']);
    expect(files.map(({ content }) => JSON.parse(content))).toEqual([
      { env: { KEY: 'k' }, useAutoModeDuringPlan: false },
    ]);
    expect(await settingsFor(undefined, true, '/scratch')).toEqual({
      args: ['--settings', '{"useAutoModeDuringPlan":false}'],
      files: [],
    });
  });

  it.for([['bypass'], ['plan']] as const)('is given once in the mode %s', async ([mode], { stage }) => {
    const settings = stage.write('settings.json', '{}');
    const backend = new ClaudeCodeBackend(stage.config('replay.sh', stage.replay('')));
    const commands: string[][] = [];
    const request = { prompt: 'hi', settings, permissionMode: mode };
    const run = backend.run(request, { onSpawn: ({ args }) => commands.push([...args]) });
    for await (const _ of run);
    expect(commands[0]?.filter((word) => word === '--settings')).toHaveLength(1);
  });

  it('that is no JSON fails before anything starts, with its path (O4)', async ({ stage }) => {
    const settings = stage.write('settings.json', '{');
    const backend = new ClaudeCodeBackend(stage.config('replay.sh'));
    const events = [];
    for await (const event of backend.run({ prompt: 'hi', settings, permissionMode: 'plan' }))
      events.push(event);
    expect(events).toMatchObject([
      { type: 'error', code: 'bad_request', message: expect.stringContaining(settings) },
    ]);
  });
});
