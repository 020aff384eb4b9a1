import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfigFile } from '../../../src/config/config-file.js';
import { editConfigFile, withChanges } from '../../../src/config/edit-config-file.js';
import { canMount, fillDisk, mountDisk } from '../../gateway/small-disk.js';

let home: string;
let unmount = () => {};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'turnout-edit-'));
});

afterEach(() => {
  unmount();
  unmount = () => {};
  rmSync(home, { recursive: true, force: true });
});

const file = () => join(home, 'config.yaml');

describe('a changed config.yaml (18.2)', () => {
  it('is made for this user alone, with a line that says what it is', async () => {
    rmSync(home, { recursive: true });
    expect(await editConfigFile(home, { AGENT_BACKEND: 'codex' })).toEqual({
      path: file(),
      changed: ['AGENT_BACKEND'],
    });
    expect(readFileSync(file(), 'utf8')).toMatch(/^# Settings of Turnout.*\n\nAGENT_BACKEND: codex\n$/);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(readdirSync(home)).toEqual(['config.yaml']);
  });

  it('keeps comments, order and the case of names, and what was not asked for', async () => {
    const before = [
      '# mine',
      '',
      'http_port: 9000 # the old one',
      '',
      '# who answers',
      'AGENT_BACKEND: "claude" # for now',
      'ALLOWED_TOOLS:',
      '  - Read # only',
      '',
    ].join('\n');
    writeFileSync(file(), before, { mode: 0o600 });
    await editConfigFile(home, { AGENT_BACKEND: 'codex', HTTP_PORT: '1', LOG_LEVEL: 'warn' });
    expect(readFileSync(file(), 'utf8')).toBe(
      `${before.replace('claude', 'codex').replace('9000', '1')}LOG_LEVEL: warn\n`,
    );
    await editConfigFile(home, { LOG_LEVEL: undefined, ALLOWED_TOOLS: 'Read,Edit' });
    expect(readFileSync(file(), 'utf8')).toContain('ALLOWED_TOOLS: Read,Edit\n');
    expect(readFileSync(file(), 'utf8')).not.toContain('LOG_LEVEL');
    await editConfigFile(home, { AGENT_BACKEND: undefined });
    expect(readFileSync(file(), 'utf8')).toContain('# who answers\nALLOWED_TOOLS: Read,Edit\n');
  });

  it('is not written if nothing changes, and has no braces when the last setting goes', async () => {
    writeFileSync(file(), '# hello\nAGENT_BACKEND: codex', { mode: 0o600 });
    expect((await editConfigFile(home, { AGENT_BACKEND: 'codex', HTTP_PORT: undefined })).changed).toEqual(
      [],
    );
    expect(readFileSync(file(), 'utf8')).toBe('# hello\nAGENT_BACKEND: codex');
    await editConfigFile(home, { AGENT_BACKEND: undefined });
    const rest = readFileSync(file(), 'utf8');
    expect(rest).toContain('# hello');
    expect(await parseConfigFile('x', rest)).toEqual({});
    expect(rest).not.toMatch(/null|\{/);
  });

  it('has what was asked for, whatever that is', async () => {
    const value = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== '');
    await fc.assert(
      fc.asyncProperty(value, value, async (one, other) => {
        const begun = await withChanges('# a comment\nhttp_host: x # y\n', { BACKEND_MODEL: one });
        const text = await withChanges(begun, { BACKEND_MODEL: other, HTTP_HOST: one });
        expect(await parseConfigFile('x', text)).toEqual({ BACKEND_MODEL: other, HTTP_HOST: one });
        expect(text).toContain('# a comment');
      }),
      { numRuns: 50 },
    );
  });

  it('is left alone if it is wrong, or can be changed by others', async () => {
    for (const wrong of ['AGENT_BACKEND: [', 'nonsense: 1\n', '- a list\n']) {
      writeFileSync(file(), wrong, { mode: 0o600 });
      await expect(editConfigFile(home, { AGENT_BACKEND: 'codex' })).rejects.toThrow(`${file()} is wrong`);
      expect(readFileSync(file(), 'utf8')).toBe(wrong);
    }
    writeFileSync(file(), '');
    chmodSync(file(), 0o666);
    await expect(editConfigFile(home, { AGENT_BACKEND: 'codex' })).rejects.toThrow('other users');
    expect(readdirSync(home)).toEqual(['config.yaml']);
  });

  it('that is wrong can be put right, name by name', async () => {
    writeFileSync(file(), '# mine\nhttp-prot: 1\nfoo: 2\nlease_ms: 1000\nLEASE_MS: 2000\n', { mode: 0o600 });
    // What makes it no better is refused.
    await expect(editConfigFile(home, { HTTP_PORT: '2' })).rejects.toThrow('"http-prot" is no setting');
    expect((await editConfigFile(home, { HTTP_PROT: undefined })).changed).toEqual(['HTTP_PROT']);
    await editConfigFile(home, { LEASE_MS: '5000' });
    await editConfigFile(home, { FOO: undefined, HTTP_PORT: '2' });
    expect(readFileSync(file(), 'utf8')).toBe('# mine\nlease_ms: 5000\nHTTP_PORT: 2\n');
  });

  it('finds a name with dashes', async () => {
    writeFileSync(file(), 'http-port: 1 # y\n', { mode: 0o600 });
    await editConfigFile(home, { HTTP_PORT: '2' });
    expect(readFileSync(file(), 'utf8')).toBe('http-port: 2 # y\n');
  });

  it('is left alone if it is read-only', async () => {
    writeFileSync(file(), 'HTTP_PORT: 1\n', { mode: 0o400 });
    await expect(editConfigFile(home, { HTTP_PORT: '2' })).rejects.toMatchObject({
      message: `${file()} is read-only. Nothing was changed.`,
      hint: `To change it: chmod u+w ${file()}`,
    });
    expect(readFileSync(file(), 'utf8')).toBe('HTTP_PORT: 1\n');
    expect(statSync(file()).mode & 0o777).toBe(0o400);
  });

  it('stays a link to where it is', async () => {
    const real = join(home, 'real.yaml');
    writeFileSync(real, 'HTTP_PORT: 1\n', { mode: 0o600 });
    symlinkSync(real, file());
    await editConfigFile(home, { HTTP_PORT: '2' });
    expect(lstatSync(file()).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toBe('HTTP_PORT: 2\n');
  });

  it('has the changes of all who change it at the same time', async () => {
    const names = ['HTTP_PORT', 'LEASE_MS', 'RETENTION_DAYS', 'MAX_QUEUE_DEPTH'];
    await Promise.all(names.map((name) => editConfigFile(home, { [name]: '5000' })));
    expect(Object.keys(await parseConfigFile('x', readFileSync(file(), 'utf8'))).sort()).toEqual(
      names.sort(),
    );
    expect(readdirSync(home)).toEqual(['config.yaml']);
  });

  it('does not wait for one that was killed while it held the lock', async () => {
    writeFileSync(`${file()}.lock`, '');
    utimesSync(`${file()}.lock`, 1, 1);
    await editConfigFile(home, { HTTP_PORT: '2' });
    expect(readdirSync(home)).toEqual(['config.yaml']);
  });

  it('says why it can’t be written, and changes nothing', async () => {
    writeFileSync(join(home, 'file'), '');
    await expect(editConfigFile(join(home, 'file', 'home'), { HTTP_PORT: '2' })).rejects.toMatchObject({
      message: expect.stringMatching(/config\.yaml can't be written: a part of its path is a file\. Nothing/),
      hint: 'Set TURNOUT_HOME to a directory that you can write.',
    });
  });

  it.runIf(canMount)('is whole on a full disk, too', async () => {
    unmount = mountDisk(home, 1);
    await editConfigFile(home, { HTTP_PORT: '2' });
    fillDisk(home);
    const before = readFileSync(file(), 'utf8');
    await expect(editConfigFile(home, { HTTP_PORT: '3' })).rejects.toMatchObject({
      message: expect.stringContaining('the disk is full. Nothing was changed'),
      hint: 'Make room, and try again.',
    });
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect(readdirSync(home).sort()).toEqual(['config.yaml', 'fill']);
  });
});
