import type { ChatEvent, ErrorCode, Usage } from '../core/chat-event.js';
import type { RunnerName, RunnerOptions } from '../runner/types.js';

/** A chain with everything looked up and checked: nothing of the files on disk is read again while it runs. */
export interface ResolvedChain {
  /** Its name in the file, or the line that it was given as. */
  readonly name: string;
  /** The file that it comes from; undefined for a chain in one line. */
  readonly file?: string;
  readonly cwd: string;
  readonly groups: readonly StepGroup[];
  readonly budget?: Budget;
  /** True: the marker carries a word that only this run knows. */
  readonly nonce: boolean;
  /** `NAME=value` of the command line: also variables in the environment of `verify`. */
  readonly variables: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** Steps that run at the same time; most groups have one. */
export type StepGroup = readonly ResolvedStep[];

export interface ResolvedStep {
  /** Counted from 0 over all groups. */
  readonly index: number;
  /** The name in `${name.output}`. */
  readonly name: string;
  readonly agent: string;
  readonly run: AgentStep | ProgramStep;
  /** `${step.output}` is still in it. Undefined only for a program that needs no prompt. */
  readonly prompt: string | undefined;
  /** The most runs; 1 if the step does not loop. */
  readonly iterations: number;
  /** True: the step runs until the marker. False: it runs once, and the marker plays no part. */
  readonly loop: boolean;
  /** True: each run begins a new conversation. */
  readonly fresh: boolean;
  readonly verify?: string;
  /** How often a failed run is tried again; undefined: only what is worth it, while no tool had begun. */
  readonly retry?: number;
  readonly budget?: Budget;
  readonly when?: Condition;
  /** A run that tells nothing for so many minutes is given up. */
  readonly silenceMinutes?: number;
  /** The step has made no progress after this many runs in a row that changed nothing. */
  readonly noProgress?: number;
}

/** A step whose agent is a backend with a system prompt. */
export interface AgentStep {
  readonly type: 'agent';
  readonly backend: RunnerName;
  /** Checked for the mode in which the step runs, with the whole system prompt. The prompt is not part of it. */
  readonly options: RunnerOptions;
  /** A loop keeps its CLI warm. */
  readonly live: boolean;
  /** The options that were left out, because the backend can't honour them, each with what to use instead. */
  readonly refused?: readonly string[];
}

/** A step whose agent is an executable on PATH (O11). */
export interface ProgramStep {
  readonly type: 'program';
  readonly path: string;
  /** `${step.output}` is still in them. */
  readonly args: readonly string[];
}

export interface Budget {
  readonly minutes?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly tokens?: number | undefined;
}

/** `${review.output} contains "x"`: the left side may be a variable or an earlier step's output. */
export interface Condition {
  readonly text: string;
  readonly left: string;
  readonly operator: 'contains' | 'not contains' | '==' | '!=';
  readonly right: string;
}

export const stepReasons = [
  'marker',
  'single_run',
  'max_iterations',
  'budget',
  'no_progress',
  'verify_failed',
  'error',
  'interrupted',
] as const;

export type StepReason = (typeof stepReasons)[number];
/** `running` and `waiting` only in a run that a living process has. */
export type StepStatus = 'done' | 'incomplete' | 'failed' | 'skipped' | 'running' | 'waiting';
export type RunStatus = 'completed' | 'incomplete' | 'failed' | 'interrupted';

/** A step as `--output json` prints it. */
export interface StepReport {
  /** The step's own name, where it is not the agent's. */
  readonly name?: string;
  readonly agent: string;
  /** The executable's name for a program. */
  readonly backend: string;
  readonly status: StepStatus;
  readonly iterations: number;
  /** Undefined for a step that was skipped by its `when`, or that the chain did not get to. */
  readonly reason?: StepReason;
  /** The last answer, without the marker. */
  readonly output: string;
  readonly sessionId?: string;
  readonly usage?: Usage;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
  /** True if `verify` has confirmed the work. */
  readonly verified?: boolean;
}

/** A run as `--output json` prints it. */
export interface RunReport {
  readonly runId: string;
  readonly chain: string;
  /** `running` only for a run that `show` finds in the hands of a living process. */
  readonly status: RunStatus | 'running';
  readonly steps: readonly StepReport[];
}

/** A line of `turnout chain runs`. `running`: a living process has it. */
export interface RunSummary {
  readonly runId: string;
  readonly chain: string;
  readonly status: RunStatus | 'running';
  readonly startedAt: string;
  /** Where its agents work. */
  readonly cwd: string;
}

/** What a run tells while it goes on; `stream-json` prints these. */
export type ChainEvent =
  | {
      readonly type: 'run_start';
      readonly runId: string;
      readonly chain: string;
      readonly steps: number;
      readonly resumed: boolean;
    }
  | {
      readonly type: 'step_start';
      readonly step: number;
      /** The step's own name, where it is not the agent's. */
      readonly name?: string;
      readonly agent: string;
      readonly backend: string;
      readonly iterations: number;
      readonly loop: boolean;
    }
  | { readonly type: 'step_skipped'; readonly step: number; readonly agent: string; readonly why: string }
  | {
      readonly type: 'iteration_start';
      readonly step: number;
      readonly iteration: number;
      readonly attempt: number;
    }
  | {
      readonly type: 'agent_event';
      readonly step: number;
      readonly iteration: number;
      readonly event: ChatEvent;
    }
  | {
      readonly type: 'iteration_end';
      readonly step: number;
      readonly iteration: number;
      readonly marker: boolean;
      readonly output: string;
      readonly usage?: Usage;
      readonly error?: { readonly code: ErrorCode; readonly message: string };
      readonly elapsedMs: number;
    }
  | { readonly type: 'verify_start'; readonly step: number; readonly command: string }
  | { readonly type: 'verify_end'; readonly step: number; readonly passed: boolean; readonly output: string }
  | { readonly type: 'waiting'; readonly step: number; readonly why: string; readonly ms: number }
  | { readonly type: 'warning'; readonly step?: number; readonly message: string }
  | { readonly type: 'step_end'; readonly step: number; readonly report: StepReport }
  | {
      readonly type: 'run_end';
      readonly report: RunReport;
      readonly elapsedMs: number;
      readonly reportFile: string;
      /** The git worktree that was made for the run. */
      readonly worktree?: { readonly path: string; readonly branch: string };
    };

/** What `plan` prints for a step. */
export interface PlannedStep {
  readonly agent: string;
  readonly backend: string;
  readonly iterations: number;
  readonly loop: boolean;
  /** The exact command, as a shell would take it, secrets redacted. */
  readonly command: string;
  /** Options that the CLI has itself. */
  readonly native: readonly string[];
  /** Options that Turnout gives the CLI in another form. */
  readonly emulated: readonly string[];
  /** Options that the CLI can't honour, each with what to use instead. */
  readonly refused: readonly string[];
}

export interface ChainPlan {
  readonly chain: string;
  readonly steps: readonly PlannedStep[];
  readonly warnings: readonly string[];
}
