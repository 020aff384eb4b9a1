import { printJson } from './json.js';
import { exactLine } from './text.js';
import { summarizeToolInput } from './tool-input.js';

export interface Question {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly options: readonly string[];
  readonly always?: string | undefined;
}

/** A permission request in words, three lines, for faces without buttons. */
export function questionText({ id, tool, input, options, always }: Question): string {
  const shown = printJson(input);
  const short = shown.length <= 500 ? shown : `${shown.slice(0, 499)}…`;
  const summary = summarizeToolInput(tool, input);
  const title = summary === '' ? tool : `${tool}: ${summary}`;
  const answers = options.map((option) =>
    option === 'allow_always' && always !== undefined
      ? `${option} (until the session ends: ${always.replaceAll('\n', ', ')})`
      : option,
  );
  const lines = [`Permission needed for ${title}`, short, `Answer ${answers.join(', ')} to request ${id}.`];
  return lines.map((line) => exactLine(line.replace(/\s*[\n\r\u2028\u2029]\s*/g, ' '))).join('\n');
}

/** True for what `questionText` makes: a face that shows the question itself leaves the words out. */
export function isQuestionText(text: string): boolean {
  return questionId(text) !== undefined;
}

/** The id of the request that `questionText` has made the text of. */
export function questionId(text: string): string | undefined {
  return /^Permission needed for [^\n]*\n[^\n]*\nAnswer [^\n]* to request (\S+)\.$/.exec(text)?.[1];
}
