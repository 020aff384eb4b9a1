import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseConfigFile } from '../../../src/config/config-file.js';
import { fileWarnings } from '../../../src/config/file-warnings.js';

it('a name that looks like one of ours is suggested (17.7)', async () => {
  const warned = (name: string) => fileWarnings('/h/.env', { [name]: 'x' }).join();
  expect(warned('DISCORD_TOKEN')).toBe('DISCORD_TOKEN in /h/.env is no setting; is DISCORD_BOT_TOKEN meant?');
  expect(warned('DISCORD_ALLOWED_USER')).toContain('DISCORD_ALLOWED_USERS');
  for (const name of ['HTTP_PROXY', 'ANTHROPIC_API_KEY', 'HTTP_PORT', 'HTTPS_PROXY'])
    expect(warned(name)).toBe('');
  await expect(parseConfigFile('/h/config.yaml', 'DISCORD_TOKEN: x')).rejects.toThrow(
    'is no setting. Did you mean DISCORD_BOT_TOKEN?',
  );
});

it('a file with a token that others can read is warned of, and the token is not shown (17.7)', () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnout-warnings-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, '.env');
  writeFileSync(file, '');
  chmodSync(file, 0o644);
  expect(fileWarnings(file, { HTTP_PORT: '1' })).toEqual([]);
  expect(fileWarnings(file, { DISCORD_BOT_TOKEN: 'a.b.c' })).toEqual([
    `Other users can read ${file}, and DISCORD_BOT_TOKEN is in it: chmod 600 ${file}`,
  ]);
  chmodSync(file, 0o600);
  expect(fileWarnings(file, { DISCORD_BOT_TOKEN: 'a.b.c' })).toEqual([]);
});
