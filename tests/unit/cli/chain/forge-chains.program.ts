import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { it } from '../../../contract/stage.js';
import { buildOnce } from '../turnout.js';
import { ForgeProject } from './forge-stage.js';

beforeAll(buildOnce);

const ann = 'CUSTOMER=Ann';
const noColumns = (text: string) => text.replace(/ {2,}/g, ' ');

describe.concurrent('the chains of existing users, unchanged', () => {
  it('survey: agents’ own prompts, models, tools and files reach the CLI (O6)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    const done = await project.chain(['--chain', 'survey', 'AREA=cellar', '-v']);
    expect(done).toMatchObject({ code: 0 });
    expect(noColumns(done.stdout)).toMatch(
      /^survey: completed\n 1 surveyor claude done 1 iteration, single_run\n 2 inspector claude done 1 iteration, marker\n/,
    );
    // O9: verbose says what is run, and what the agents say.
    expect(done.stderr).toMatch(/bin\/claude -p .*--model opus .*--allowedTools Read/);
    expect(done.stderr).toContain('[1/2] surveyor | You said: “Survey cellar and write down what you find.”');
    expect(done.stderr).toContain('[2/2] inspector | You said: “Inspect the work of today.”');
    const [first = [], second = []] = project.argsOf('claude');
    expect(valuesOf(first, '--model')).toEqual(['opus']);
    expect(valuesOf(first, '--max-turns')).toEqual(['40']);
    expect(valuesOf(first, '--allowedTools')).toEqual(['Read', 'Grep', 'Bash']);
    expect(valuesOf(second, '--model')).toEqual(['sonnet']);
    expect(valuesOf(second, '--disallowedTools')).toEqual(['WebSearch', 'WebFetch']);
    const orch = join(project.directory, 'forge/orch');
    expect(valuesOf(second, '--mcp-config')).toEqual([join(orch, 'mcp.json')]);
    expect(valuesOf(second, '--settings')).toEqual([join(orch, 'settings.json')]);
  });

  it('build-all: two CLIs and a program, loops and single runs, variables in prompts and arguments (O6)', async ({
    stage,
  }) => {
    const project = new ForgeProject(stage);
    const done = await project.chain(['--chain', 'build-all', 'FEATURE=arch', ann]);
    expect(done).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
    expect(noColumns(done.stdout)).toContain(
      [
        'build-all: completed',
        ' 1 surveyor claude done 1 iteration, marker',
        ' 2 mason codex done 2 iterations, marker',
        ' 3 lint-gate lint-gate done 1 iteration, single_run',
        ' 4 inspector claude done 1 iteration, single_run',
        ' 5 mason codex done 1 iteration, single_run\n',
      ].join('\n'),
    );
    const runs = project.codexRuns();
    expect(runs).toMatchObject([
      { command: 'app-server', prompt: 'Build arch for Ann.', model: 'gpt-5-codex' },
      { command: 'app-server', prompt: 'Build arch for Ann.' },
      { command: 'exec', prompt: 'Sweep up after arch.', model: 'gpt-5-codex' },
    ]);
    for (const { instructions } of runs) {
      expect(instructions).toMatch(/^You run unattended[\s\S]*You are the mason: you build/);
    }
    expect(project.argsOf('lint-gate')).toEqual([['--strict', '--only=arch', 'Build arch for Ann.']]);
  });

  it('nightly: a loop without the marker is incomplete, and the chain stops there (O6, O7)', async ({
    stage,
  }) => {
    const project = new ForgeProject(stage);
    const stopped = await project.chain(['--chain', 'nightly', ann]);
    expect(stopped).toMatchObject({ code: 1 });
    expect(noColumns(stopped.stdout)).toMatch(
      /^nightly: incomplete\n 1 surveyor claude incomplete 2 iterations, max_iterations\n 2 mason codex skipped\n 3 scribe claude skipped\n/,
    );
    expect(project.codexRuns()).toEqual([]);
    // The command line's prompt wins over the chain's file, for every step.
    const done = await project.chain(['--chain', 'nightly', ann, '-p', 'Tidy up for ${CUSTOMER}']);
    expect(done).toMatchObject({ code: 0 });
    expect(noColumns(done.stdout)).toMatch(
      /^nightly: completed\n 1 surveyor .* marker\n 2 mason codex done 2 iterations, marker\n 3 scribe claude done 1 iteration, single_run\n/,
    );
    expect(project.codexRuns().map(({ prompt }) => prompt)).toEqual(['Tidy up for Ann', 'Tidy up for Ann']);
  });

  it('release: programs get the step’s arguments, then the prompt, as they are (O11)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    const done = await project.chain(['--chain', 'release', 'VERSION=1.2.0', '-p', 'what is your prompt']);
    expect(done).toMatchObject({ code: 0 });
    expect(noColumns(done.stdout)).toMatch(
      /^release: completed\n 1 scribe claude done 1 iteration, marker\n 2 tag-release tag-release done 1 iteration, single_run\n 3 lint-gate lint-gate done 1 iteration, single_run\n/,
    );
    const [tagged = []] = project.argsOf('tag-release');
    expect(tagged).toEqual(['--tag', 'v1.2.0', '--note=1.2.0 "quoted" $HOME', 'what is your prompt']);
    const [scribe = []] = project.argsOf('claude');
    expect(valuesOf(scribe, '--add-dir')).toEqual(['notes/1.2.0']);
    const failed = await project.chain(['--chain', 'release', 'VERSION=0.1']);
    expect(failed).toMatchObject({ code: 1 });
    expect(noColumns(failed.stdout)).toMatch(
      /^release: failed\n 1 scribe .* marker\n 2 tag-release tag-release failed 1 iteration, error\n crashed: .*tag v0\.1 is taken\n 3 lint-gate lint-gate skipped\n/,
    );
  });

  it('an empty system prompt is one: the scribe is told how it runs, and nothing of the path (O6)', async ({
    stage,
  }) => {
    const project = new ForgeProject(stage);
    const done = await project.chain(['scribe', '-p', 'what is your system prompt', '-v']);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stderr).toContain('| You run unattended');
    expect(done.stderr).not.toContain('Surveyor');
    const surveyor = await project.chain(['surveyor', '-p', 'what is your system prompt', '-v']);
    expect(surveyor.stderr).toContain('| # Surveyor');
  });

  it('an agent of the file without a system prompt is a program, with its default prompt (O6, O11)', async ({
    stage,
  }) => {
    const project = new ForgeProject(stage);
    expect(await project.chain(['lint-gate'])).toMatchObject({ code: 0 });
    expect(project.argsOf('lint-gate')).toEqual([['Look for loose stones.']]);
  });
});

