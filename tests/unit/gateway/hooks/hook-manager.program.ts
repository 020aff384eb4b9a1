import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noLog } from '../../../../src/config/log.js';
import { HookManager } from '../../../../src/gateway/hooks/hook-manager.js';
import { logLines } from '../log-lines.js';
import { directoryWith } from '../temporary-directory.js';

const message = { channel: 'ops', source: 'http', text: 'hello' };
const turn = { channel: 'ops', eventId: 'e1', backend: 'claude', prompt: 'p', systemPrompt: 's' };

/** Hooks of `files`, with `hooks.json` among them, and what they log. */
async function managerOf(hooks: object, files: Record<string, string> = {}, env = process.env) {
  const directory = await directoryWith({ 'hooks.json': JSON.stringify(hooks), ...files });
  const { log, lines } = logLines();
  const manager = await HookManager.load(directory, log, env);
  onTestFinished(() => manager.close());
  return { manager, directory, lines };
}

const node = (file: string, ...more: string[]) => ({
  command: [process.execPath, file, ...more],
  timeoutMs: 20_000,
});

/** A command hook that answers as `answer` (a function of the payload) says. */
const answering = (answer: string) => `
  let input = '';
  for await (const piece of process.stdin) input += piece;
  const answer = (${answer})(JSON.parse(input));
  if (answer !== undefined) console.log(JSON.stringify(answer));
`;

