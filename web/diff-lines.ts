export interface DiffLine {
  readonly type: 'added' | 'removed' | 'context' | 'place' | 'note';
  /** Without the sign in front. */
  readonly text: string;
}

/** The lines of a unified diff. Its file names are left out: whoever shows it knows them. Any text gives some lines. */
export function parseDiff(diff: string): readonly DiffLine[] {
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const found: DiffLine[] = [];
  // The counts of the hunk say how many lines are left in it: `--- ` in a hunk is a removed line, not a file's name.
  let left = 0;
  for (const line of lines) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) left = Number(hunk[1] ?? 1) + Number(hunk[2] ?? 1);
    else if (left <= 0 && isHeader(line)) continue;
    const parsed = parseLine(line);
    left -= { added: 1, removed: 1, context: 2, place: 0, note: 0 }[parsed.type];
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
