/** Every tab that is looked at holds this lock: those behind it need not notify of what it shows. */
const name = 'turnout in sight';

/** Holds the lock whenever this tab is looked at. */
export function watchSight(): void {
  if (!('locks' in navigator)) return;
  let leave: (() => void) | undefined;
  const look = () => {
    if (document.hidden) {
      leave?.();
      leave = undefined;
    } else if (leave === undefined) {
      const left = new Promise<void>((resolve) => {
        leave = resolve;
      });
      void navigator.locks.request(name, { mode: 'shared' }, () => left);
    }
  };
  document.addEventListener('visibilitychange', look);
  look();
}

/** True if this tab or another one of the page is looked at. Where there are no locks, only this one is known. */
export async function isInSight(): Promise<boolean> {
  if (!document.hidden) return true;
  if (!('locks' in navigator)) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some((lock) => lock.name === name);
}