describe.concurrent('the commands of existing users', () => {
  it('--dry-run, plan and list start nothing (O9)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    const build = ['--chain', 'build-all', 'FEATURE=arch', ann];
    const dry = await project.chain([...build, '--dry-run']);
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toMatch(/^build-all: 5 steps, nothing has been started\n/);
    const plan = await project.chain(['plan', ...build, '--output', 'json']);
    expect(plan).toMatchObject({ code: 0, stderr: '' });
    const lists = { native: expect.any(Array), emulated: [], refused: [] };
    expect(JSON.parse(plan.stdout)).toMatchObject({
      steps: [
        { agent: 'surveyor', backend: 'claude', iterations: 3, loop: true, ...lists },
        { agent: 'mason', backend: 'codex', iterations: 5, loop: true, ...lists },
        { agent: 'lint-gate', iterations: 1, loop: false, ...lists },
        { agent: 'inspector', backend: 'claude', iterations: 1, loop: false, ...lists },
        { agent: 'mason', backend: 'codex', iterations: 1, loop: false, ...lists },
      ],
    });
    const list = await project.chain(['list']);
    expect(list.stdout).toContain('\n  build-all  Survey, build, check, inspect\n');
    expect(list.stdout).toContain('    surveyor:3 -> mason:5 -> lint-gate -> inspector -> mason\n');
    expect(JSON.parse((await project.chain(['list', '--json'])).stdout)).toMatchObject({
      file: 'forge/orch/chains.json',
      chains: [{ name: 'survey' }, { name: 'build-all' }, { name: 'nightly' }, { name: 'release' }],
      agents: [{ name: 'surveyor' }, { name: 'mason' }, { name: 'inspector' }, {}, { name: 'lint-gate' }],
    });
    expect(project.startedNothing).toBe(true);
  });

  it('the plan of a program is the exact command, with the variables put in (O9)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    const plan = await project.chain(['plan', 'build-all', 'FEATURE=arch', ann, '--json']);
    const { command } = JSON.parse(plan.stdout).steps[2];
    expect(command).toMatch(/bin\/lint-gate --strict --only=arch 'Build arch for Ann\.'$/);
  });

  it('the prompt of the command line: -p, --prompt, --prompt-file (O6)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    writeFileSync(join(project.directory, 'task.md'), 'From a file for ${CUSTOMER}.');
    const given: readonly (readonly [readonly string[], string])[] = [
      [['-p', 'From the line for ${CUSTOMER}.'], 'From the line for Ann.'],
      [['--prompt', 'Long.'], 'Long.'],
      [['--prompt-file', 'task.md'], 'From a file for Ann.'],
    ];
    for (const [args, prompt] of given) {
      expect(await project.chain(['lint-gate', ann, ...args]), args.join(' ')).toMatchObject({ code: 0 });
      expect(project.argsOf('lint-gate'), args.join(' ')).toEqual([[prompt]]);
    }
  });

  it('-p beside --prompt-file wins, in either order (O6)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    writeFileSync(join(project.directory, 'task.md'), 'From a file.');
    const [text, file] = [
      ['-p', 'From the line.'],
      ['--prompt-file', 'task.md'],
    ];
    for (const args of [
      [...text, ...file],
      [...file, ...text],
    ]) {
      expect(await project.chain(['lint-gate', ...args])).toMatchObject({ code: 0 });
      expect(project.argsOf('lint-gate')).toEqual([['From the line.']]);
    }
  });

  it('--cwd: the file, its prompts and the agents are there (O6)', async ({ stage }) => {
    const project = new ForgeProject(stage, stage.path('elsewhere'));
    const args = ['--chain', 'survey', 'AREA=cellar', '--cwd', project.directory];
    const done = await project.chain(args);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^survey: completed\n/) });
    expect(await project.chain(args.slice(0, 3))).toMatchObject({ code: 2, stdout: '' });
    const nowhere = await project.chain([...args.slice(0, 4), stage.path('nowhere')]);
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere') });
  });

  it('runs: what has been run, newest first (O6)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    expect(await project.chain(['--chain', 'release', 'VERSION=1'])).toMatchObject({ code: 0 });
    expect(await project.chain(['--chain', 'release', 'VERSION=0.1'])).toMatchObject({ code: 1 });
    const facts = { runId: expect.any(String), chain: 'release', startedAt: expect.any(String) };
    expect(JSON.parse((await project.chain(['runs', '--output', 'json'])).stdout)).toEqual([
      { ...facts, status: 'failed' },
      { ...facts, status: 'completed' },
    ]);
    expect((await project.chain(['runs'])).stdout).toMatch(
      /failed .* release.*\n.*completed .* release.*\n$/,
    );
  });

  it('--output json tells a run as the issue says (O6)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    const done = await project.chain(['--chain', 'build-all', 'FEATURE=arch', ann, '--output', 'json']);
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.parse(done.stdout)).toMatchObject({
      ...{ runId: expect.any(String), chain: 'build-all', status: 'completed' },
      steps: [
        { agent: 'surveyor', backend: 'claude', status: 'done', iterations: 1, reason: 'marker' },
        ...[
          { agent: 'mason', backend: 'codex', status: 'done', iterations: 2, reason: 'marker' },
          { agent: 'lint-gate', status: 'done', reason: 'single_run', output: 'No loose stones.' },
        ],
        { agent: 'inspector', sessionId: expect.any(String), usage: expect.any(Object) },
        { agent: 'mason', reason: 'single_run', output: 'The wall stands.' },
      ],
    });
  });
});

