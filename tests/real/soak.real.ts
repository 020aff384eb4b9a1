import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { BackendName } from '../../src/backends/registry.js';
import { makeHome } from '../../src/lab/home.js';
import { startScriptedModel } from '../../src/lab/model/server.js';
import { Sessions } from '../../src/sessions/sessions.js';
import type { BackendSession } from '../../src/sessions/types.js';
import { installedCli } from './installed-cli.js';

// 200 sessions opened, used and closed in random order, with processes killed at random: nothing is left, memory is flat.
const soaks: readonly { backend: BackendName; count: number; atOnce: number }[] = [
  { backend: 'codex', count: 150, atOnce: 8 },
  { backend: 'claude', count: 50, atOnce: 4 },
];

it.each(soaks)(
  '$count sessions with $backend, random kills',
  async ({ backend, count, atOnce }) => {
    const random = seeded(20_261_115);
    const model = await startScriptedModel({ script: (request) => `answer to ${request.prompt}` });
    const home = await makeHome(backend, model.url);
    const sessions = new Sessions({ maxProcesses: atOnce });
    const config = {
      cliPath: installedCli(backend),
      workingDir: home.workingDir,
      queryTimeoutMs: 60_000,
      allowedTools: [],
      maxTurns: 25,
      model: home.model,
      env: home.env,
    };
    const open: BackendSession[] = [];
    const memory: number[] = [];
    let opened = 0;
    let crashed = 0;

    const step = async (): Promise<void> => {
      const dice = random();
      if (dice < 0.03) return killOne(home.mark, random);
      const session =
        open.length === 0 || (opened < count && dice < 0.4)
          ? undefined
          : open[Math.floor(random() * open.length)];
      if (session === undefined) {
        if (opened >= count) return;
        opened += 1;
        // A process may be killed while it opens: that is told, and the next one works.
        const fresh = await sessions.open({ backend, config }).catch(() => undefined);
        if (fresh !== undefined) open.push(fresh);
      } else if (dice > 0.75) {
        open.splice(open.indexOf(session), 1);
        await session.close();
      } else {
        const prompt = `question ${Math.floor(random() * 1e9)}`;
        for await (const event of session.send(prompt)) {
          if (event.type === 'complete') expect(event.text).toBe(`answer to ${prompt}`);
          if (event.type === 'error') crashed += 1;
        }
      }
      if (opened % 25 === 0) memory.push(process.memoryUsage.rss());
    };

    try {
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (opened < count || open.length > 0) {
            if (opened >= count && open.length > 0 && random() < 0.3) await open.pop()?.close();
            else await step();
          }
        }),
      );
    } finally {
      await sessions.close();
    }
    expect(marked(home.mark)).toEqual([]);
    expect(opened).toBe(count);
    const [early = 0, late = 0] = [memory[Math.floor(memory.length / 4)], memory.at(-1)];
    expect((late - early) / 1024 / 1024).toBeLessThan(60);
    // Kills hit some turns and must not hit most of them.
    expect(crashed).toBeLessThan(count);
    await model.close();
    await home.remove();
  },
  300_000,
);

function killOne(mark: string, random: () => number): void {
  const pids = marked(mark);
  const pid = pids[Math.floor(random() * pids.length)];
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile.
  }
}

function marked(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const alive = !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
        return alive && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TURNOUT_LAB=${mark}\0`);
      } catch {
        return false;
      }
    });
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
