import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeSettings } from '../../../src/config/describe-settings.js';
import { readEnvironment } from '../../../src/config/read-environment.js';
import { settingUsers } from '../../../src/config/used-settings.js';
import { loadConfig } from '../../../src/gateway/config.js';

describe('which command uses which setting (18.3)', () => {
  it('is in the documentation, with each default', () => {
    const text = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
    const rows = new Map(
      [...text.matchAll(/^\| `([A-Z_]+)` *\| *([^|]*?) *\| *([^|]*?) *\|/gm)].map(
        ([, name, value, users]) => [name, { value: value?.replaceAll('`', ''), users }],
      ),
    );
    // The host has the settings of whoever asks it.
    const ofAgents = settingUsers.filter((user) => user !== 'host');
    const inText = ['FORGE_BACKEND', 'DATABASE_URL', /_FILE$/];
    for (const { name, defaultValue, usedBy } of describeSettings()) {
      if (inText.some((known) => (typeof known === 'string' ? known === name : known.test(name)))) continue;
      const row = rows.get(name);
      const isAll = ofAgents.every((user) => usedBy.includes(user));
      expect(row?.users, name).toBe(isAll ? 'all' : usedBy.join(', '));
      if (defaultValue !== undefined) expect(row?.value, name).toBe(defaultValue);
    }
  });

  it('decides which values are looked at', () => {
    const env = { HTTP_PORT: 'abc', POOL_SPARES: 'x', HTTP_TOKEN_FILE: '/not/there', TURNOUT_HOME: '/h' };
    for (const command of ['run', 'chat', 'chain', 'doctor', 'host', 'place', 'none'] as const)
      expect(loadConfig(env, {}, {}, command), command).toMatchObject({ httpPort: 8420, warnings: [] });
    expect(loadConfig({ LOG_LEVEL: 'loud' }, {}, {}, 'chat').warnings).toEqual([]);
    expect(() => loadConfig(env)).toThrow(/3 settings are wrong/);
    expect(() => loadConfig({ ...env, ALLOWED_TOOLS: ',' }, {}, {}, 'run')).toThrow('ALLOWED_TOOLS');
    expect(() => loadConfig({ QUERY_TIMEOUT_MS: 'x' }, {}, {}, 'run')).toThrow('QUERY_TIMEOUT_MS');
    expect(() => loadConfig({ QUERY_TIMEOUT_MS: 'x' }, {}, {}, 'chain')).not.toThrow();
  });

  it('an unknown LOG_LEVEL is a warning for a turn, and refused by the gateway', () => {
    const config = loadConfig({ LOG_LEVEL: 'loud' }, {}, { LOG_LEVEL: 'in the environment' }, 'run');
    expect(config).toMatchObject({
      logLevel: 'info',
      warnings: [
        'LOG_LEVEL="loud" in the environment: expected one of debug, info, warn, error, silent; it counts as not set.',
      ],
    });
    expect(() => loadConfig({ LOG_LEVEL: 'loud' })).toThrow('LOG_LEVEL');
  });

  it.each(['none', 'place', 'host', 'run'] as const)(
    '%s does not stumble over a path for another program',
    async (command) => {
      const environment = { TURNOUT_HOME: '/not/there', CONFIG_DIR: './config', HTTP_TOKEN_FILE: 'x' };
      await expect(readEnvironment({ environment, command })).resolves.toMatchObject({ problems: [] });
      await expect(readEnvironment({ environment })).rejects.toThrow('CONFIG_DIR');
    },
  );
});
