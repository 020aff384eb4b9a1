import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeName, safeNames } from '../../../../../src/gateway/channels/discord/safe-name.js';
import { anyCharacter } from '../../../../property/arbitraries.js';

describe('names of attachments', () => {
  it.each([
    ['photo.png', 'photo.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\cmd.exe', 'cmd.exe'],
    ['.bashrc', 'bashrc'],
    ['--help.txt', 'help.txt'],
    ['my report (1).pdf', 'my_report_1.pdf'],
    ['Übersicht 日本.txt', 'Übersicht_日本.txt'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['a\nb\0c.txt', 'abc.txt'],
    ['$(reboot)`;.sh', 'reboot.sh'],
    ['con.txt', 'file_con.txt'],
    ['con_.txt', 'file_con.txt'],
    ['NUL', 'file_NUL'],
    ['a.tar.gz', 'a.tar.gz'],
    ['...', 'file'],
    ['', 'file'],
    ['.png', 'png'],
    ['\ud800.txt', 'txt'],
  ])('%j becomes %j (17.4)', (given, safe) => {
    expect(safeName(given)).toBe(safe);
  });

  it('a long name keeps its extension', () => {
    const name = safeName(`${'界'.repeat(300)}.tar.gz`);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
    expect(name).toMatch(/^界+\.tar\.gz$/u);
    expect(safeName(`a.${'b'.repeat(300)}`)).toHaveLength(200);
  });

  it('names in a directory differ, also where case does not count', () => {
    expect(safeNames(['a.png', 'A.png', 'a.png', '../a.png', 'e\u0301', 'é'])).toEqual([
      'a.png',
      'A-2.png',
      'a-3.png',
      'a-4.png',
      'é',
      'é-2',
    ]);
    const many = safeNames(Array.from({ length: 20_000 }, () => 'a.png'));
    expect([new Set(many).size, many.at(-1)]).toEqual([20_000, 'a-20000.png']);
    const long = 'x'.repeat(300);
    expect(new Set(safeNames([long, long, long])).size).toBe(3);
  });

  it('any names become safe ones (17.4)', () => {
    const character = fc.oneof(
      anyCharacter,
      fc.constantFrom('.', '-', '/', '\\', ' ', '\ud800', 'é', '\u0301'),
    );
    const name = fc.array(character, { maxLength: 260 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 6 }), (given) => {
        const names = safeNames(given);
        expect(new Set(names.map((one) => one.normalize('NFC').toLowerCase())).size).toBe(given.length);
        for (const one of names) {
          expect(one).toMatch(/^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}.\-_]*$/u);
          expect(one).not.toMatch(/[._]$/);
          expect(Buffer.byteLength(one)).toBeLessThanOrEqual(200);
          expect(safeName(one)).toBe(one);
        }
      }),
      { numRuns: 100 },
    );
  });
});
