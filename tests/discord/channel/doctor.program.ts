import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { directory } from '../../gateway/program.js';
import { demoAgent } from '../../gateway/stage.js';
import { startDiscord } from '../loopback/stage.js';

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

it('turnout doctor says who may speak, what the bot lacks, and how it is invited (17.7)', async () => {
  const discord = await startDiscord();
  const root = directory();
  const env = {
    ...{ PATH: '/usr/bin:/bin', HOME: root, TURNOUT_HOME: root, BACKEND_CLI_PATH: demoAgent },
    ...{ DISCORD_BOT_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
  };
  const doctor = () =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, [program, 'doctor'], { cwd: root, env }, (_, stdout) => resolve(stdout));
    });
  discord.permit(discord.channel, 'SendMessages', false);
  const said = await doctor();
  expect(said).toContain(`Discord  see the warnings below: the bot "${discord.bot.name}"`);
  expect(said).toContain('warning: Nobody may speak to the bot');
  expect(said).toContain('lacks "Send Messages" in #general');
  expect(said).not.toContain(discord.token);
  discord.world.guilds.clear();
  expect(await doctor()).toContain(`authorize?client_id=${discord.bot.id}&`);
});
