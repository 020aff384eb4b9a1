import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ChangedFileView, ChangesView as ChangesBody } from '../../src/gateway/channels/http/wire.js';
import { api } from '../api.js';
import { ChangedFile } from './changed-file.js';
import { nextFile, openAtFirst } from './file-list.js';
import { count } from './in-words.js';
import { LoadFailure } from './load-failure.js';
import { Tabs } from './tabs.js';
import { useLoaded } from './use-loaded.js';
import { useWrap } from './use-wrap.js';
import './view.css';
import './changes.css';

type Scope = ChangesBody['scope'];

interface Props {
  readonly channel: string;
  /** Anything that changes when a turn has ended: the list is loaded again then. */
  readonly revision?: string | number | undefined;
  /** True if the view stands beside the conversation. */
  readonly panel?: boolean;
}

/** What the last turn, or the whole conversation, changed in the work tree. */
export function ChangesView({ channel, revision, panel = false }: Props) {
  const [scope, setScope] = useState<Scope>('turn');
  const loaded = useLoaded(`${channel} ${scope}`, (signal) => api.changes(channel, scope, signal));
  const { value, failure, loading, reload } = loaded;
  useReloadWhenChanged(revision, reload);
  const [wrap, setWrap] = useWrap();
  const files = value?.files ?? [];
  const Heading = panel ? 'h2' : 'h1';
  return (
    <section class="view changes" aria-label="Changes">
      <header class="view-header">
        <Heading>Changes</Heading>
        {!panel && (
          <a class="view-back" href={`#/c/${encodeURIComponent(channel)}`}>
            Back to the conversation
          </a>
        )}
      </header>
      <Tabs
        label="Which changes"
        tabs={[
          ['turn', 'Last turn'],
          ['conversation', 'Whole conversation'],
        ]}
        chosen={scope}
        onChoose={setScope}
      >
        <div class="changes-bar">
          <p class="changes-sum" role="status">
            {value !== undefined && files.length > 0 && <Sum files={files} />}
          </p>
          <button type="button" class="small" aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
            Wrap lines
          </button>
          <button type="button" class="small" disabled={loading} onClick={reload}>
            {loading ? 'Loading …' : 'Refresh'}
          </button>
        </div>
        {failure !== undefined && <LoadFailure failure={failure} onRetry={reload} />}
        {value === undefined && loading && <p class="empty">Loading the changes …</p>}
        {value !== undefined && files.length === 0 && <Nothing changes={value} />}
        {value !== undefined && files.length > 0 && (
          <Files key={`${channel} ${scope}`} {...{ channel, scope, files, wrap, panel, reload }} />
        )}
      </Tabs>
    </section>
  );
}

function Sum({ files }: { readonly files: readonly ChangedFileView[] }) {
  const sum = (pick: (file: ChangedFileView) => number) =>
    files.reduce((total, file) => total + pick(file), 0);
  return (
    <>
      {count(files.length, 'file')} changed <span class="plus">+{sum(({ additions }) => additions)}</span>{' '}
      <span class="minus">−{sum(({ deletions }) => deletions)}</span>
    </>
  );
}

function Nothing({ changes }: { readonly changes: ChangesBody }) {
  if (changes.reason !== undefined) return <p class="empty">{changes.reason}</p>;
  return (
    <p class="empty">
      {changes.scope === 'turn'
        ? 'The last turn changed no file of the work tree.'
        : 'This conversation has changed no file of the work tree.'}
    </p>
  );
}

interface FilesProps {
  readonly channel: string;
  readonly scope: Scope;
  readonly files: readonly ChangedFileView[];
  readonly wrap: boolean;
  readonly panel: boolean;
  readonly reload: () => void;
}

function Files({ channel, scope, files, wrap, panel, reload }: FilesProps) {
  const [open, setOpen] = useState(() => openAtFirst(files));
  const [reverted, setReverted] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLUListElement>(null);
  useFileKeys(list);
  const fold = (path: string) => setOpen((before) => toggled(before, path));
  const allOpen = files.every(({ path }) => open.has(path));
  const revert = async (path: string, force: boolean) => {
    await api.revert(channel, { scope, path, force });
    setReverted((before) => new Set(before).add(path));
    reload();
  };
  return (
    <>
      {files.length > 1 && (
        <p class="changes-hint">
          <button
            type="button"
            class="small"
            onClick={() => setOpen(allOpen ? new Set() : new Set(files.map(({ path }) => path)))}
          >
            {allOpen ? 'Fold all' : 'Unfold all'}
          </button>
          <span class="keys">
            <kbd>j</kbd> <kbd>k</kbd> next, previous file · <kbd>Enter</kbd> folds
          </span>
        </p>
      )}
      <ul class="changed-files" ref={list}>
        {files.map((file) => (
          <ChangedFile
            key={file.path}
            file={file}
            open={open.has(file.path)}
            wrap={wrap}
            reverted={reverted.has(file.path)}
            until={scope === 'turn' ? 'before the last turn' : 'before this conversation'}
            level={panel ? 3 : 2}
            onFold={() => fold(file.path)}
            onRevert={(force) => revert(file.path, force)}
          />
        ))}
      </ul>
    </>
  );
}

/** `j` and `k` lead from file to file, unless somebody types, or works in another part of the page. */
function useFileKeys(list: { readonly current: HTMLUListElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const root = list.current?.closest('.changes');
      if (root === null || root === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement;
      if (target !== document.body && !root.contains(target)) return;
      if (target.closest('input, textarea, select, [contenteditable]') !== null) return;
      const names = [...(list.current?.querySelectorAll<HTMLElement>('.file-name') ?? [])];
      const current = names.findIndex((name) => name.closest('li')?.contains(document.activeElement));
      const next = nextFile(event.key, current, names.length);
      if (next === undefined) return;
      event.preventDefault();
      names[next]?.focus({ preventScroll: true });
      names[next]?.closest('li')?.scrollIntoView({ block: 'start' });
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [list]);
}

function useReloadWhenChanged(revision: unknown, reload: () => void): void {
  const seen = useRef(revision);
  const check = useCallback(() => {
    if (seen.current === revision) return;
    seen.current = revision;
    reload();
  }, [revision, reload]);
  useEffect(check, [check]);
}

function toggled(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}
