import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface Props<T extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [value: T, label: string])[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
  /** Stands at the end of the tabs' row. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Tabs over one panel. Arrow keys lead from tab to tab. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose, beside, children }: Props<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const index = tabs.findIndex(([value]) => value === chosen);
    const next = by === 0 ? undefined : tabs[(index + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next[0]);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next[0]}"]`)?.focus();
  };
  return (
    <>
      <div class="view-tabs">
        <div role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
          {tabs.map(([value, name]) => (
            <button
              key={value}
              type="button"
              role="tab"
              id={`${id}-${value}`}
              data-tab={value}
              aria-selected={value === chosen}
              aria-controls={`${id}-panel`}
              tabIndex={value === chosen ? 0 : -1}
              onClick={() => onChoose(value)}
            >
              {name}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} class="tab-panel">
        {children}
      </div>
    </>
  );
}
