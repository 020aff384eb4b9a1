import { createBackend, type VendorName } from '../backends/registry.js';
import { entriesOf } from '../process/mark-child.js';
import { commandOf, readProcessTable } from '../process/process-table.js';
import { commandFace, type Face, type FaceName, faceNames, libraryFace } from './faces.js';
import { type LabHome, makeHome } from './home.js';
import { type ScriptedModel, startScriptedModel } from './model/server.js';
import type { Outcome } from './outcome.js';
import { CheckFailed, type Lab, type Scenario } from './scenario.js';

export interface LabRun {
  readonly cli: VendorName;
  readonly cliPath: string;
  readonly scenarios: readonly Scenario[];
  /** If it is set, each scenario runs through these of its faces only. */
  readonly faces?: readonly FaceName[];
  /** The command that starts `turnout`: a program and its first arguments. */
  readonly turnout: readonly string[];
  readonly onResult?: (result: ScenarioResult) => void;
  /** Called with each turn and the name that the scenario gave it. */
  readonly onTurn?: (cli: VendorName, name: string, outcome: Outcome) => void;
  /** The number of retries of a failed scenario: a busy machine is no broken CLI. Default: 0. */
  readonly retries?: number;
  /** Variables on top of the home's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ScenarioResult {
  readonly cli: VendorName;
  readonly scenario: string;
  readonly title: string;
  readonly face: FaceName;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** The reason for a failure or a skip. */
  readonly reason?: string;
  readonly advice?: string;
  readonly milliseconds: number;
}

/** Runs every scenario for one CLI, in one home with one model. */
export async function runScenarios(run: LabRun): Promise<readonly ScenarioResult[]> {
  const model = await startScriptedModel();
  const home = await makeHome(run.cli, model.url);
  const labHome = { ...home, env: { ...home.env, ...run.env } };
  try {
    const plainTurnMs = await warmUp(run, labHome, model);
    const results: ScenarioResult[] = [];
    for (const scenario of run.scenarios) {
      for (const face of facesOf(scenario, run.faces)) {
        if (run.signal?.aborted) return results;
        let result = await runOne(run, scenario, face, labHome, model, plainTurnMs);
        for (let again = run.retries ?? 0; again > 0 && result.state === 'failed'; again--) {
          result = await runOne(run, scenario, face, labHome, model, plainTurnMs);
        }
        results.push(result);
        run.onResult?.(result);
      }
    }
    return results;
  } finally {
    await model.close();
    await home.remove();
  }
}

function facesOf(
  { faces = faceNames }: Scenario,
  wanted: readonly FaceName[] = faceNames,
): readonly FaceName[] {
  return faces.filter((face) => wanted.includes(face));
}

/**
 * Warms the CLI up and returns the time of its second turn: the first start on a fresh home is slow
 * (OpenCode: 25 s) and no measure of anything.
 */
async function warmUp(run: LabRun, home: LabHome, model: ScriptedModel): Promise<number> {
  const face = faceOf('library', run, home);
  model.use(['ready']);
  await face.turn({ prompt: 'Warm up.' });
  return (await face.turn({ prompt: 'Warm up.' })).milliseconds;
}

async function runOne(
  run: LabRun,
  scenario: Scenario,
  faceName: FaceName,
  home: LabHome,
  model: ScriptedModel,
  plainTurnMs: number,
): Promise<ScenarioResult> {
  const facts = { cli: run.cli, scenario: scenario.id, title: scenario.title, face: faceName };
  const skip = scenario.skip?.[run.cli];
  if (skip !== undefined) return { ...facts, state: 'skipped', reason: skip, milliseconds: 0 };
  const face = faceOf(faceName, run, home);
  model.forget();
  const lab: Lab = {
    cli: run.cli,
    face: faceName,
    capabilities: createBackend(run.cli, {
      cliPath: run.cliPath,
      workingDir: home.workingDir,
      queryTimeoutMs: 0,
      allowedTools: [],
      maxTurns: 25,
    }).capabilities,
    model,
    home,
    plainTurnMs,
    async turn(request, name) {
      const outcome = await face.turn(request);
      if (name !== undefined) run.onTurn?.(run.cli, name, outcome);
      return outcome;
    },
  };
  const start = performance.now();
  const spent = () => Math.round(performance.now() - start);
  try {
    await scenario.run(lab);
    const left = await leftovers(home.mark);
    if (left.length > 0) throw new CheckFailed(`processes were left behind: ${left.join('; ')}`);
    return { ...facts, state: 'passed', milliseconds: spent() };
  } catch (error) {
    const reason =
      error instanceof CheckFailed ? error.message : `the scenario itself broke: ${String(error)}`;
    return { ...facts, state: 'failed', reason, advice: scenario.advice, milliseconds: spent() };
  }
}

function faceOf(name: FaceName, run: LabRun, home: LabHome): Face {
  const options = { cli: run.cli, cliPath: run.cliPath, home, turnout: run.turnout };
  return name === 'library' ? libraryFace(options) : commandFace(options);
}

/** Finds the processes that still carry the home's mark. */
async function leftovers(mark: string): Promise<readonly string[]> {
  const marked = (await readProcessTable()).filter((row) => entriesOf(row).includes(`TURNOUT_LAB=${mark}`));
  return marked.map((row) => `${row.pid} ${commandOf(row).slice(0, 100)}`);
}