/** A zombie does not run any more: not every container has an init that buries them. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('hooks', () => {
  it('may be none at all', async () => {
    const empty = new HookManager({ hooks: {}, log: noLog });
    expect(empty.has('message')).toBe(false);
    expect(await empty.fire('message', message)).toEqual({ action: 'continue', payload: message });
    const without = await HookManager.load(await directoryWith(), noLog, {});
    expect((await without.fire('message', message)).action).toBe('continue');
  });

  it('run in their order, each with what the one before made of it, as commands and as modules', async () => {
    const { manager, lines } = await managerOf(
      { message: [node('a.mjs'), { module: './b.mjs' }, node('silent.mjs'), node('c.mjs')] },
      {
        'a.mjs': answering(`({ text }) => ({ action: 'continue', payload: { text: text + ' a' } })`),
        'b.mjs': `export default async ({ text }) => ({ payload: { text: text + ' b' } });`,
        'silent.mjs': '',
        'c.mjs': answering(`(payload) => ({ payload: { ...payload, text: payload.text + ' c' } })`),
      },
    );
    expect(await manager.fire('message', { ...message, author: 'ann' })).toEqual({
      action: 'continue',
      payload: { ...message, author: 'ann', text: 'hello a b c' },
    });
    expect(lines).toEqual([]);
  });

  it('may block; those behind are not run', async () => {
    const { manager, directory } = await managerOf(
      { message: [node('no.mjs'), node('after.mjs')], tool_start: [{ module: './no-tool.mjs' }] },
      {
        'no.mjs': answering(`({ event }) => ({ action: 'block', reason: 'not in ' + event })`),
        'after.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync('ran', '');`,
        'no-tool.mjs': `export default ({ name }) => (name === 'Bash' ? { action: 'block' } : undefined);`,
      },
    );
    expect(await manager.fire('message', message)).toEqual({ action: 'block', reason: 'not in message' });
    expect(existsSync(join(directory, 'ran'))).toBe(false);
    const tool = { channel: 'ops', eventId: 'e1', name: 'Bash', input: { command: 'ls' } };
    expect(await manager.fire('tool_start', tool)).toEqual({ action: 'block', reason: 'A hook refused it.' });
    expect((await manager.fire('tool_start', { ...tool, name: 'Read' })).action).toBe('continue');
  });

  it('get the payload on stdin alone, run in CONFIG_DIR, and see no secret of the gateway', async () => {
    const { manager, directory } = await managerOf(
      { message: [node('look.mjs', 'argument')] },
      {
        'look.mjs': `
          import { writeFileSync } from 'node:fs';
          let input = '';
          process.stdin.setEncoding('utf8');
          for await (const piece of process.stdin) input += piece;
          writeFileSync('seen.json', JSON.stringify({ input: JSON.parse(input), args: process.argv.slice(2), env: process.env }));
        `,
      },
      {
        ...process.env,
        HTTP_TOKEN: 'secret',
        DISCORD_BOT_TOKEN: 'secret',
        DATABASE_URL: 'secret',
        KEPT: 'yes',
      },
    );
    const text = `${'ä'.repeat(300_000)}\0"`;
    expect((await manager.fire('message', { ...message, text })).action).toBe('continue');
    const seen = JSON.parse(readFileSync(join(directory, 'seen.json'), 'utf8'));
    expect(seen.input.text === text).toBe(true);
    expect({ ...seen.input, text: 'hello' }).toEqual({ ...message, event: 'message' });
    expect(seen.args).toEqual(['argument']);
    expect(seen.env).toMatchObject({ KEPT: 'yes' });
    expect(JSON.stringify(seen.env)).not.toContain('secret');
  });

  it.each<[string, object, Record<string, string>, RegExp]>([
    [
      'a non-zero exit',
      node('x.mjs'),
      { 'x.mjs': `console.log('{"action":"block"}'); process.exitCode = 3;` },
      /ended with exit code 3/,
    ],
    ['a crash', node('x.mjs'), { 'x.mjs': `process.kill(process.pid, 'SIGKILL');` }, /ended with SIGKILL/],
    ['no JSON', node('x.mjs'), { 'x.mjs': `console.log('a secret');` }, /^did not answer in JSON$/],
    [
      'JSON of another kind',
      node('x.mjs'),
      { 'x.mjs': `console.log('{"action":"explode"}');` },
      /^did not answer as expected$/,
    ],
    [
      'too much output',
      node('x.mjs'),
      { 'x.mjs': `import { writeSync } from 'node:fs'; for (;;) writeSync(1, 'x'.repeat(999) + '\\n');` },
      /more than 1048576 bytes/,
    ],
    [
      'one line without end',
      node('x.mjs'),
      { 'x.mjs': `process.stdout.write('x'.repeat(3_000_000));` },
      /more than 1048576 bytes/,
    ],
    [
      'a module that throws',
      { module: './y.mjs' },
      { 'y.mjs': `export default () => { throw new TypeError('a secret'); };` },
      /^threw TypeError$/,
    ],
    [
      'a module that can not be loaded',
      { module: './y.mjs' },
      { 'y.mjs': `export default (` },
      /^threw SyntaxError|^threw Error/,
    ],
    [
      'a module without a function',
      { module: './y.mjs' },
      { 'y.mjs': `export const x = 1;` },
      /no function as its default export/,
    ],
    [
      'a module that answers nonsense',
      { module: './y.mjs' },
      { 'y.mjs': `export default () => 7;` },
      /^did not answer as expected$/,
    ],
    [
      'a module that never answers',
      { module: './y.mjs', timeoutMs: 50 },
      { 'y.mjs': `export default () => new Promise(() => {});` },
      /^took longer than 50 ms$/,
    ],
  ])('that fail change nothing: %s', async (_name, hook, files, why) => {
    const { manager, lines } = await managerOf(
      { message: [hook, { module: './z.mjs' }] },
      {
        ...files,
        'z.mjs': `export default ({ text }) => ({ payload: { text: text + '!' } });`,
      },
    );
    expect(await manager.fire('message', message)).toEqual({
      action: 'continue',
      payload: { ...message, text: 'hello!' },
    });
    expect(lines).toMatchObject([
      { message: 'hook failed', event: 'message', why: expect.stringMatching(why) },
    ]);
    expect(JSON.stringify(lines)).not.toContain('a secret');
  });

  const tool = { channel: 'ops', eventId: 'e1', name: 'Bash', input: { command: 'ls' } };
  /** One that prints each of the replies in turn, by the name of the tool. */
  const saying = (replies: readonly string[]) =>
    `let input = ''; for await (const piece of process.stdin) input += piece;
     console.log(${JSON.stringify(replies)}[JSON.parse(input).name]);`;

  it('that print what may be meant as a block refuse the tool [fault 13.6: a reply that is misspelt]', async () => {
    const replies = [
      '{"action":"block","action":"continue"}',
      '{"action":"block","\\u0061ction":"continue"}',
      '{"action":"continue","payload":{"name":"x","name":"3"}}',
      '{"Action":"block"}',
      '{"decision":"block","reason":"no"}',
      '{"reason":"no"}',
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}',
      '{"__proto__":{"action":"block"}}',
      'null',
    ];
    const { manager } = await managerOf({ tool_start: [node('x.mjs')] }, { 'x.mjs': saying(replies) });
    const verdicts = await Promise.all(
      replies.map((_, index) => manager.fire('tool_start', { ...tool, name: `${index}` })),
    );
    expect(verdicts.map(({ action }) => action)).toEqual(replies.map(() => 'block'));
  });

  it('that print a reply in full, or nothing, are understood', async () => {
    const replies = ['', '{}', '{"action":"continue"}', '{"action":"continue","reason":"fine \\"a\\": 1"}'];
    const { manager, lines } = await managerOf({ tool_start: [node('x.mjs')] }, { 'x.mjs': saying(replies) });
    for (const index of replies.keys())
      expect((await manager.fire('tool_start', { ...tool, name: `${index}` })).action).toBe('continue');
    expect(lines).toEqual([]);
  });

  it.each([
    `{ Action: 'block' }`,
    `{ decision: 'block', reason: 'no' }`,
    `{ reason: 'no' }`,
    `{ hookSpecificOutput: { permissionDecision: 'deny' } }`,
    `new Error('no')`,
    `new Map([['action', 'block']])`,
    `[]`,
  ])(
    'that return what may be meant as a block refuse the tool: %s [fault 13.6: a reply that is misspelt]',
    async (reply) => {
      const files = { 'y.mjs': `export default () => (${reply});` };
      const { manager } = await managerOf({ tool_start: [{ module: './y.mjs' }] }, files);
      expect(await manager.fire('tool_start', tool)).toMatchObject({
        action: 'block',
        reason: expect.stringContaining('did not answer as expected'),
      });
    },
  );

  it('that take too long are ended with all that they started', async () => {
    const { manager, directory, lines } = await managerOf(
      { message: [{ ...node('slow.mjs'), timeoutMs: 3000 }] },
      {
        'slow.mjs': `
          import { spawn } from 'node:child_process';
          import { writeFileSync } from 'node:fs';
          const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
          writeFileSync('pids', process.pid + ' ' + child.pid);
          setInterval(() => {}, 1000);
        `,
      },
    );
    expect(await manager.fire('message', message)).toEqual({ action: 'continue', payload: message });
    expect(lines).toMatchObject([{ why: 'took longer than 3000 ms' }]);
    const pids = readFileSync(join(directory, 'pids'), 'utf8').split(' ').map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter(runs)).toEqual([]);
  });

  it('are ended when the gateway closes, and none is run after that', async () => {
    const { manager, directory } = await managerOf(
      { message: [node('slow.mjs'), { module: './never.mjs' }], turn_start: [{ module: './never.mjs' }] },
      {
        'slow.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000);`,
        'never.mjs': `export default () => new Promise(() => {});`,
      },
    );
    const fired = [manager.fire('message', message), manager.fire('turn_start', turn)];
    await expect.poll(() => existsSync(join(directory, 'pid'))).toBe(true);
    await manager.close();
    expect(await Promise.all(fired)).toMatchObject([{ action: 'continue' }, { action: 'continue' }]);
    const pid = Number(readFileSync(join(directory, 'pid'), 'utf8'));
    expect(runs(pid)).toBe(false);
    expect(manager.has('message')).toBe(false);
    expect(await manager.fire('message', message)).toEqual({ action: 'continue', payload: message });
  });

  it('rewrite only what may be rewritten, and only into what it can be', async () => {
    const { manager, lines } = await managerOf(
      {
        message: [{ module: './m.mjs' }],
        turn_start: [{ module: './t.mjs' }],
        turn_end: [{ module: './e.mjs' }, { module: './block.mjs' }],
      },
      {
        'm.mjs': `export default () => ({ payload: { text: ' ', channel: 'other', source: 'http', more: 1 } });`,
        't.mjs': `export default () => ({ payload: { prompt: 'P', systemPrompt: '', backend: 7 } });`,
        'e.mjs': `export default () => ({ payload: { responseText: 'R', state: 'answered' } });`,
        'block.mjs': `export default () => ({ action: 'block', reason: 'too late' });`,
      },
    );
    expect(await manager.fire('message', message)).toEqual({ action: 'continue', payload: message });
    expect(await manager.fire('turn_start', turn)).toEqual({
      action: 'continue',
      payload: { ...turn, prompt: 'P', systemPrompt: '' },
    });
    const end = { channel: 'ops', eventId: 'e1', state: 'answered', responseText: 'r' };
    expect(await manager.fire('turn_end', end)).toEqual({
      action: 'continue',
      payload: { ...end, responseText: 'R' },
    });
    const failed = { channel: 'ops', eventId: 'e1', state: 'failed' };
    expect(await manager.fire('turn_end', failed)).toEqual({ action: 'continue', payload: failed });
    expect(lines.map(({ message, fields }) => [message, fields])).toEqual([
      ['hook rewrite ignored', ['text', 'channel', 'more']],
      ['hook rewrite ignored', ['backend']],
      ['hook can not block this event', undefined],
      ['hook rewrite ignored', ['responseText', 'state']],
      ['hook can not block this event', undefined],
    ]);
  });

  it('can not change the payload behind the back of the check', async () => {
    const { manager } = await managerOf(
      { tool_start: [{ module: './m.mjs' }] },
      { 'm.mjs': `export default (payload) => { payload.input.command = 'rm'; };` },
    );
    const tool = { channel: 'ops', eventId: 'e1', name: 'Bash', input: { command: 'ls' } };
    await manager.fire('tool_start', tool);
    expect(tool.input.command).toBe('ls');
  });

  it('load a module once, and leave no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const { manager } = await managerOf(
      { message: [{ module: './m.mjs' }] },
      { 'm.mjs': `let count = 0; export default () => ({ payload: { text: String(++count) } });` },
    );
    const before = timers();
    await manager.fire('message', message);
    expect(await manager.fire('message', message)).toMatchObject({ payload: { text: '2' } });
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('of a burst of messages are few at once', async () => {
    const { manager } = await managerOf(
      { message: [{ module: './m.mjs' }] },
      {
        'm.mjs': `let now = 0, most = 0;
          export default async () => {
            most = Math.max(most, ++now);
            await new Promise((resolve) => setTimeout(resolve, 5));
            now--;
            return { payload: { text: String(most) } };
          };`,
      },
    );
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => manager.fire('message', message)));
    expect(verdicts.at(-1)).toMatchObject({ payload: { text: '16' } });
  });
});

