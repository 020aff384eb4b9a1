import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../src/backends/registry.js';
import { type ChainRequest, resolveChain } from '../../src/orchestra/resolve-chain.js';
import { type RunSettings, runChain } from '../../src/orchestra/run-chain.js';
import type { ChainEvent, RunReport } from '../../src/orchestra/types.js';
import { type Lab, setUpLab } from './set-up-lab.js';

const marker = 'ORCHESTRA_COMPLETE';
const agents = {
  planner: { systemPromptText: 'You are the planner.' },
  builder: { systemPromptText: 'You are the builder.' },
  reviewer: { systemPromptText: 'You are the reviewer.' },
};
const threeSteps = [
  { agent: 'planner', iterations: 3, prompt: 'plan it' },
  { agent: 'builder', prompt: 'build this: ${planner.output}' },
  { agent: 'reviewer', iterations: 2, prompt: 'review it', verify: 'test -e built.txt' },
];

/** Runs a chain of the labs' work trees: each backend in its own home, with its own model. */
async function run(
  labs: Partial<Record<VendorName, Lab>>,
  chain: unknown,
  request: Partial<ChainRequest> = {},
) {
  const [first] = Object.values(labs);
  if (first === undefined) throw new Error('A chain needs a lab.');
  const cwd = first.config.workingDir;
  writeFileSync(join(cwd, 'chains.json'), JSON.stringify({ agents, chains: { c: chain } }));
  const configFor = (name: string) => ({ ...(labs[name as VendorName] ?? first).config, workingDir: cwd });
  const events: ChainEvent[] = [];
  const settings: RunSettings = {
    home: join(first.home.directory, 'turnout'),
    configFor,
    signal: new AbortController().signal,
    tell: (event) => void events.push(event),
  };
  const defaultBackend = Object.keys(labs)[0] ?? 'claude';
  const resolved = await resolveChain({
    cwd,
    chain: 'c',
    variables: new Map(),
    defaultBackend,
    configFor,
    ...request,
  });
  return { report: await runChain(resolved, settings), events };
}

function expectAllDone(report: RunReport): void {
  expect(report).toMatchObject({
    status: 'completed',
    steps: [
      { agent: 'planner', status: 'done', reason: 'marker', iterations: 2, output: 'the plan' },
      { agent: 'builder', status: 'done', reason: 'single_run', iterations: 1, output: 'built' },
      { agent: 'reviewer', status: 'done', reason: 'marker', iterations: 1, output: 'good', verified: true },
    ],
  });
  for (const step of report.steps) expect(step.usage?.outputTokens, step.agent).toBeGreaterThan(0);
}

const planned = ['nothing yet', `the plan\n${marker}`];
const built = [{ steps: [{ shell: 'echo yes > built.txt' }] }, 'built'];
const reviewed = [`good\n${marker}`];

