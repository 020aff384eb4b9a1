import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addChecked, isChecked } from '../../../../src/backends/launch/checked-versions.js';
import { vettingNotice } from '../../../../src/backends/launch/vetted.js';

const codex = { name: 'codex', label: 'Codex', npmPackage: '@openai/codex' };

describe('versions that passed turnout doctor --deep here', () => {
  let root: string;
  let home: string;
  let file: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'turnout-checked-'));
    home = join(root, 'home');
    file = join(home, 'checked-versions.json');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('are remembered, with those from before, in a file for this user alone', async () => {
    await addChecked(home, []);
    expect(readdirSync(root)).toEqual([]);
    await addChecked(home, [{ backend: 'codex', version: '999.0.0' }]);
    await addChecked(home, [
      { backend: 'codex', version: '999.0.1' },
      { backend: 'claude', version: '999.0.2' },
    ]);
    expect(isChecked(home, 'codex', '999.0.0')).toBe(true);
    expect(isChecked(home, 'codex', '999.0.1')).toBe(true);
    expect(isChecked(home, 'claude', '999.0.2')).toBe(true);
    expect(isChecked(home, 'claude', '999.0.0')).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(home)).toEqual(['checked-versions.json']);
  });

  it('make no notice; others still do', async () => {
    await addChecked(home, [{ backend: 'codex', version: '999.0.0' }]);
    expect(vettingNotice(codex, '999.0.0', home)).toBeUndefined();
    expect(vettingNotice(codex, '999.0.1', home)).toMatchObject({ type: 'notice' });
    expect(vettingNotice(codex, '999.0.0', root)).toMatchObject({ type: 'notice' });
  });

  it('are not known where the file is garbage, too long, or no file, and the next pass replaces it', async () => {
    mkdirSync(home);
    const version = '999.0.0';
    for (const content of ['', '{', 'null', '["codex"]', '{"codex":"999.0.0"}', '{"codex":[7]}']) {
      writeFileSync(file, content);
      expect(isChecked(home, 'codex', version)).toBe(false);
    }
    writeFileSync(file, `{"codex":["${version}"]${' '.repeat(70_000)}}`);
    expect(isChecked(home, 'codex', version)).toBe(false);
    rmSync(file);
    execFileSync('mkfifo', [file]);
    expect(isChecked(home, 'codex', version)).toBe(false);
    await addChecked(home, [{ backend: 'codex', version }]);
    expect(isChecked(home, 'codex', version)).toBe(true);
  });
});
