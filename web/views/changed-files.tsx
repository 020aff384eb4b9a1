import { useCallback, useRef, useState } from 'preact/hooks';
import type { ChangedFileView, ChangesView } from '../../src/gateway/channels/http/wire.js';
import { ApiError } from '../api.js';
import { ChangedFile } from './changed-file.js';
import { Counts } from './counts.js';
import { openAtFirst } from './file-list.js';
import { count } from './numbers-in-words.js';
import { useFileKeys } from './use-file-keys.js';
import { useWrap } from './use-wrap.js';

interface Props {
  readonly changes: ChangesView;
  /** True while a turn runs: it may be changing files. */
  readonly running: boolean;
  readonly fileLevel: 2 | 3;
  readonly onReload: () => void;
  readonly onRevert: (file: ChangedFileView) => Promise<unknown>;
}

/** The changed files, one below the other, and what can be done with all of them. */
export function ChangedFiles({ changes, running, fileLevel, onReload, onRevert }: Props) {
  const { files, scope, reason } = changes;
  // What a person has folded or unfolded stays so when the list is loaded again.
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [told, setTold] = useState<string>();
  const [wrap, setWrap] = useWrap();
  const list = useRef<HTMLUListElement>(null);
  const sum = useRef<HTMLParagraphElement>(null);
  useFileKeys(list);
  const first = openAtFirst(files);
  const isOpen = ({ path }: ChangedFileView) => chosen.get(path) ?? first.has(path);
  const allOpen = files.every(isOpen);
  // Both stay the same functions, so that a change of one file draws only that one again.
  const fold = useCallback(
    (path: string, open: boolean) => setChosen((before) => new Map(before).set(path, open)),
    [],
  );
  const latest = useRef({ onRevert, onReload });
  latest.current = { onRevert, onReload };
  const revert = useCallback(async (file: ChangedFileView) => {
    try {
      await latest.current.onRevert(file);
      setTold(`${file.path} was put back.`);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      setTold(
        `${file.path} was changed after you looked at it, and was left alone. Look at it again: it is shown as it is now.`,
      );
    }
    latest.current.onReload();
    // The file and its buttons go: without this the keyboard would begin anew at the top of the page.
    sum.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <div class="changes-bar">
        <p class="changes-sum" role="status" tabIndex={-1} ref={sum}>
          {told !== undefined && <span class="put-back">{told} </span>}
          {files.length > 0 && <Sum files={files} />}
        </p>
        {files.length > 1 && (
          <button
            type="button"
            class="small"
            onClick={() => setChosen(new Map(files.map(({ path }) => [path, !allOpen])))}
          >
            {allOpen ? 'Fold all' : 'Unfold all'}
          </button>
        )}
        {files.length > 0 && (
          <button type="button" class="small" aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
            Wrap lines
          </button>
        )}
      </div>
      {files.length === 0 && <p class="empty">{reason ?? (running ? whileRunning : nothing)[scope]}</p>}
      {files.length > 0 && reason !== undefined && <p class="changes-reason">{reason}</p>}
      <ul class={`changed-files${wrap ? ' wrap' : ''}`} ref={list}>
        {files.map((file) => (
          <ChangedFile
            key={file.path}
            file={file}
            open={isOpen(file)}
            until={scope === 'turn' ? 'before the last turn' : 'before this conversation'}
            level={fileLevel}
            running={running}
            onFold={fold}
            onRevert={revert}
          />
        ))}
      </ul>
      {files.length > 1 && (
        <p class="changes-keys">
          <kbd>j</kbd> and <kbd>k</kbd> lead to the next and the previous file, <kbd>Enter</kbd> folds it.
        </p>
      )}
    </>
  );
}

const nothing = {
  turn: 'The last turn left no changes in the work tree.',
  conversation: 'This conversation has left no changes in the work tree.',
} as const;

const whileRunning = {
  turn: 'No turn has left changes in the work tree yet.',
  conversation: 'This conversation has left no changes in the work tree yet.',
} as const;

function Sum({ files }: { readonly files: readonly ChangedFileView[] }) {
  const sumOf = (pick: (file: ChangedFileView) => number) =>
    files.reduce((total, file) => total + pick(file), 0);
  return (
    <>
      {count(files.length, 'file')} changed{' '}
      <Counts
        additions={sumOf(({ additions }) => additions)}
        deletions={sumOf(({ deletions }) => deletions)}
      />
    </>
  );
}
