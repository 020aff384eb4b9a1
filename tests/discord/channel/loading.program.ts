import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { directory, exitCode, startProgram, url } from '../../gateway/program.js';
import { demoAgent, eventually } from '../../gateway/stage.js';
import { startDiscord } from '../loopback/stage.js';
import { until } from '../loopback/until.js';

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

/** A module that writes down at the end of its process whether discord.js was loaded in it. */
function lookAtTheEnd(root: string): { readonly options: string; loaded(): string } {
  const [look, seen] = [join(root, 'look.cjs'), join(root, 'seen')];
  writeFileSync(
    look,
    `process.on('exit', () => {
      if (!process.argv[1]?.includes('cli/main')) return;
      const loaded = Object.keys(require.cache).some((path) => path.endsWith('discord.cjs'));
      require('node:fs').writeFileSync(${JSON.stringify(seen)}, String(loaded));
    });`,
  );
  return {
    options: `--require=${look}`,
    loaded: () => (existsSync(seen) ? readFileSync(seen, 'utf8') : 'nobody looked'),
  };
}

it('without a token nothing of discord.js is loaded (17)', async () => {
  const root = directory();
  const look = lookAtTheEnd(root);
  const env = {
    ...{ PATH: '/usr/bin:/bin', HOME: root, TURNOUT_HOME: join(root, 'home'), WORKING_DIR: root },
    ...{ BACKEND_CLI_PATH: demoAgent, NODE_OPTIONS: look.options, TURNOUT_DEMO_SPEED: '10' },
  };
  spawnSync(process.execPath, [program, 'run', 'hello'], { cwd: root, env });
  expect(look.loaded()).toBe('false');
  const gateway = startProgram(root, { BACKEND_CLI_PATH: demoAgent, NODE_OPTIONS: look.options });
  await url(gateway);
  gateway.child.kill('SIGTERM');
  expect(await exitCode(gateway)).toBe(0);
  expect(look.loaded()).toBe('false');
});

it('the built gateway answers on Discord, and ends by itself when it is stopped (17.1)', async () => {
  const root = directory();
  const look = lookAtTheEnd(root);
  const discord = await startDiscord();
  const anna = discord.people.join('anna');
  const gateway = startProgram(root, {
    ...{ BACKEND_CLI_PATH: demoAgent, NODE_OPTIONS: look.options },
    ...{ DISCORD_BOT_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, DISCORD_ALLOWED_USERS: anna.id },
  });
  await until(() => discord.gateway.connected, 'the connection');
  discord.people.write(anna, discord.channel, `${discord.mention} hello`);
  await until(() => discord.answers(discord.channel).length === 1, 'an answer');
  gateway.child.kill('SIGTERM');
  expect(await exitCode(gateway)).toBe(0);
  expect(look.loaded()).toBe('true');
  await eventually(() => !discord.gateway.connected);
  expect(discord.violations).toEqual([]);
});
