import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TurnoutError } from '../../../src/core/errors.js';
import { SpawnError } from '../../../src/process/spawn-error.js';
import { type ProcessSpec, startProcess } from '../../../src/process/start-process.js';
import { patience } from '../../machine-speed.js';
import { fixturePath, isRunning, lineByLine, readAll, startFixture } from './start-fixture.js';

const PATH = process.env['PATH'] ?? '';

describe('startProcess (S7)', () => {
  it('gives the child its environment, our mark, and nothing else', async () => {
    const env = { PATH, ONE: '1', TURNOUT_OWNER: 'outer', TURNOUT_RUN: 'outer' };
    const [first, second] = await Promise.all(
      [1, 2].map(async () => {
        const [line] = await readAll(await startFixture('print-env.mjs', [], { env }));
        return JSON.parse(line?.text ?? '') as Record<string, string>;
      }),
    );
    expect(Object.keys(first ?? {}).sort()).toEqual(['ONE', 'PATH', 'TURNOUT_OWNER', 'TURNOUT_RUN']);
    expect(first?.['TURNOUT_OWNER']).toMatch(new RegExp(`^${process.pid}\\.t?\\d+@[0-9a-f]{16}$`));
    expect(first?.['TURNOUT_RUN']).toMatch(/^[0-9a-f-]{36}$/);
    expect(second?.['TURNOUT_RUN']).not.toBe(first?.['TURNOUT_RUN']);
  });

  it('finds a bare name on the PATH of the given environment and starts it in the given directory', async () => {
    const child = await startProcess({ command: 'pwd', args: [], cwd: '/', env: { PATH } });
    expect(await readAll(child)).toEqual([{ text: '/' }]);
    expect(await child.exited).toEqual({ code: 0, signal: null });
  });

  it('reports the exit code, and by the end of the lines all of stderr', async () => {
    for (let run = 0; run < 3; run++) {
      const child = await startFixture('last-words.mjs');
      expect(await readAll(child)).toEqual([]);
      expect(child.stderr()).toBe('no such session\n');
      expect(await child.exited).toEqual({ code: 1, signal: null });
    }
  });

  it('gives an empty stdin when there is none', async () => {
    expect(await readAll(await startFixture('echo.mjs'))).toEqual([]);
  });

  it('passes text and bytes through unharmed', async () => {
    const text = '--not-an-option\n"quotes" $HOME \u2028 é 😀';
    const lines = text.split('\n').map((line) => ({ text: line }));
    expect(await readAll(await startFixture('echo.mjs', [], { stdin: { text } }))).toEqual(lines);
    const bytes = new TextEncoder().encode(text);
    expect(await readAll(await startFixture('echo.mjs', [], { stdin: { text: bytes } }))).toEqual(lines);
  });

  it('does not deadlock with a child that floods stderr before it reads its input', async () => {
    const size = 10_000_000;
    const child = await startFixture('stderr-first.mjs', [String(size)], {
      stdin: { text: Buffer.alloc(size, 'x') },
      stderrBytes: 1000,
    });
    expect(await readAll(child)).toEqual([{ text: String(size) }]);
    const stderr = child.stderr();
    expect(stderr.startsWith('the first words\nééé')).toBe(true);
    expect(stderr.endsWith('ééé\nthe last words')).toBe(true);
    expect(stderr).toMatch(/\n\[… 9\d{6} bytes left out …\]\n/);
    expect(stderr).not.toContain('\ufffd');
    expect(Buffer.byteLength(stderr)).toBeLessThan(1100);
  });
});

