import { useMemo } from 'preact/hooks';
import type { ChangedFileView } from '../../src/gateway/channels/http/wire.js';
import { CopyButton } from '../copy-button.js';
import { readDiffRows } from '../diff-rows.js';
import { memo } from '../memo.js';
import { VisibleText } from '../visible-text.js';
import { Counts } from './counts.js';
import { DiffLines } from './diff-lines.js';
import { Revert } from './revert.js';
import { useNear } from './use-near.js';

interface Props {
  readonly file: ChangedFileView;
  readonly open: boolean;
  /** What the file would be put back to, in words. */
  readonly until: string;
  readonly level: 2 | 3;
  readonly onFold: (path: string, open: boolean) => void;
  readonly running: boolean;
  readonly onRevert: (file: ChangedFileView) => Promise<void>;
}

/** One file of the list, with its diff below if it is open. */
export const ChangedFile = memo(function ChangedFile({
  file,
  open,
  until,
  level,
  running,
  onFold,
  onRevert,
}: Props) {
  const slash = file.path.lastIndexOf('/') + 1;
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <li class={`changed-file${open ? ' open' : ''}`} style={{ '--rows': open ? rowsGuessed(file) : 0 }}>
      <div class="file-head">
        <Heading class="file-heading">
          <button
            type="button"
            class="plain file-name"
            aria-expanded={open}
            onClick={() => onFold(file.path, !open)}
          >
            <span class="file-fold" aria-hidden="true" />
            <bdi class="file-path">
              <span class="file-directory">
                <VisibleText text={file.path.slice(0, slash)} />
              </span>
              <VisibleText text={file.path.slice(slash)} />
            </bdi>
            <span class={`file-status ${file.status}`}>{file.status}</span>
            {!file.binary && <Counts additions={file.additions} deletions={file.deletions} />}
          </button>
        </Heading>
        {open && (
          <div class="file-actions">
            <CopyButton shown="Copy path" label={`Copy path of ${file.path}`} text={file.path} />
            {file.diff !== undefined && (
              <CopyButton shown="Copy diff" label={`Copy diff of ${file.path}`} text={file.diff} />
            )}
            <Revert file={file} until={until} running={running} onRevert={onRevert} />
          </div>
        )}
      </div>
      {open && (
        <div class="file-body">
          {file.changedSince && (
            <p class="file-note warn">
              This file was changed again after the turn. The diff shows what the turn did.
            </p>
          )}
          <FileDiff file={file} />
        </div>
      )}
    </li>
  );
});

/** The diff is drawn when it comes into sight: there may be a thousand files. */
function FileDiff({ file }: { readonly file: ChangedFileView }) {
  const [place, near] = useNear<HTMLDivElement>();
  const rows = useMemo(() => (near ? readDiffRows(file.diff ?? '') : []), [file.diff, near]);
  if (!near) {
    return <div ref={place} class="code-to-come" />;
  }
  if (rows.length > 0) return <DiffLines path={file.path} rows={rows} />;
  return <p class="file-note">{whyNoLines(file)}</p>;
}

/** For the height of what is not drawn yet. */
function rowsGuessed({ additions, deletions }: ChangedFileView): number {
  return Math.min(200, additions + deletions + 6);
}

function whyNoLines(file: ChangedFileView): string {
  if (file.binary) return 'This is a binary file: there are no lines to show.';
  if (file.diff === undefined)
    return 'The changes are too large to be shown together. The file itself has them.';
  if (file.status === 'added') return 'The new file is empty.';
  if (file.status === 'deleted') return 'The deleted file was empty.';
  return 'No line has changed: only the file’s mode, or what kind of file it is.';
}
