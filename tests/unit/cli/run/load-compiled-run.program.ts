import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it, type Stage } from '../../../contract/stage.js';
import { buildOnce, demoAgent, turnout } from '../turnout.js';

beforeAll(buildOnce);

const env = { BACKEND_CLI_PATH: demoAgent, TURNOUT_DEMO_SPEED: '0' };
const answer = { code: 0, stdout: 'it’s done …\n', stderr: '' };

function run(stage: Stage) {
  return turnout(stage, ['run', 'say exactly: it’s done …'], { env });
}

function cacheOf(stage: Stage): string {
  const directory = join(stage.home, 'cache');
  const [name = 'nothing'] = existsSync(directory) ? readdirSync(directory) : [];
  return join(directory, name);
}

describe('what V8 has compiled of `turnout run` (18.6)', () => {
  it('is kept in the home of the user, and used as it is', async ({ stage }) => {
    expect(await run(stage), 'without a home').toEqual(answer);
    expect(await run(stage), 'without a cache').toEqual(answer);
    const file = cacheOf(stage);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { ino } = statSync(file);
    expect(await run(stage), 'with the cache').toEqual(answer);
    expect(statSync(file).ino).toBe(ino);
  });

  it('is not used if it is damaged, cut, of another source, or open to others', async ({ stage }) => {
    mkdirSync(stage.home, { mode: 0o700 });
    await run(stage);
    const file = cacheOf(stage);
    const good = readFileSync(file);
    const damaged = Buffer.from(good);
    damaged[good.length >> 1] = ~(good[good.length >> 1] ?? 0);
    for (const content of [damaged, good.subarray(0, 5000), Buffer.alloc(good.length), Buffer.from('')]) {
      writeFileSync(file, content);
      writeFileSync(join(stage.home, 'cache', 'turn-other.cjs-v20.1.1-x64'), 'of another version');
      expect(await run(stage)).toEqual(answer);
      expect(readdirSync(join(stage.home, 'cache'))).toHaveLength(1);
      expect(readFileSync(file).equals(content)).toBe(false);
    }
    chmodSync(file, 0o666);
    expect(await run(stage)).toEqual(answer);
    // It was made anew.
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is not kept where others could change it', async ({ stage }) => {
    mkdirSync(stage.home);
    chmodSync(stage.home, 0o777);
    const { stdout } = await run(stage);
    expect(stdout).toBe(answer.stdout);
    expect(existsSync(join(stage.home, 'cache'))).toBe(false);
  });
});
