import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeSettings } from '../../../src/config/describe-settings.js';
import { problemOf, settingNames } from '../../../src/config/settings.js';
import { settingsInUse } from '../../../src/config/settings-in-use.js';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'turnout-settings-'));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

describe('settings in use (18.3)', () => {
  it('describes every setting, and nothing else', () => {
    expect(
      describeSettings()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...settingNames].sort());
  });

  it('says of each where it comes from', async () => {
    writeFileSync(
      join(home, 'config.yaml'),
      'http_port: 9000\npermission_mode: plan\nquery_timeout_ms: 1000\n',
    );
    const environment = {
      ...{ TURNOUT_HOME: home, PERMISSION_MODE: 'edits', HTTP_TOKEN: 'x y', QUERY_TIMEOUT_MS: '' },
      CONFIG_DIR: './config',
    };
    const all = await settingsInUse({ environment, flags: { WORKING_DIR: '/srv' } }, problemOf);
    expect(all.problems).toEqual([]);
    const of = (name: string) => all.settings.find((each) => each.name === name);
    expect(of('HTTP_PORT')).toMatchObject({
      value: '9000',
      origin: 'file',
      file: join(home, 'config.yaml'),
      defaultValue: '8420',
      isSecret: false,
    });
    expect(of('PERMISSION_MODE')).toMatchObject({ value: 'edits', origin: 'environment' });
    expect(of('QUERY_TIMEOUT_MS')).toMatchObject({ value: '1000', origin: 'file' });
    expect(of('WORKING_DIR')).toMatchObject({ value: '/srv', origin: 'flag' });
    expect(of('HTTP_TOKEN')).toMatchObject({ isSecret: true, problem: expect.stringContaining('visible') });
    expect(of('LOG_LEVEL')).toMatchObject({ origin: 'default', defaultValue: 'info' });
    expect(of('LOG_LEVEL')).not.toHaveProperty('value');
    // Exported for another program: it is marked, and keeps nobody from looking.
    expect(of('CONFIG_DIR')).toMatchObject({ value: './config', problem: 'expected an absolute path' });
    expect(of('BACKEND_MAX_TURNS')).toMatchObject({ defaultValue: '25' });
    expect(of('PERMISSION_MODE')).toMatchObject({ defaultValue: 'bypass', inChat: 'ask' });
  });

  it('shows what can be read of files that are wrong, with what is wrong in them', async () => {
    writeFileSync(join(home, 'config.yaml'), 'http_port: 9000\nhttp_prot: 1\n');
    writeFileSync(join(home, '.env'), 'nonsense\n');
    const { settings, problems } = await settingsInUse({ environment: { TURNOUT_HOME: home } }, problemOf);
    expect(settings.find(({ name }) => name === 'HTTP_PORT')).toMatchObject({ value: '9000' });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('line 2: "http_prot" is no setting. Did you mean HTTP_PORT?'),
      expect.stringContaining('line 1: expected NAME=value'),
    ]);
  });
});
