import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { it, type Stage } from './stage.js';

const program = fileURLToPath(new URL('../fixtures/parrot/parrot.mjs', import.meta.url));
const recordings = new URL('../fixtures/recordings/parrot/', import.meta.url);

const scenarios: Readonly<Record<string, (stage: Stage) => ReturnType<typeof talk>>> = {
  answer: (stage) => talk(stage, 'Hello from the scripted model.'),
  tool: (stage) => talk(stage, 'Looking. \nread note.txt\nThe tool said it.'),
  'tool-fails': (stage) => talk(stage, 'read nothing.txt\nIt failed.'),
  resume: (stage) => {
    const [hello = ''] = talk(stage, 'Polly was here.').stdout;
    return talk(stage, 'before?', '--again', JSON.parse(hello).sessionId);
  },
  'resume-unknown': (stage) => talk(stage, 'before?', '--again', 'nobody'),
  fails: (stage) => talk(stage, 'fail invalid API key'),
};

describe('the recordings of Parrot are what Parrot prints', () => {
  for (const [scenario, play] of Object.entries(scenarios)) {
    it(scenario, async ({ stage }) => {
      stage.write('work/note.txt', 'made by a tool');
      const recording = { cli: 'parrot', version: '1.0.0', scenario, format: 'stream', ...play(stage) };
      const file = fileURLToPath(new URL(`${scenario}.json`, recordings));
      await expect(`${withPlainIds(JSON.stringify(recording, null, 2))}\n`).toMatchFileSnapshot(file);
    });
  }
});

function talk(stage: Stage, prompt: string, ...args: string[]) {
  const { stdout, stderr, status, signal } = spawnSync(program, ['talk', ...args], {
    cwd: stage.workingDir,
    env: stage.env,
    input: prompt,
    encoding: 'utf8',
  });
  return { exit: { code: status, signal }, stdout: stdout.split('\n').slice(0, -1), stderr };
}

/** Replaces each id that is different in every run by one that is not. */
function withPlainIds(text: string): string {
  const ids = new Map<string, string>();
  return text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}/g, (id) => {
    if (!ids.has(id)) ids.set(id, `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`);
    return ids.get(id) ?? id;
  });
}
