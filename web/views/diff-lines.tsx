import { useMemo, useState } from 'preact/hooks';
import { type DiffRow, type LineRow, partInWords } from '../diff-rows.js';
import { VisibleText } from '../visible-text.js';
import { createColouredRows, type Piece } from './coloured-rows.js';
import { count } from './numbers-in-words.js';
import { lineNumberDigits, longestLine, longestRow } from './row-pairs.js';

interface Props {
  readonly path: string;
  readonly rows: readonly DiffRow[];
}

/** The lines of a file's diff. A part of a long one is drawn, and more of it on demand. */
export function DiffLines({ path, rows }: Props) {
  const [shown, setShown] = useState(firstRows);
  const colour = useMemo(() => createColouredRows(path, rows), [path, rows]);
  // Known widths spare the browser to measure every line, and chunks out of sight to be laid out at all.
  const size = useMemo(() => ({ '--digits': lineNumberDigits(rows), '--columns': longestRow(rows) }), [rows]);
  const chunks: number[] = [];
  for (let from = 0; from < Math.min(shown, rows.length); from += chunkRows) chunks.push(from);
  const left = rows.length - Math.min(shown, rows.length);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard */}
      <section class="code-scroll" aria-label={`Changes in ${path}`} tabIndex={0}>
        <div class="code-diff" style={size}>
          {chunks.map((from) => (
            <Chunk
              key={from}
              rows={rows}
              colour={colour}
              from={from}
              to={Math.min(from + chunkRows, shown)}
            />
          ))}
        </div>
      </section>
      {left > 0 && (
        <p class="code-more">
          <button type="button" class="small" onClick={() => setShown(shown + moreRows)}>
            Show {count(Math.min(left, moreRows), 'more line')}
          </button>
          <span>{count(left, 'line')} not shown</span>
        </p>
      )}
    </>
  );
}

const chunkRows = 50;
const firstRows = 200;
const moreRows = 400;

interface ChunkProps {
  readonly rows: readonly DiffRow[];
  readonly colour: (index: number) => readonly Piece[];
  readonly from: number;
  readonly to: number;
}

/** Rows that are drawn once: more of them behind, or another wrap, leave these alone. */
function Chunk({ rows, colour, from, to }: ChunkProps) {
  return useMemo(() => {
    const some = rows.slice(from, to);
    return (
      <div class="code-chunk" style={{ '--rows': some.length }}>
        {some.map((row, nth) =>
          row.kind === 'part' ? (
            <div key={from + nth} class="code-part">
              <VisibleText text={partInWords(row)} />
            </div>
          ) : (
            <Line key={from + nth} row={row} pieces={colour(from + nth)} />
          ),
        )}
      </div>
    );
  }, [rows, colour, from, to]);
}

const signs = { same: ' ', added: '+', removed: '−', note: ' ' } as const;

function Line({ row, pieces }: { readonly row: LineRow; readonly pieces: readonly Piece[] }) {
  return (
    <div class={`code-row ${row.kind}`}>
      <span class="old">{row.oldLine}</span>
      <span class="new">{row.newLine}</span>
      <span class="sign">{signs[row.kind]}</span>
      <code>
        {row.text.length > longestLine ? <LongLine text={row.text} /> : pieces.map(drawPiece)}
        {row.endsWithoutBreak && <span class="code-note"> (no line break at the end of the file)</span>}
      </code>
    </div>
  );
}

function drawPiece({ kind, text, changed }: Piece, index: number) {
  const names = `${kind === 'plain' ? '' : `token-${kind}`}${changed ? ' code-changed' : ''}`.trim();
  const content = <VisibleText text={text} />;
  return names === '' ? (
    content
  ) : (
    <span key={index} class={names}>
      {content}
    </span>
  );
}

const moreOfLine = 20_000;

/** A line that would take long to lay out is shown piece by piece. */
function LongLine({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(longestLine);
  return (
    <span class="long-line">
      <VisibleText text={text.slice(0, shown)} />
      {shown < text.length && (
        <button type="button" class="small line-more" onClick={() => setShown(shown + moreOfLine)}>
          … {count(text.length - shown, 'more character')}
        </button>
      )}
    </span>
  );
}
