import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadHttpToken } from '../../../../src/gateway/channels/http/http-token.js';

let root: string;
let home: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'turnout-token-'));
  home = join(root, 'deep', 'home');
  file = join(home, 'http-token');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const write = (content: string | Uint8Array, mode = 0o600) => {
  mkdirSync(home, { recursive: true });
  writeFileSync(file, content, { mode });
  chmodSync(file, mode);
};

describe('the HTTP token', () => {
  it('is made at the first start and kept', async () => {
    const first = await loadHttpToken(home);
    expect(first).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/), file, created: true, warnings: [] });
    expect([modeOf(home), modeOf(file)]).toEqual(['700', '600']);
    expect(readFileSync(file, 'utf8')).toBe(`${first.token}\n`);
    expect(await loadHttpToken(home, '  ')).toEqual({ ...first, created: false });
    expect(readdirSync(home)).toEqual(['http-token']);
  });

  it('is one, however many start at once', async () => {
    const loaded = await Promise.all(Array.from({ length: 20 }, () => loadHttpToken(home)));
    expect(new Set(loaded.map(({ token }) => token)).size).toBe(1);
    expect(loaded.filter(({ created }) => created)).toHaveLength(1);
    expect(readdirSync(home)).toEqual(['http-token']);
  });

  it('comes from the settings when it is set there: nothing is written', async () => {
    expect(await loadHttpToken(home, 'a-long-enough-token')).toEqual({
      token: 'a-long-enough-token',
      created: false,
      warnings: [],
    });
    expect(readdirSync(root)).toEqual([]);
  });

  it('is warned about when it is short', async () => {
    expect((await loadHttpToken(home, 'short')).warnings).toEqual([
      expect.stringMatching(/HTTP_TOKEN.*guessed/),
    ]);
    write('brief\n');
    expect(await loadHttpToken(home)).toMatchObject({
      token: 'brief',
      warnings: [expect.stringContaining(file)],
    });
  });

  it('is hidden from others when it was open to them', async () => {
    write('0123456789abcdef0123', 0o644);
    const { warnings } = await loadHttpToken(home);
    expect(warnings).toEqual([expect.stringMatching(/http-token could be read by others \(mode 0644\)/)]);
    expect(modeOf(file)).toBe('600');
  });

  it.each<[string, string | Uint8Array, string]>([
    ['nothing', '', 'is empty'],
    ['blank', ' \n', 'is empty'],
    ['two words', 'two words\n', 'is no token'],
    ['two lines', 'two\nlines\n', 'is no token'],
    ['bytes', new Uint8Array([0xff, 0x00]), 'is no token'],
    ['far too long', '-'.repeat(5000), 'is no token'],
  ])('is refused when it is %s, with the file’s name', async (_, content, reason) => {
    write(content);
    await expect(loadHttpToken(home)).rejects.toThrow(`${file} ${reason}`);
    expect(readFileSync(file)).toEqual(Buffer.from(content as string));
  });

  it('is refused from the settings when it fits into no header', async () => {
    await expect(loadHttpToken(home, 'two words')).rejects.toThrow('HTTP_TOKEN is no token');
  });

  it('says what keeps it from being kept', async () => {
    mkdirSync(file, { recursive: true });
    await expect(loadHttpToken(home)).rejects.toThrow(`The token file ${file} can't be read: EISDIR`);
    writeFileSync(join(root, 'file'), '');
    await expect(loadHttpToken(join(root, 'file'))).rejects.toThrow(/http-token can't be/);
  });
});
