import { printJson } from './json.js';
import { exactLine, exactStart } from './text.js';
import { summarizeExactly } from './tool-input.js';

export interface Question {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly options: readonly string[];
  readonly always?: string | undefined;
}

export interface Asked {
  readonly tool: string;
  readonly input: unknown;
  /** True if the input was too long to be brought along. */
  readonly isLeftOut?: boolean | undefined;
}

/** `Bash: rm -rf build`: what is asked for, in a line that may stand beside a way to allow it. `see` is what shows all of it. */
export function askedFor({ tool, input, isLeftOut }: Asked, see?: string): string {
  const tooLong = `(too long to be shown here${see === undefined ? '' : `: ${see}`})`;
  const summary = isLeftOut ? tooLong : summarizeExactly(tool, input, { see });
  const name = exactStart(tool, 60).line;
  return summary === '' ? name : `${name}: ${summary}`;
}

/** A permission request in words, three lines, for faces without buttons. */
export function questionText({ id, tool, input, options, always }: Question): string {
  const shown = printJson(input);
  const short = shown.length <= 500 ? shown : `${shown.slice(0, 499)}…`;
  const answers = options.map((option) =>
    option === 'allow_always' && always !== undefined
      ? `${option} (until the session ends: ${always.replaceAll('\n', ', ')})`
      : option,
  );
  const answer = `Answer ${answers.join(', ')} to request ${id}.`;
  return [`Permission needed for ${askedFor({ tool, input })}`, exactLine(short), exactLine(answer)].join(
    '\n',
  );
}

/** True for what `questionText` makes: a face that shows the question itself leaves the words out. */
export function isQuestionText(text: string): boolean {
  return questionId(text) !== undefined;
}

/** The id of the request that `questionText` has made the text of. */
export function questionId(text: string): string | undefined {
  return /^Permission needed for [^\n]*\n[^\n]*\nAnswer [^\n]* to request (\S+)\.$/.exec(text)?.[1];
}
