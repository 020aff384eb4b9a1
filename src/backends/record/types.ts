/**
 * A gateway asks this of a turn whose output it did not hear to the end: which tools had begun, by the record
 * that the CLI keeps of its session for itself.
 */
export interface RecordQuery {
  /** The session that the CLI has named in this turn, or was to resume. Undefined for a new one without a name. */
  readonly sessionId?: string | undefined;
  /** True if the CLI has named it. Otherwise the turn may be in a new session as well, which is found by its prompt. */
  readonly isNamed?: boolean | undefined;
  readonly cwd: string;
  /** The time at which the turn began, before the CLI was asked. */
  readonly since: number;
  /** The message as it came in, which the prompt that the CLI got holds. Empty if that is not known. */
  readonly prompt: string;
  /** True if the clock was set back since: then the turn is found by its prompt, not by its time. */
  readonly clockSetBack: boolean;
  /** True if nobody has heard what the CLI printed: then a CLI without any record on this machine tells nothing by that. */
  readonly unheard?: boolean | undefined;
  /** Tools that are of no account here: those that only read. */
  readonly leaveOut?: ReadonlySet<string> | undefined;
}

/**
 * `unknown`: a record is there and can't be read, or does not tell. `untold`: the backend keeps none, and its turns don't tell
 * of tools either. No record at all of a CLI that keeps one means that no tool has begun.
 */
export type RecordedTools =
  | { readonly type: 'tools'; readonly tools: readonly RecordedTool[] }
  | { readonly type: 'unknown'; readonly reason: string }
  | { readonly type: 'untold'; readonly reason: string };

export interface RecordedTool {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly hasEnded: boolean;
  /** True if a person or a rule has denied it: it has done nothing. */
  readonly denied: boolean;
  readonly isError: boolean;
}

/** A session that a CLI has a record of. */
export interface ListedSession {
  readonly sessionId: string;
  /** The first words of the user, in one line. */
  readonly title: string;
  /** When it was used last. */
  readonly updatedAt: number;
}

/** The last thing that was said in a session, and the answer to it if there was one. */
export interface Exchange {
  readonly prompt: string;
  readonly answer?: string | undefined;
}

/** A step of a session, as far as it matters here. Entries without a time belong to the one before. */
export type RecordEntry = { readonly at?: number | undefined } & (
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'tool'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'tool_end'; readonly id: string; readonly isError: boolean; readonly denied: boolean }
  /** The model has answered, and perhaps asked for a tool: of some CLIs that is seen only when the tool has ended. */
  | { readonly type: 'reply' }
  /** The tool that the last reply asked for was denied. */
  | { readonly type: 'denial' }
  | { readonly type: 'damaged' }
);

export const noTools: RecordedTools = { type: 'tools', tools: [] };

export type Environment = Readonly<Record<string, string | undefined>>;
