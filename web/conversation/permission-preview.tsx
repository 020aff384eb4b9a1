import { useEffect, useRef, useState } from 'preact/hooks';
import type { PermissionView } from '../../src/gateway/channels/http/wire.js';
import { api } from '../api.js';
import { Diff } from '../diff.js';
import { SomeFirst } from '../some-first.js';
import { VisibleText } from '../visible-text.js';
import { Command } from './command.js';
import { OtherFields } from './other-fields.js';
import { ToolInput } from './steps.js';

export interface PermissionPreviewProps {
  readonly permission: PermissionView;
  /** Told how many characters can't be shown at all. */
  readonly onLeft: (characters: number) => void;
}

/** What a tool would do. What is too long for the channel's status is asked for by itself. */
export function PermissionPreview({ permission, onLeft }: PermissionPreviewProps) {
  const { whole, state, load, box } = useWhole(permission);
  const left = whole?.preview?.type === 'edit' ? sum(whole.preview.files.map((file) => file.left ?? 0)) : 0;
  useEffect(() => onLeft(left), [left]);
  if (whole === undefined)
    return (
      <p class="long-text-more" ref={box} data-unread>
        {state !== 'loading' && (
          <button type="button" class="small" onClick={load}>
            Show what it would do
          </button>
        )}
        <span>{state === 'loading' ? 'It is long: one moment …' : state}</span>
      </p>
    );
  return (
    <>
      <Shown permission={whole} />
      {left > 0 && (
        <p class="permission-left" role="note">
          {left} characters of this are not shown: Enter does not allow it.
        </p>
      )}
    </>
  );
}

function Shown({ permission: { tool, input, preview } }: { readonly permission: PermissionView }) {
  if (preview === undefined) return <ToolInput name={tool} input={input} whole />;
  if (preview.type === 'command')
    return (
      <>
        <Command {...preview} />
        <OtherFields tool={tool} input={input} />
      </>
    );
  const outside = preview.files.filter((file) => file.outside);
  return (
    <>
      <SomeFirst
        items={outside}
        show={({ path, leadsTo = path }) => (
          <p class="permission-left" role="note">
            <VisibleText text={path} level="exact" /> leads outside the work tree, to{' '}
            <VisibleText text={leadsTo} level="exact" />
          </p>
        )}
      />
      <SomeFirst
        items={preview.files}
        show={(file) => <Diff key={file.path} path={file.path} change={file} left={file.left} />}
      />
      <OtherFields tool={tool} input={input} />
    </>
  );
}

function useWhole(permission: PermissionView) {
  const { id, shortened } = permission;
  const [loaded, setLoaded] = useState<PermissionView | undefined>(undefined);
  const [state, setState] = useState('It is long.');
  const box = useRef<HTMLParagraphElement>(null);
  const load = async () => {
    setState('loading');
    try {
      setLoaded(await api.permission(id));
    } catch (error) {
      setState(error instanceof Error ? error.message : String(error));
    }
  };
  useEffect(() => {
    // Of a hundred questions the first one is looked at.
    const before = box.current?.closest('.permission')?.previousElementSibling;
    if (shortened && loaded === undefined && !before?.classList.contains('permission')) void load();
  }, [id, shortened]);
  return { whole: shortened ? loaded : permission, state, load, box };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
