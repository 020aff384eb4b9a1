export interface DiffLine {
  readonly type: 'added' | 'removed' | 'context' | 'place' | 'note';
  /** Without the sign in front. */
  readonly text: string;
}

/** The lines of the unified diff of one file. Its file names are left out: whoever shows it knows them. Any text gives some lines. */
export function parseDiff(diff: string): readonly DiffLine[] {
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const found: DiffLine[] = [];
  // Only what stands in front of the first hunk is left out: behind it `--- ` is a removed line, whatever a hunk's numbers,
  // which a model may have written, say of its length.
  let inHeading = true;
  for (const line of lines) {
    if (inHeading && isHeader(line)) continue;
    const parsed = parseLine(line);
    if (parsed.type !== 'note') inHeading = false;
    found.push(parsed);
  }
  return found;
}

/** The change from one text to another, as one block of lines with a little around it. */
export function compareTexts(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same += 1;
  let sameAtEnd = 0;
  const longest = Math.min(old.length, now.length) - same;
  while (sameAtEnd < longest && old.at(-1 - sameAtEnd) === now.at(-1 - sameAtEnd)) sameAtEnd += 1;
  return [
    ...old.slice(Math.max(0, same - around), same).map(as('context')),
    ...old.slice(same, old.length - sameAtEnd).map(as('removed')),
    ...now.slice(same, now.length - sameAtEnd).map(as('added')),
    ...now
      .slice(now.length - sameAtEnd)
      .slice(0, around)
      .map(as('context')),
  ];
}

const around = 3;

function isHeader(line: string): boolean {
  return /^(?:diff |index |--- |\+\+\+ |old mode|new mode|new file|deleted file|similarity|rename |Index: |=====)/.test(
    line,
  );
}

function parseLine(line: string): DiffLine {
  if (line.startsWith('@@')) return { type: 'place', text: line };
  if (line.startsWith('+')) return { type: 'added', text: line.slice(1) };
  if (line.startsWith('-')) return { type: 'removed', text: line.slice(1) };
  if (line.startsWith('\\')) return { type: 'note', text: line.slice(1).trim() };
  return { type: 'context', text: line.startsWith(' ') ? line.slice(1) : line };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function as(type: DiffLine['type']) {
  return (text: string): DiffLine => ({ type, text });
}
