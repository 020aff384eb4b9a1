import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeSettings } from '../../../src/config/describe-settings.js';
import { settingNames } from '../../../src/config/settings.js';
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
    const all = await settingsInUse({
      environment: { TURNOUT_HOME: home, PERMISSION_MODE: 'edits', HTTP_TOKEN: 'x y', QUERY_TIMEOUT_MS: '' },
      flags: { WORKING_DIR: '/srv' },
    });
    const of = (name: string) => all.find((each) => each.name === name);
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
  });
});