describe('hooks that go away', () => {
  it('change nothing: they fail like others', async () => {
    const { manager, directory, lines } = await managerOf(
      { message: [{ command: [process.execPath, './gone.mjs'] }, { module: './gone.mjs' }] },
      { 'gone.mjs': '' },
    );
    rmSync(join(directory, 'gone.mjs'));
    expect(await manager.fire('message', message)).toEqual({ action: 'continue', payload: message });
    expect(lines.map(({ why }) => why)).toEqual(['ended with exit code 1', expect.stringMatching(/^threw /)]);
  });
});

describe('hooks.json', () => {
  it('is refused with programs and modules that are not there', async () => {
    const directory = await directoryWith({
      'hooks.json': JSON.stringify({
        message: [{ command: ['./gone.sh'] }, { command: ['./plain.sh'] }, { command: [process.execPath] }],
        turn_end: [{ module: './gone.mjs' }, { command: ['no-such-program'] }, { command: ['./folder'] }],
      }),
      'plain.sh': '#!/bin/sh\n',
      'folder/x': '',
    });
    const problems = await HookManager.load(directory, noLog, { PATH: '/usr/bin:/bin' }).then(
      () => 'none',
      (error: Error) => error.message,
    );
    expect(problems.split('\n').slice(1)).toEqual([
      `  - hooks.json: message.0: ${join(directory, 'gone.sh')} was not found`,
      `  - hooks.json: message.1: ${join(directory, 'plain.sh')} may not be executed by this user; make it executable: chmod +x`,
      `  - hooks.json: turn_end.0: ${join(directory, 'gone.mjs')} was not found`,
      '  - hooks.json: turn_end.1: no-such-program was not found on the PATH',
      `  - hooks.json: turn_end.2: ${join(directory, 'folder')} is a directory, not a program`,
    ]);
  });

  const problemsOf = async (content: string): Promise<string> => {
    const directory = await directoryWith({ 'hooks.json': content });
    return HookManager.load(directory, noLog, {}).then(
      () => 'none',
      (error: Error) => error.message,
    );
  };

  it('is refused with all that is wrong, by its place', async () => {
    const problems = await problemsOf(
      JSON.stringify({
        mesage: [],
        message: [{ command: 'x.sh' }, { command: [] }, {}, { command: ['x'], module: 'y' }],
        turn_end: { module: './y.mjs' },
        error: [{ module: './y.mjs', timeoutMs: 0, color: 'red' }, 7],
      }),
    );
    expect(problems.split('\n').slice(1)).toEqual([
      '  - hooks.json: message.0.command: expected a list: ["program", "argument", …]',
      expect.stringMatching(/^ {2}- hooks\.json: message\.1\.command/),
      '  - hooks.json: message.2: expected either "command": ["program", "argument", …] or "module": "./file.mjs"',
      '  - hooks.json: message.3: expected either "command": ["program", "argument", …] or "module": "./file.mjs"',
      '  - hooks.json: turn_end: expected a list of hooks',
      '  - hooks.json: error.0.timeoutMs: expected at least 1 ms',
      '  - hooks.json: error.0: unknown key "color"; expected command, module, timeoutMs',
      '  - hooks.json: error.1: expected either "command": ["program", "argument", …] or "module": "./file.mjs"',
      '  - hooks.json: unknown key "mesage"; expected startup, shutdown, message, turn_start, tool_start, turn_end, error',
      expect.stringMatching(/^ {2}- hooks\.json: error\.0: .*y\.mjs was not found$/),
    ]);
  });

  it.each([
    ['{', /hooks\.json: not valid JSON: /],
    ['[]', /hooks\.json: expected an object with a list of hooks for each event/],
    ['{}', /^none$/],
  ])('%s', async (content, expected) => expect(await problemsOf(content)).toMatch(expected));

  const entry = '{"command":["/bin/true"]}';
  it.each([
    [`{"tool_start":[${entry}],"turn_end":[],"tool_start":[]}`, 'tool_start'],
    [`{"tool_start":[${entry}],"tool\\u005fstart":[]}`, 'tool_start'],
    ['{"tool_start":[{"command":["/bin/true"],"blocking":true,"blocking":false}]}', 'tool_start.0.blocking'],
    [`{"message":[${entry},{"command":["/bin/true"],"command":["/bin/false"]}]}`, 'message.1.command'],
  ])(
    'a key that is there twice stops the start: %s [fault 13.6: a hook dropped by a duplicate key]',
    async (content, place) => {
      expect(await problemsOf(content)).toContain(`  - hooks.json: ${place}: this key is there twice`);
    },
  );

  it.each(['Hooks.json', 'hook.json', 'hooks.JSON', 'hooks.json.txt', 'hooks.jsonc'])(
    'a file that is not read stops the start: %s [fault 13.7: another spelling of hooks.json]',
    async (name) => {
      const directory = await directoryWith({ [name]: '{}' });
      await expect(HookManager.load(directory, noLog, {})).rejects.toThrow(
        `${name}: is not read; expected the name hooks.json`,
      );
    },
  );

  it('a link to nowhere is no file without hooks', async () => {
    const directory = await directoryWith();
    symlinkSync('gone', join(directory, 'hooks.json'));
    await expect(HookManager.load(directory, noLog, {})).rejects.toThrow(
      'a link to a file that is not there',
    );
  });
});
