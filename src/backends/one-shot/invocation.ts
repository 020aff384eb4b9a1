import type { StepEvent } from '../../core/chat-event.js';
import type { ProcessSpec, RunningProcess } from '../../process/start-process.js';
import type { ScratchFile } from '../launch/scratch-files.js';

/** Describes one one-shot run as a value, before anything has happened. */
export interface Invocation {
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Changes to the inherited environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly files?: readonly ScratchFile[];
  /** If it is set, stdout goes through a file: the CLI exits before a pipe has taken a large answer. */
  readonly spool?: true;
  /** Starts the process, if it is not to be started as a child of ours. */
  readonly start?: (spec: ProcessSpec) => Promise<RunningProcess>;
  /** What the user is told of this run before its first event. */
  readonly notices?: readonly StepEvent[];
}
