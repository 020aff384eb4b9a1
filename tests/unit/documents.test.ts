import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HookManager } from '../../src/gateway/hooks/hook-manager.js';
import { MarkdownConfigLoader } from '../../src/gateway/persona/markdown-config-loader.js';
import { readSchedules } from '../../src/gateway/schedule/read-schedules.js';
import { logLines } from './gateway/log-lines.js';
import { directoryWith } from './gateway/temporary-directory.js';

/** The first code block of a page behind a text. */
function example(page: string, behind: string): string {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const [, code] = /```\w*\n([\s\S]*?)\n```/.exec(text.slice(text.indexOf(behind))) ?? [];
  if (!text.includes(behind) || code === undefined)
    throw new Error(`${page} has no example behind "${behind}"`);
  return code;
}

describe('the examples of the documents', () => {
  it('personas.md: channel.md', async () => {
    const directory = await directoryWith({
      'channels/ops/channel.md': example('personas.md', 'The front matter of `channel.md`'),
    });
    expect(await new MarkdownConfigLoader(directory).load('ops')).toMatchObject({
      parts: [{ text: expect.stringMatching(/^This is the operations channel\./) }],
      settings: {
        backend: 'codex',
        model: 'gpt-5-codex',
        cwd: '../infrastructure',
        tools: ['Read', 'Edit'],
        queueMode: 'collect',
        permissionMode: 'plan',
      },
      problems: [],
    });
  });

  it('schedules.md: heartbeat.md and cron.md', async () => {
    const directory = await directoryWith({
      'heartbeat.md': example('schedules.md', '## `heartbeat.md`'),
      'cron.md': example('schedules.md', '## `cron.md`'),
    });
    const { schedules, problems } = await readSchedules(directory, { outputChannel: 'out' });
    expect(problems).toEqual([]);
    expect(schedules.map(({ name, channel }) => [name, channel])).toEqual([
      ['heartbeat', 'ops'],
      ['Morning report', 'ops'],
      ['Clean up', 'out'],
    ]);
  });

  it.skipIf(process.platform === 'win32')('hooks.md: hooks.json, a command and a module', async () => {
    const directory = await directoryWith({
      'hooks.json': example('hooks.md', '# Hooks'),
      'no-secrets.sh': example('hooks.md', '`no-secrets.sh`:'),
      'translate.mjs': example('hooks.md', '## Modules'),
    });
    chmodSync(join(directory, 'no-secrets.sh'), 0o755);
    const { log, lines } = logLines();
    const hooks = await HookManager.load(directory, log, process.env);
    onTestFinished(() => hooks.close());
    const message = { channel: 'ops', source: 'http', text: 'deploy to prod' };
    expect(await hooks.fire('message', message)).toMatchObject({ payload: { text: 'deploy to production' } });
    expect(await hooks.fire('message', { ...message, text: '-----BEGIN PRIVATE KEY-----' })).toEqual({
      action: 'block',
      reason: 'This message holds a private key.',
    });
    expect(lines).toEqual([]);
  });
});
