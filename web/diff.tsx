import { useMemo, useState } from 'preact/hooks';
import { emptyLines, isEmptyLine, mostEmptyLines } from '../src/core/fold-blanks.js';
import { CopyButton } from './copy-button.js';
import { compareTexts, type DiffRow, partInWords, readDiffRows } from './diff-rows.js';
import { FoldMark, VisibleLines, VisibleText } from './visible-text.js';
import './diff.css';

export interface DiffProps {
  readonly path: string;
  /** A unified diff, or the text before and after. */
  readonly change: { readonly diff: string } | { readonly before: string; readonly after: string };
  /** What its lines don't tell. */
  readonly notes?: readonly string[];
  /** The characters that are left out: then nobody can count the lines. */
  readonly left?: number | undefined;
}

const atOnce = 400;

/** The change of one file. Long lines are wrapped, and odd characters marked: nothing of it is out of sight. */
export function Diff({ path, change, notes = [], left = 0 }: DiffProps) {
  const lines = useMemo(
    () => ('diff' in change ? readDiffRows(change.diff) : compareTexts(change.before, change.after)),
    [change],
  );
  const rows = useMemo(() => foldRows(lines), [lines]);
  const [limit, setLimit] = useState(atOnce);
  const count = (kind: DiffRow['kind']) => lines.filter((line) => line.kind === kind).length;
  const text = () => ('diff' in change ? change.diff : change.after);
  return (
    <figure class="diff">
      <figcaption class="diff-head">
        <span class="diff-path">
          <VisibleText text={path} level="exact" />
        </span>
        {left === 0 && (
          <span class="diff-counts">
            <span class="diff-plus">+{count('added')}</span>{' '}
            <span class="diff-minus">−{count('removed')}</span>
          </span>
        )}
        <CopyButton text={text} label={`Copy the change of ${path}`} />
      </figcaption>
      <div class="diff-lines">
        {notes.map((text) => (
          <Line line={{ kind: 'note', text }} />
        ))}
        {rows.slice(0, limit).map((line) => (
          <Line line={line} />
        ))}
        {lines.length + notes.length === 0 && (
          <div class="diff-line diff-note">Nothing changes in its text.</div>
        )}
      </div>
      {rows.length > limit && (
        <p class="long-text-more diff-more" data-unread>
          <button type="button" class="small" onClick={() => setLimit(limit * 4)}>
            Show more
          </button>
          <span>{rows.length - limit} more lines</span>
        </p>
      )}
    </figure>
  );
}

const signs = { added: '+', removed: '−', same: '', part: '', note: '' } as const;
const maxLine = 4000;

type Row = DiffRow & {
  /** The number of empty lines that it stands for. */
  readonly empty?: number;
};

/** Many empty lines in a row become one: what comes behind them has to be in sight. */
function foldRows(lines: readonly DiffRow[]): readonly Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < lines.length; ) {
    const first = lines[at];
    if (first === undefined) break;
    const isSame = (row: DiffRow | undefined) =>
      row !== undefined && row.kind === first.kind && row.kind !== 'part' && isEmptyLine(row.text);
    let end = at;
    while (isSame(lines[end])) end += 1;
    if (end - at > mostEmptyLines) rows.push({ ...first, empty: end - at });
    else rows.push(...lines.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return rows;
}

function Line({ line }: { readonly line: Row }) {
  const { kind, empty } = line;
  const text = kind === 'part' ? partInWords(line) : line.text;
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > maxLine;
  return (
    <div class={`diff-line diff-${kind}`}>
      <span class="diff-sign">{signs[kind]}</span>
      <span class="diff-text">
        {empty === undefined ? (
          <VisibleLines text={cut ? text.slice(0, maxLine) : text} level="exact" />
        ) : (
          <FoldMark {...emptyLines(empty)} />
        )}
        {cut && (
          <button type="button" class="small" data-unread onClick={() => setWhole(true)}>
            Show the whole line ({text.length} characters)
          </button>
        )}
        {kind !== 'part' && line.endsWithoutBreak && (
          <span class="diff-note"> (no line break at the end of the file)</span>
        )}
      </span>
    </div>
  );
}