describe('write (S7)', () => {
  it('talks back and forth with the child until the input is closed', async () => {
    const child = await startFixture('echo.mjs', [], { stdin: 'open' });
    const next = lineByLine(child);
    for (const word of ['one', 'two é', 'three']) {
      await child.write(`${word}\n`);
      expect(await next()).toBe(word);
    }
    child.closeInput();
    expect(await child.exited).toEqual({ code: 0, signal: null });
    await expect(child.write('more')).rejects.toThrow(TurnoutError);
  });

  it('waits while the child does not read, and fails when it is ended', async () => {
    const child = await startFixture('never-read.mjs', [], { stdin: 'open' });
    let settled = false;
    const writing = child.write('x'.repeat(10_000_000)).finally(() => {
      settled = true;
    });
    const outcome = expect(writing).rejects.toMatchObject({ name: 'TurnoutError', code: 'crashed' });
    await lineByLine(child)();
    expect(settled).toBe(false);
    await child.end({ graceMs: 0 });
    await outcome;
  });

  it('is refused when the input is not open', async () => {
    const child = await startFixture('never-read.mjs', [], { stdin: { text: 'all there is' } });
    await expect(child.write('more')).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('takes a child that leaves without reading as an exit like any other', async () => {
    for (const stdin of ['open', { text: 'x'.repeat(5_000_000) }] as const) {
      const child = await startFixture('leave-early.mjs', [], { stdin });
      const writing = stdin === 'open' ? child.write('x'.repeat(5_000_000)) : Promise.reject();
      await Promise.all([
        expect(writing).rejects.toSatisfy((error) => error === undefined || error instanceof TurnoutError),
        expect(child.exited).resolves.toEqual({ code: 7, signal: null }),
      ]);
      if (stdin === 'open') await expect(child.write('late')).rejects.toMatchObject({ code: 'crashed' });
    }
  });
});

describe('SpawnError', () => {
  let root: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'turnout-spawn-'));
    const files: [name: string, text: string, mode: number][] = [
      ['plain', '#!/bin/sh\n', 0o644],
      ['no-interpreter', '#!/does/not/exist -x\n', 0o755],
    ];
    for (const [name, text, mode] of files) {
      await writeFile(join(root, name), text);
      await chmod(join(root, name), mode);
    }
  });

  afterAll(() => rm(root, { recursive: true }));

  const cases: [
    what: string,
    spec: () => Partial<ProcessSpec>,
    code: string,
    errno: string,
    message: RegExp,
  ][] = [
    [
      'a missing name',
      () => ({ command: 'no-such' }),
      'not_installed',
      'ENOENT',
      /no-such was not found on the PATH/,
    ],
    [
      'a missing path',
      () => ({ command: '/no/such' }),
      'not_installed',
      'ENOENT',
      /\/no\/such was not found\./,
    ],
    [
      'a file as a directory',
      () => ({ command: `${root}/plain/x` }),
      'not_installed',
      'ENOTDIR',
      /was not found/,
    ],
    ['a plain file', () => ({ command: `${root}/plain` }), 'not_installed', 'EACCES', /may not be executed/],
    ['a directory', () => ({ command: root }), 'not_installed', 'EACCES', /is a directory/],
    [
      'no interpreter',
      () => ({ command: `${root}/no-interpreter` }),
      'not_installed',
      'ENOENT',
      /\/does\/not\/exist/,
    ],
    [
      'no such cwd',
      () => ({ cwd: `${root}/gone` }),
      'bad_request',
      'ENOENT',
      /directory .*gone does not exist/,
    ],
    ['a file as cwd', () => ({ cwd: `${root}/plain` }), 'bad_request', 'ENOTDIR', /plain is not a directory/],
    ['a large argument', () => ({ args: ['x'.repeat(200_000)] }), 'bad_request', 'E2BIG', /larger than/],
    [
      'NUL in an argument',
      () => ({ args: ['', 'a\0b'] }),
      'bad_request',
      'ERR_INVALID_ARG_VALUE',
      /^Argument 2 .*NUL/,
    ],
    [
      'NUL in a variable',
      () => ({ env: { KEY: 's3cret\0' } }),
      'bad_request',
      'ERR_INVALID_ARG_VALUE',
      /variable KEY/,
    ],
    ['NUL in the name', () => ({ command: 'a\0b' }), 'bad_request', 'ERR_INVALID_ARG_VALUE', /name .*NUL/],
    ['an empty name', () => ({ command: '' }), 'bad_request', 'ERR_INVALID_ARG_VALUE', /empty/],
  ];

  it.each(cases)('explains %s', async (_, spec, code, errno, message) => {
    const attempt = startProcess({
      command: process.execPath,
      args: [],
      env: { PATH },
      stdin: 'open',
      ...spec(),
    });
    const error = await attempt.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(SpawnError);
    expect(error).toMatchObject({ name: 'SpawnError', code, errno, message: expect.stringMatching(message) });
    expect(error).toHaveProperty('hint', expect.stringMatching(/\w/));
    expect(
      JSON.stringify({ ...(error as SpawnError), cause: String((error as SpawnError).cause) }),
    ).not.toContain('s3cret');
  });

  it('refuses Windows by name [fault 13.13: Windows is half supported]', async () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
    try {
      await expect(startFixture('echo.mjs')).rejects.toMatchObject({
        name: 'TurnoutError',
        code: 'unsupported',
        message: 'Turnout does not run on Windows itself.',
        hint: expect.stringContaining('WSL 2'),
      });
    } finally {
      Object.defineProperty(process, 'platform', platform);
    }
  });

  it.runIf(process.platform === 'linux')(
    'says when descriptors run out, and still ends what runs',
    async () => {
      const child = await startProcess({
        command: 'sh',
        args: ['-c', `ulimit -n 64; exec "$0" "$1"`, process.execPath, fixturePath('out-of-files.ts')],
        env: process.env as Record<string, string>,
      });
      const lines = await readAll(child);
      expect(lines, child.stderr()).toHaveLength(1);
      const { failure, tool } = JSON.parse(lines[0]?.text ?? '') as { failure: unknown; tool: number };
      expect(failure).toEqual({ code: 'crashed', errno: 'EMFILE' });
      await vi.waitFor(() => expect(isRunning(tool)).toBe(false), patience);
      await child.endLeftovers();
    },
  );
});
