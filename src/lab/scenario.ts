import type { BackendName } from '../backends/registry.js';
import type { BackendCapabilities } from '../backends/types.js';
import type { FaceName, LabRequest } from './faces.js';
import type { LabHome } from './home.js';
import type { ScriptedModel } from './model/server.js';
import type { Outcome } from './outcome.js';

/** One thing that a CLI must do, whichever it is. The table of them is the definition of "works". */
export interface Scenario {
  readonly id: string;
  /** What the user gets: "A tool runs, and its effect is on disk". */
  readonly title: string;
  /** Part of `doctor --deep`. */
  readonly deep: boolean;
  /** Default: through both. One only, where the other would tell nothing more for its price. */
  readonly faces?: readonly FaceName[];
  /** CLIs that can't, with the reason. */
  readonly skip?: Partial<Readonly<Record<BackendName, string>>>;
  /** What it means when this fails, and what to do. */
  readonly advice: string;
  run(lab: Lab): Promise<void>;
}

/** What a scenario works with: one CLI in its home, a model that does what it is told, a way into Turnout. */
export interface Lab {
  readonly cli: BackendName;
  readonly face: FaceName;
  readonly capabilities: BackendCapabilities;
  readonly model: ScriptedModel;
  readonly home: LabHome;
  /** How long a plain turn took here, in ms: what "slow" means on this machine. */
  readonly plainTurnMs: number;
  /** A turn; `name` labels it in a recording. */
  turn(request: LabRequest, name?: string): Promise<Outcome>;
}

/** A check that did not hold: what was expected of the CLI, and what came. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
}

export function check(holds: boolean, message: string): asserts holds {
  if (!holds) throw new CheckFailed(message);
}

export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(a === b, `${what}: expected ${shorten(b)}, got ${shorten(a)}`);
}

export function shorten(text: string | undefined, most = 300): string {
  if (text === undefined) return 'nothing';
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}

/** The turn ended well, with this answer. */
export function checkAnswer(outcome: Outcome, expected: string): void {
  checkNoError(outcome);
  checkEqual(outcome.answer, expected, 'the answer');
  if (outcome.exitCode !== undefined) checkEqual(outcome.exitCode, 0, 'the exit code');
}

export function checkNoError({ error }: Outcome): void {
  check(error === undefined, `the turn failed: ${error?.code}: ${shorten(error?.message)}`);
}