describe.each(vendorNames)('a chain on %s', (backend) => {
  const lab = setUpLab(backend);

  it('three steps: a loop in a warm CLI, a single run, and one that is verified (O6, O7)', async () => {
    lab.model.forget();
    lab.model.use([...planned, ...built, ...reviewed]);
    const { report, events } = await run({ [backend]: lab }, { steps: threeSteps });
    expectAllDone(report);
    // Every agent is told how it runs, in front of its own system prompt; outputs are passed on.
    const requests = lab.model.turns.map((request) => JSON.stringify(request.body));
    expect(requests[0]).toContain('You run unattended');
    expect(requests[0]).toContain('You are the planner.');
    expect(requests[2]).toContain('build this: the plan');
    expect(requests[4]).toContain('You are the reviewer.');
    // A new conversation for each run: the second one knows nothing of the first.
    expect(requests[1]).not.toContain('nothing yet');
    const warnings = events.flatMap((event) =>
      event.type === 'agent_event' && event.event.type === 'notice' && event.event.level === 'warning'
        ? [event.event.message]
        : [],
    );
    expect(warnings.filter((text) => text.includes("can't be kept running"))).toEqual([]);
  });

  it('a marker in the prompt, in a tool’s input and output, or in a sentence ends nothing (O7)', async () => {
    lab.model.forget();
    lab.model.use([
      { steps: [{ text: 'Let me see.' }, { shell: `echo ${marker}` }] },
      `I will print ${marker} when I am done.`,
      { steps: [{ shell: 'true' }] },
      `Now I am.\n\n${marker}\n`,
    ]);
    const steps = [
      { agent: 'planner', iterations: 4, prompt: `When it is done print\n${marker}\nand stop.` },
    ];
    const { report } = await run({ [backend]: lab }, { steps });
    expect(report.steps).toMatchObject([
      { status: 'done', reason: 'marker', iterations: 2, output: 'Now I am.' },
    ]);
  });

  it('a failing model is a failure with its reason, and no unfinished run (O6, O10)', async () => {
    lab.model.forget();
    lab.model.use([{ status: 400, message: 'the model does not like it' }]);
    const { report } = await run(
      { [backend]: lab },
      { steps: [{ agent: 'planner', iterations: 3, prompt: 'x' }] },
    );
    expect(report).toMatchObject({
      status: 'failed',
      steps: [{ status: 'failed', reason: 'error', iterations: 1 }],
    });
    expect(report.steps[0]?.error?.message).toContain('the model does not like it');
  });
});

describe('a chain on claude without a limit of turns', () => {
  const lab = setUpLab('claude');

  it('a run may take more than the 25 turns of a question; a limit that is set ends the run, not the loop (O6)', async () => {
    lab.model.forget();
    const work = Array.from({ length: 30 }, () => ({ steps: [{ shell: 'true' }] }));
    lab.model.use([...work, `done\n${marker}`]);
    const steps = [{ agent: 'planner', iterations: 2, prompt: 'go' }];
    const unlimited = { ...lab, config: { ...lab.config, maxTurns: 0 } };
    const { report } = await run({ claude: unlimited }, { steps });
    expect(report).toMatchObject({ status: 'completed', steps: [{ iterations: 1, reason: 'marker' }] });
    lab.model.use([...work.slice(0, 4), `done\n${marker}`]);
    const limited = { ...lab, config: { ...lab.config, maxTurns: 2 } };
    const second = await run({ claude: limited }, { steps: [{ ...steps[0], iterations: 4 }] });
    expect(second.report).toMatchObject({
      status: 'completed',
      steps: [{ reason: 'marker', iterations: 3 }],
    });
  });
});

describe('a chain with another CLI for each step', () => {
  const labs = {
    claude: setUpLab('claude'),
    codex: setUpLab('codex'),
    gemini: setUpLab('gemini'),
    opencode: setUpLab('opencode'),
  };

  it('hands the outputs on from one to the next (O6)', async () => {
    const { claude, codex, gemini, opencode } = labs;
    for (const lab of Object.values(labs)) lab.model.forget();
    claude.model.use(planned);
    codex.model.use(built);
    gemini.model.use(reviewed);
    opencode.model.use(['summed up']);
    const steps = [
      { ...threeSteps[0], backend: 'claude-cli' },
      { ...threeSteps[1], backend: 'codex-cli' },
      { ...threeSteps[2], backend: 'gemini-cli' },
      {
        agent: 'planner',
        name: 'sum',
        backend: 'opencode-cli',
        prompt: '${planner.output}, ${builder.output}, ${reviewer.output}',
      },
    ];
    const { report } = await run(labs, { steps });
    expect(report.steps.map((step) => step.backend)).toEqual(['claude', 'codex', 'gemini', 'opencode']);
    expectAllDone({ ...report, steps: report.steps.slice(0, 3) });
    expect(JSON.stringify(opencode.model.turns[0]?.body)).toContain('the plan, built, good');
  });
});
