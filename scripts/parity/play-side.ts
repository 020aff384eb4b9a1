import { type LabHome, makeHome } from '../../src/lab/home.js';
import { type ScriptedModel, startScriptedModel } from '../../src/lab/model/server.js';
import { claudeSdkSide } from './claude-sdk-side.js';
import { codexSdkSide } from './codex-sdk-side.js';
import { canonical, type Fact } from './facts.js';
import { processesOf } from './processes-of.js';
import type { ParityScenario } from './scenario.js';
import type { Side, SideName, SideOptions, Vendor } from './side.js';
import { Stage } from './stage.js';
import { turnoutSide } from './turnout-side.js';

/** The events of each scenario, through one side. */
export type Played = ReadonlyMap<string, readonly Fact[]>;

/** Plays the scenarios through one side, in a home of its own with a model of its own. */
export async function playSide(
  vendor: Vendor,
  name: SideName,
  cliPath: string,
  scenarios: readonly ParityScenario[],
): Promise<Played> {
  const model = await startScriptedModel();
  const home = await makeHome(vendor, model.url);
  const side = await sideNamed(name, { vendor, cliPath, home });
  const played = new Map<string, readonly Fact[]>();
  try {
    await warmUp(side, model, home);
    for (const scenario of scenarios) {
      model.forget();
      const stage = new Stage(side, model, home);
      await inTime(`${vendor} through ${name}: ${scenario.id}`, async () => {
        await scenario.run(stage);
        await stage.closeAll();
      });
      played.set(scenario.id, canonical(stage.facts, { home: home.directory, port: model.port }));
    }
  } finally {
    await side.close();
    await model.close();
    await home.remove();
  }
  const left = await processesOf(home.mark);
  if (left.length > 0) throw new Error(`${vendor} through ${name} left processes behind: ${left.join('; ')}`);
  return played;
}

const mostMs = 30_000;

async function inTime(what: string, act: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end within ${mostMs / 1000} s`)), mostMs);
  });
  try {
    await Promise.race([act(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A process's remarks on this machine at its start (Codex: that bubblewrap is missing) are no part of a scenario. */
async function warmUp(side: Side, model: ScriptedModel, home: LabHome): Promise<void> {
  const stage = new Stage(side, model, home);
  await (await stage.open()).turn('Warm up.');
  await stage.closeAll();
}

async function sideNamed(name: SideName, options: SideOptions): Promise<Side> {
  if (name !== 'sdk') return turnoutSide(options, name);
  return options.vendor === 'claude' ? claudeSdkSide(options) : codexSdkSide(options);
}
