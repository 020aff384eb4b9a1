import type { VendorName } from '../backends/registry.js';
import type { BackendCapabilities } from '../backends/types.js';
import type { FaceName, LabRequest } from './faces.js';
import type { LabHome } from './home.js';
import type { ScriptedModel } from './model/server.js';
import type { Outcome } from './outcome.js';

/** One thing that every CLI must do. The table of scenarios is the definition of "works". */
export interface Scenario {
  readonly id: string;
  /** The benefit for the user: "A tool runs, and its effect is on disk". */
  readonly title: string;
  /** True if it is part of `doctor --deep`. */
  readonly deep: boolean;
  /** The faces to run through, if the other one would cost time and show nothing more. Default: both. */
  readonly faces?: readonly FaceName[];
  /** The CLIs that can't do it, with the reason. */
  readonly skip?: Partial<Readonly<Record<VendorName, string>>>;
  /** The meaning of a failure, with advice. */
  readonly advice: string;
  run(lab: Lab): Promise<void>;
}

/** The set-up of a scenario: one CLI in its home, a model that follows a script, a way into Turnout. */
export interface Lab {
  readonly cli: VendorName;
  readonly face: FaceName;
  readonly capabilities: BackendCapabilities;
  readonly model: ScriptedModel;
  readonly home: LabHome;
  /** The duration of a plain turn in ms, as the measure of "slow" on this machine. */
  readonly plainTurnMs: number;
  /** Runs a turn; `name` labels it in a recording. */
  turn(request: LabRequest, name?: string): Promise<Outcome>;
}

/** A check that failed, with the expectation and the actual value. */
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

/** Checks that the turn ended with success and this answer. */
export function checkAnswer(outcome: Outcome, expected: string): void {
  checkNoError(outcome);
  checkEqual(outcome.answer, expected, 'the answer');
  if (outcome.exitCode !== undefined) checkEqual(outcome.exitCode, 0, 'the exit code');
}

export function checkNoError({ error }: Outcome): void {
  check(error === undefined, `the turn failed: ${error?.code}: ${shorten(error?.message)}`);
}
