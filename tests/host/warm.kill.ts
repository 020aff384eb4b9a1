import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildOnce, type Finished } from '../unit/cli/turnout.js';
import { type WarmStage, warmStages } from './warm-stage.js';

beforeAll(buildOnce);
const warmStage = warmStages();

const runs = Number(process.env['WARM_RUNS'] ?? 200);
const atOnce = 4;

describe('turnout run --warm while host and CLIs are killed (18.7)', () => {
  it(`${runs} runs: each has its own answer or says that the agent crashed, and nothing is left`, async () => {
    const stage = warmStage();
    await stage.run('hello');
    const left = Array.from({ length: runs }, (_, i) => i);
    const outcomes = { right: 0, crashed: 0 };
    const wrong: Finished[] = [];
    const killed = { host: 0, agent: 0 };
    let over = false;

    const work = async () => {
      for (let i = left.shift(); i !== undefined; i = left.shift()) {
        const words = `answer-${i}-${'x'.repeat(i % 50)}`;
        const finished = await stage.run(`say exactly: ${words}`);
        const outcome = judge(finished, words);
        if (outcome === 'wrong') wrong.push(finished);
        else outcomes[outcome] += 1;
      }
    };
    const kill = async () => {
      while (!over) {
        await sleep(100 + Math.random() * 500);
        const found = stage.processes().filter(({ command }) => /host serve|demo-agent/.test(command));
        const victim = found[Math.floor(Math.random() * found.length)];
        if (victim === undefined || over) continue;
        try {
          process.kill(victim.pid, 'SIGKILL');
          killed[victim.command.includes('host serve') ? 'host' : 'agent'] += 1;
        } catch {
          // It has ended by itself meanwhile.
        }
      }
    };
    const killing = kill();
    await Promise.all(Array.from({ length: atOnce }, work));
    over = true;
    await killing;
    process.stdout.write(`${JSON.stringify({ ...outcomes, killed })}\n`);
    expect(wrong).toEqual([]);
    expect(killed.host).toBeGreaterThan(runs / 40);
    expect(killed.agent).toBeGreaterThan(runs / 40);
    // One that was killed in the middle of its answer can't be helped.
    expect(outcomes.right).toBeGreaterThan(runs * 0.8);
    // What the last killed host has left is ended by the next start.
    expect((await stage.run('say exactly: done')).stdout).toBe('done\n');
    await nothingButOneHost(stage);
  }, 300_000);
});

function judge({ code, stdout, stderr }: Finished, words: string): 'right' | 'crashed' | 'wrong' {
  if (code === 0) return stdout === `${words}\n` ? 'right' : 'wrong';
  // What was said before the crash is the beginning of the answer.
  const told = code === 1 && deaths.some((death) => death.test(stderr));
  return told && words.startsWith(stdout.trimEnd()) ? 'crashed' : 'wrong';
}

/** All that is said on stderr: what was killed, and nothing else. */
const deaths: readonly RegExp[] = [
  /^turnout: The host that ran the turn has ended in the middle of it\.\n$/,
  /^turnout: The agent’s process has ended, and may have begun a tool: the turn is not run again\.\n$/,
  /^turnout: Claude was killed \(signal SIGKILL\)\n$/,
  /^turnout: Claude CLI error \(signal SIGKILL\): unknown error\n$/,
];

async function nothingButOneHost(stage: WarmStage): Promise<void> {
  const status = await stage.status();
  const owned = () =>
    stage
      .processes()
      .filter(({ pid, parent }) => pid !== status?.pid && parent !== status?.pid)
      .map(({ command }) => command);
  await expect.poll(owned).toEqual([]);
}
