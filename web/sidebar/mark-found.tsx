export interface MarkFoundProps {
  readonly text: string;
  /** What was looked for, if something was. */
  readonly words: string | undefined;
  /** The text begins so shortly before the first place that it is in sight on a narrow line. */
  readonly near?: boolean;
}

/** A text in which what was looked for is marked. */
export function MarkFound({ text, words, near = false }: MarkFoundProps) {
  const parts = words === undefined ? [text] : splitFound(text, words, near ? charactersBefore : undefined);
  return <>{parts.map((part, nth) => (nth % 2 === 0 ? part : <mark key={nth}>{part}</mark>))}</>;
}

const charactersBefore = 12;

/** Texts and places by turns, beginning with a text. `before` cuts the first text to about so many characters, at a word. */
export function splitFound(text: string, words: string, before?: number): readonly string[] {
  const pattern = words.trim().split(/\s+/).map(literally).join('\\s+');
  const [first = '', ...rest] = pattern === '' ? [text] : text.split(new RegExp(`(${pattern})`, 'giu'));
  if (before === undefined || rest.length === 0 || first.length <= before + 1) return [first, ...rest];
  const cut = first.slice(-before);
  // The rest of a word says nothing, unless there is nothing else.
  return [`…${cut.replace(/^\S*\s+(?=\S)/, '')}`, ...rest];
}

function literally(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
