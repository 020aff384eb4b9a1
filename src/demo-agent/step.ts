/** One action of a skill, independent of any CLI's format. */
export type Step =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'think'; readonly text: string }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'tool'; readonly tool: ToolName; readonly input: ToolInput }
  | { readonly type: 'retry'; readonly attempt: number; readonly of: number; readonly status: number }
  | { readonly type: 'fail'; readonly status?: number; readonly message: string }
  | { readonly type: 'crash' }
  | { readonly type: 'hang' };

/** The names of the tools. `Bash` is no shell: it knows two commands and runs neither of them in one. */
export const toolNames = ['LS', 'Read', 'Write', 'Edit', 'TodoWrite', 'Bash'] as const;
export type ToolName = (typeof toolNames)[number];
export type ToolInput = Readonly<Record<string, unknown>>;

export interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
  /** True if it was not used, because somebody said no. */
  readonly denied?: true;
}

/** A tool step is answered with the tool's outcome; any other step with `undefined`. */
export type Steps = AsyncGenerator<Step, void, ToolOutcome | undefined>;

/** One ability of the demo agent, and the words that ask for it. */
export interface Skill {
  readonly name: string;
  /** A prompt that asks for it. */
  readonly example: string;
  readonly about: string;
  /** The pattern that is matched against the prompt's first characters. */
  readonly pattern: RegExp;
  act(asked: Asked, words: RegExpExecArray): Steps;
}

export interface Asked {
  readonly prompt: string;
  readonly systemPrompt: string;
  readonly cwd: string;
  /** The earlier turns of this conversation, oldest first. */
  readonly history: readonly PastTurn[];
  /** True if another message waits behind this one. */
  isSomebodyWaiting?(): boolean;
}

export interface PastTurn {
  readonly prompt: string;
  readonly answer: string;
}

/** Yields text the way a model writes it: a few words at a time. */
export async function* say(text: string): Steps {
  for (const piece of pieces(text)) {
    yield { type: 'say', text: piece };
    yield { type: 'wait', ms: 25 };
  }
}

export async function* think(text: string): Steps {
  for (const piece of pieces(text)) {
    yield { type: 'think', text: piece };
    yield { type: 'wait', ms: 25 };
  }
}

export async function* useTool(
  tool: ToolName,
  input: ToolInput,
): AsyncGenerator<Step, ToolOutcome, ToolOutcome | undefined> {
  const outcome = yield { type: 'tool', tool, input };
  return outcome ?? { text: 'The tool gave no result.', isError: true };
}

/**
 * Splits a text; joined, the pieces are the text again. The `u` flag keeps surrogate pairs whole; a long text
 * has long pieces.
 */
function pieces(text: string): string[] {
  const length = Math.max(16, Math.ceil(text.length / 1000));
  return text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
}

/** Matches a command as people phrase it: "please count to 5", "hey, can you count to 5". */
export function command(words: string): RegExp {
  return new RegExp(`^${courtesy}(?:${words})`, 'iu');
}

/** Matches a command that is the whole prompt: "fail", but not "fail the build when the tests fail". */
export function wholeCommand(words: string): RegExp {
  return new RegExp(`^${courtesy}(?:${words})(?:[\\s,]+(?:please|now))?[\\s.!?]*$`, 'iu');
}

const courtesy =
  "(?:(?:please|hey|hi|hello|ok|okay|now|then|just|can you|could you|would you|will you|let's)[\\s,!]+)*";
