import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { directory, exitCode, startProgram } from '../../gateway/program.js';
import { claudeLines } from '../../gateway/turns/claude-lines.js';
import { startDiscord } from '../loopback/stage.js';
import { until } from '../loopback/until.js';

const replay = fileURLToPath(new URL('../../fixtures/programs/replay.sh', import.meta.url));

/** Discord's is 41 seconds: here a beat is late after one. */
const heartbeatInterval = 500;

it('the heart beats in time while agents use all processors and print 5 MB (17.7)', async () => {
  const root = directory();
  const discord = await startDiscord({ heartbeatInterval });
  const anna = discord.people.join('anna');
  const { init, tool, toolResult, answer } = claudeLines;
  const steps = Array.from({ length: 500 }, (_, index) => {
    const id = `t${index}`;
    return tool(JSON.stringify({ command: 'x'.repeat(10_000) }), id) + toolResult(id);
  });
  const output = join(root, 'output');
  writeFileSync(output, init + steps.join('') + answer('done'));
  const gateway = startProgram(root, {
    ...{ DISCORD_BOT_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, DISCORD_ALLOWED_USERS: anna.id },
    ...{ BACKEND_CLI_PATH: replay, REPLAY_STDOUT: output, REPLAY_STDERR: '/dev/null' },
    ...{ REPLAY_SIGNAL: '', REPLAY_EXIT: '0' },
  });
  await until(() => discord.gateway.connected, 'the connection');
  burnAllProcessors();
  const channels = ['a', 'b', 'c', 'd'].map((name) => discord.addChannel(name));
  for (const channel of channels) discord.people.write(anna, channel, `${discord.mention} go`);
  await until(
    () => channels.every((channel) => discord.answers(channel).length === 1),
    'the answers',
    80_000,
  );
  expect(discord.violations).toEqual([]);
  expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 0 });
  gateway.child.kill('SIGTERM');
  expect(await exitCode(gateway)).toBe(0);
});

function burnAllProcessors(): void {
  for (let count = 0; count < availableParallelism(); count++) {
    const burner = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    onTestFinished(() => void burner.kill('SIGKILL'));
  }
}
