import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/**
 * Calls `begin`, which belongs to a library that starts a process and does not give it away, and resolves `child` to that
 * process as soon as it runs. It stays unsettled if none is started.
 */
export function catchChild<T>(begin: () => Promise<T>): {
  readonly done: Promise<T>;
  readonly child: Promise<ChildProcess>;
} {
  let found: (child: ChildProcess) => void = () => {};
  const child = new Promise<ChildProcess>((resolve) => {
    found = resolve;
  });
  const take = (created: ChildProcess) => created.once('spawn', () => found(tamed(created)));
  const onCreated = (message: unknown) => {
    if (beginning.getStore() === take) take((message as { process: ChildProcess }).process);
  };
  subscribe(channel, onCreated);
  const done = beginning.run(take, begin).finally(() => unsubscribe(channel, onCreated));
  return { done, child };
}

/** An error without a listener would end this program: a child that exits before it has read its input gives one. */
function tamed(child: ChildProcess): ChildProcess {
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  return child;
}

/** Tells the processes of one beginning from those that are started at the same time. */
const beginning = new AsyncLocalStorage<unknown>();
const channel = 'child_process';
