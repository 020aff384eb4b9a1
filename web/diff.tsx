import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from './copy-button.js';
import { compareTexts, type DiffLine, parseDiff } from './diff-lines.js';
import { emptyLines, isEmptyLine, mostEmptyLines } from './fold-blanks.js';
import { FoldMark, VisibleLines, VisibleText } from './visible-text.js';
import './diff.css';

export interface DiffProps {
  readonly path: string;
  /** A unified diff, or the text before and after. */
  readonly change: { readonly diff: string } | { readonly before: string; readonly after: string };
  /** What its lines don't tell. */
  readonly notes?: readonly string[];
}

const atOnce = 400;

/** The change of one file. Long lines are wrapped, and odd characters marked: nothing of it is out of sight. */
export function Diff({ path, change, notes = [] }: DiffProps) {
  const lines = useMemo(
    () => ('diff' in change ? parseDiff(change.diff) : compareTexts(change.before, change.after)),
    [change],
  );
  const rows = useMemo(() => foldRows(lines), [lines]);
  const [limit, setLimit] = useState(atOnce);
  const count = (type: DiffLine['type']) => lines.filter((line) => line.type === type).length;
  const text = () => ('diff' in change ? change.diff : change.after);
  return (
    <figure class="diff">
      <figcaption class="diff-head">
        <span class="diff-path">
          <VisibleText text={path} />
        </span>
        <span class="diff-counts">
          <span class="diff-plus">+{count('added')}</span> <span class="diff-minus">−{count('removed')}</span>
        </span>
        <CopyButton text={text} label={`Copy the change of ${path}`} />
      </figcaption>
      <div class="diff-lines">
        {notes.map((text) => (
          <Line line={{ type: 'note', text }} />
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

const signs = { added: '+', removed: '−', context: '', place: '', note: '' } as const;
const maxLine = 4000;

interface Row extends DiffLine {
  /** The number of empty lines that it stands for. */
  readonly empty?: number;
}

/** Many empty lines in a row become one: what comes behind them has to be in sight. */
function foldRows(lines: readonly DiffLine[]): readonly Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < lines.length; ) {
    const { type } = lines[at] ?? { type: 'note' };
    let end = at;
    while (end < lines.length && lines[end]?.type === type && isEmptyLine(lines[end]?.text ?? '')) end += 1;
    if (end - at > mostEmptyLines) rows.push({ type, text: '', empty: end - at });
    else rows.push(...lines.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return rows;
}

function Line({ line: { type, text, empty } }: { readonly line: Row }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > maxLine;
  return (
    <div class={`diff-line diff-${type}`}>
      <span class="diff-sign">{signs[type]}</span>
      <span class="diff-text">
        {empty === undefined ? (
          <VisibleLines text={cut ? text.slice(0, maxLine) : text} />
        ) : (
          <FoldMark {...emptyLines(empty)} />
        )}
        {cut && (
          <button type="button" class="small" data-unread onClick={() => setWhole(true)}>
            Show the whole line ({text.length} characters)
          </button>
        )}
      </span>
    </div>
  );
}
