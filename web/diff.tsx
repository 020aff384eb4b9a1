import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from './copy-button.js';
import { compareTexts, type DiffRow, partInWords, readDiffRows } from './diff-rows.js';
import './diff.css';

export interface DiffProps {
  readonly path: string;
  /** A unified diff, or the text before and after. */
  readonly change: { readonly diff: string } | { readonly before: string; readonly after: string };
}

const atOnce = 400;

/** The change of one file. Long lines are wrapped: nothing of it is out of sight. */
export function Diff({ path, change }: DiffProps) {
  const lines = useMemo(
    () => ('diff' in change ? readDiffRows(change.diff) : compareTexts(change.before, change.after)),
    [change],
  );
  const [limit, setLimit] = useState(atOnce);
  const count = (kind: DiffRow['kind']) => lines.filter((line) => line.kind === kind).length;
  const text = () => ('diff' in change ? change.diff : change.after);
  return (
    <figure class="diff">
      <figcaption class="diff-head">
        <span class="diff-path">{path}</span>
        <span class="diff-counts">
          <span class="diff-plus">+{count('added')}</span> <span class="diff-minus">−{count('removed')}</span>
        </span>
        <CopyButton text={text} label={`Copy the change of ${path}`} />
      </figcaption>
      <div class="diff-lines">
        {lines.slice(0, limit).map((line) => (
          <Line line={line} />
        ))}
        {lines.length === 0 && <div class="diff-line diff-note">Nothing changes in its text.</div>}
      </div>
      {lines.length > limit && (
        <p class="long-text-more diff-more">
          <button type="button" class="small" onClick={() => setLimit(limit * 4)}>
            Show more
          </button>
          <span>{lines.length - limit} more lines</span>
        </p>
      )}
    </figure>
  );
}

const signs = { added: '+', removed: '−', same: '', part: '' } as const;
const maxLine = 4000;

function Line({ line }: { readonly line: DiffRow }) {
  const { kind } = line;
  const text = kind === 'part' ? partInWords(line) : line.text;
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > maxLine;
  return (
    <div class={`diff-line diff-${kind}`}>
      <span class="diff-sign">{signs[kind]}</span>
      <span class="diff-text">
        {cut ? text.slice(0, maxLine) : text}
        {cut && (
          <button type="button" class="small" onClick={() => setWhole(true)}>
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