describe.concurrent('what is wrong is told before the first token, with the exit code 2', () => {
  it('a variable that was not given, in a prompt, its file and arguments (O10)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    const release = await project.chain(['--chain', 'release']);
    expect(release).toMatchObject({ code: 2, stdout: '' });
    expect(release.stderr).toMatch(/chains\.release\.prompt uses \$\{VERSION\}/);
    expect(release.stderr).toMatch(/chains\.release\.steps\[2\]\.args uses \$\{VERSION\}/);
    for (const chain of ['nightly', 'survey', 'build-all']) {
      expect(await project.chain(['--chain', chain, 'FEATURE=x']), chain).toMatchObject({ code: 2 });
    }
    const lower = await project.chain(['--chain', 'nightly', 'customer=Ann']);
    expect(lower).toMatchObject({ code: 2, stderr: expect.stringContaining('customer') });
    expect(project.startedNothing).toBe(true);
  });

  it.for<[string, string]>([
    ['forge/orch/prompts/inspector.md', 'agents.inspector.systemPrompt'],
    ['forge/orch/prompts/inspect.md', 'agents.inspector.defaultPromptFile'],
    ['forge/orch/mcp.json', 'agents.inspector.mcpConfig'],
    ['forge/orch/settings.json', 'agents.inspector.settings'],
  ])('%s is not there', async ([path, place], { stage }) => {
    const project = new ForgeProject(stage);
    rmSync(join(project.directory, path));
    const done = await project.chain(['--chain', 'survey', 'AREA=x']);
    expect(done).toMatchObject({ code: 2, stdout: '' });
    expect(done.stderr).toContain(place);
    expect(done.stderr).toContain(path);
    expect(project.startedNothing).toBe(true);
  });

  it('a program that is not on PATH, a chain that there is not, a prompt file that is not there (O10)', async ({
    stage,
  }) => {
    const project = new ForgeProject(stage);
    rmSync(stage.path('bin/tag-release'));
    const tag = await project.chain(['--chain', 'release', 'VERSION=1']);
    expect(tag).toMatchObject({ code: 2, stderr: expect.stringContaining('chains.release.steps[2].agent') });
    const misspelt = await project.chain(['--chain', 'nightyl', ann]);
    expect(misspelt).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean nightly?') });
    const noFile = await project.chain(['--chain', 'survey', 'AREA=x', '--prompt-file', 'none.md']);
    expect(noFile).toMatchObject({ code: 2, stderr: expect.stringContaining('none.md') });
    expect(project.startedNothing).toBe(true);
  });

  it('a CLI that is not installed: the exit code is 3, and the step is named (O10)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    rmSync(stage.path('bin/codex'));
    const done = await project.chain(['--chain', 'nightly', ann]);
    expect(done).toMatchObject({ code: 3, stderr: expect.stringContaining('chains.nightly.steps[2]') });
    expect(project.startedNothing).toBe(true);
  });
});

