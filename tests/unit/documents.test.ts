import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { HookManager } from '../../src/gateway/hooks/hook-manager.js';
import { MarkdownConfigLoader } from '../../src/gateway/persona/markdown-config-loader.js';
import { readSchedules } from '../../src/gateway/schedule/read-schedules.js';
import { logLines } from './gateway/log-lines.js';
import { directoryWith } from './gateway/temporary-directory.js';
import { buildDemoAgent } from './sessions/demo-sessions.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The first code block of a page behind a text. */
function example(page: string, behind: string): string {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  const [, code] = /```\w*\n([\s\S]*?)\n```/.exec(text.slice(text.indexOf(behind))) ?? [];
  if (!text.includes(behind) || code === undefined)
    throw new Error(`${page} has no example behind "${behind}"`);
  return code;
}

beforeAll(buildDemoAgent);

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

  it('adding-a-backend.md: all of it is what the fifth backend of the tests is made of (S6)', () => {
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const sources = [
      ...['decoder.ts', 'parrot-backend.ts', 'live.ts'].map((name) => `tests/fixtures/parrot/${name}`),
      'tests/contract/parrot.contract.program.ts',
    ].map((path) => read(path).replace(/'(\.\.\/)+src\/index\.js'/g, "'turnout'"));
    const { stdout } = JSON.parse(read('tests/fixtures/recordings/parrot/tool.json')) as { stdout: string[] };
    const blocks = [...read('docs/adding-a-backend.md').matchAll(/```(\w+)\n([\s\S]*?)```/g)];
    expect(blocks.map(([, language]) => language)).toEqual(['json', 'ts', 'ts', 'ts', 'ts', 'ts', 'ts']);
    for (const [, language, code = ''] of blocks) {
      if (language === 'json') expect(code).toBe(`${stdout.join('\n')}\n`);
      else
        expect(
          sources.filter((source) => source.includes(code)),
          code,
        ).toHaveLength(1);
    }
  });

  it.skipIf(process.platform === 'win32').each([
    ['sessions.md', 'One session', 'I will remember: the kettle is onI remember:\n- the kettle is on'],
    ['runner.md', '# The runner', /^0 .*[Hh]ello/],
    ['../README.md', '## Build on it', /list the open TODOs/],
  ])('%s: the program behind "%s" runs, with the demo agent as claude', async (page, behind, answer) => {
    const library = pathToFileURL(join(root, 'dist/index.js')).href;
    const directory = await directoryWith({
      'program.mjs': example(page, behind).replace("'turnout'", `'${library}'`),
      'bin/.keep': '',
    });
    symlinkSync(join(root, 'dist/demo-agent/main.js'), join(directory, 'bin/claude'));
    const PATH = [join(directory, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
    const env = { PATH, HOME: directory, TURNOUT_HOME: join(directory, 'home'), TURNOUT_DEMO_SPEED: '0' };
    const options = { cwd: directory, env, encoding: 'utf8', timeout: 30_000 } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [join(directory, 'program.mjs')], options);
    expect(stderr).toBe('');
    expect(stdout).toMatch(answer);
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
