import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkStart } from '../../../src/gateway/check-start.js';
import { loadConfig } from '../../../src/gateway/config.js';

describe('a gateway that other machines can reach', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'turnout-reach-'));
    mkdirSync(join(root, 'work'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const check = (settings: Record<string, string>) => {
    const env = {
      HOME: root,
      TURNOUT_HOME: join(root, 'home'),
      WORKING_DIR: join(root, 'work'),
      ...settings,
    };
    return checkStart(loadConfig(env), undefined, env).catch((error: Error) => error.message);
  };

  it.each([
    '0.0.0.0',
    '::',
    '192.168.1.5',
    'agents.example.com',
    '127.evil.example',
    'localhost.evil.example',
  ])('on %s is refused without a token of the operator’s own (16.5)', async (HTTP_HOST) => {
    const refused = await check({ HTTP_HOST });
    expect(refused).toContain(`HTTP_HOST=${HTTP_HOST}: other machines can connect there`);
    expect(refused).toContain('HTTP_TOKEN_FILE=$HOME/.turnout-token');
    expect(await check({ HTTP_HOST, HTTP_TOKEN: 'fifteen-letters' })).toContain('needs a longer token');
    expect(await check({ HTTP_HOST, HTTP_TOKEN: 'sixteen--letters' })).toBeUndefined();
  });

  it.each(['127.0.0.1', '127.0.0.53', '::1', 'localhost', 'LOCALHOST'])(
    'is not one on %s (16.5)',
    async (HTTP_HOST) => {
      expect(await check({ HTTP_HOST })).toBeUndefined();
    },
  );
});