describe.concurrent('a chain in one line, typed', () => {
  it.for<[string, readonly (readonly [string, number, boolean])[]]>([
    ['surveyor', [['surveyor', 1, false]]],
    ['surveyor:3', [['surveyor', 3, true]]],
    ['lint-gate:1', [['lint-gate', 1, true]]],
    [
      'surveyor:3 -> mason:10',
      [
        ['surveyor', 3, true],
        ['mason', 10, true],
      ],
    ],
    [
      'surveyor->mason',
      [
        ['surveyor', 1, false],
        ['mason', 1, false],
      ],
    ],
    [
      'surveyor \t->\n\r\n mason : 2',
      [
        ['surveyor', 1, false],
        ['mason', 2, true],
      ],
    ],
    ['  9-lives_x : 007  ', [['9-lives_x', 7, true]]],
    [
      'mason -> mason -> mason:1',
      [
        ['mason', 1, false],
        ['mason', 1, false],
        ['mason', 1, true],
      ],
    ],
  ])('%j is understood, by run, plan and --chain (O6)', async ([line, steps], { stage }) => {
    const project = new ForgeProject(stage);
    stage.program('bin/9-lives_x', 'echo meow');
    const expected = steps.map(([agent, iterations, loop]) => ({ agent, iterations, loop }));
    for (const form of [
      ['plan', line],
      ['run', line, '--dry-run'],
      ['--chain', line, '--dry-run'],
    ]) {
      const plan = await project.chain([...form, '-p', 'x', '--output', 'json']);
      expect(plan, form.join(' ')).toMatchObject({ code: 0 });
      expect(JSON.parse(plan.stdout).steps).toMatchObject(expected);
    }
  });

  it('runs (O6)', async ({ stage }) => {
    const project = new ForgeProject(stage);
    const done = await project.chain(['surveyor:2->mason : 3 ->\tlint-gate', '-p', 'Build.']);
    expect(done).toMatchObject({ code: 0 });
    expect(noColumns(done.stdout)).toMatch(
      /: completed\n 1 surveyor .* 1 iteration, marker\n 2 mason .* 2 iterations, marker\n 3 lint-gate .* single_run\n/,
    );
  });

  it.for<[string, number]>([
    ['-> surveyor', 1],
    ['->', 1],
    ['surveyor ->', 2],
    ['surveyor -> -> mason', 2],
    [':3', 1],
    ['surveyor -> :3', 2],
    ['surveyor:', 1],
    ['surveyor -> mason:0', 2],
    ['surveyor:-1', 1],
    ['surveyor:1.5', 1],
    ['surveyor:1e3', 1],
    ['surveyor:three', 1],
    ['surveyor:1:2', 1],
    ['surveyor:99999999999999999999', 1],
    ['surveyor -> mason -> _c', 3],
    ['surveyor -> -c', 2],
    ['surveyor mason -> mason', 1],
    ['surveyor -> a/b', 2],
    ['surveyor -> ü', 2],
  ])('%j is refused with the number of the step (O6)', async ([line, step], { stage }) => {
    const project = new ForgeProject(stage);
    for (const form of [
      ['run', line],
      ['plan', line],
      ['--chain', line],
    ]) {
      const done = await project.chain([...form, '-p', 'x']);
      expect(done, form.join(' ')).toMatchObject({ code: 2, stdout: '' });
      expect(done.stderr, form.join(' ')).toMatch(new RegExp(`^turnout: Step ${step} of the chain `));
    }
    expect(project.startedNothing).toBe(true);
  });

  it('without a chain file a single word that is no name is refused likewise (O6)', async ({ stage }) => {
    const project = new ForgeProject(stage, stage.path('elsewhere'));
    for (const line of ['', ' ', 'a b', 'a/b', 'ü', 'a → b', '_a']) {
      const done = await project.chain(['run', line, '-p', 'x']);
      expect(done, line).toMatchObject({ code: 2, stdout: '' });
      expect(done.stderr, line).toMatch(/^turnout: Step 1 of the chain /);
    }
  });
});

it('the fixture has no field of ours: only those that existing users have', () => {
  const file = new URL('../../../fixtures/chains/forge-project/forge/orch/chains.json', import.meta.url);
  const { agents, chains } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, object>>;
  const fieldsOf = (entries: readonly object[]) => [...new Set(entries.flatMap(Object.keys))].sort();
  const all = Object.values(chains ?? {});
  expect([Object.keys(agents ?? {}).length, all.length]).toEqual([5, 4]);
  expect(fieldsOf(Object.values(agents ?? {}))).toEqual([
    ...['allowedTools', 'backend', 'defaultPrompt', 'defaultPromptFile', 'disallowedTools', 'maxTurns'],
    ...['mcpConfig', 'model', 'settings', 'systemPrompt', 'systemPromptText'],
  ]);
  expect(fieldsOf(all)).toEqual(['description', 'prompt', 'promptFile', 'steps']);
  const steps = all.flatMap((chain) => (chain as { steps: object[] }).steps);
  expect(fieldsOf(steps)).toEqual(['agent', 'args', 'iterations', 'loop', 'prompt', 'promptFile']);
});

function valuesOf(args: readonly string[], flag: string): readonly string[] {
  return args.flatMap((arg, at) => (arg === flag ? [args[at + 1] ?? ''] : []));
}
