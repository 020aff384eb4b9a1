import { constants } from 'node:os';

/**
 * Calls `kill` if this process ends before the returned function was called: by an exit, an uncaught error, or a signal. All calls
 * share one listener for each of these, which exist only while there is something to kill.
 *
 * A signal that the program listens for is the program's own: it may go on, and when it exits, `kill` is called. Otherwise the process
 * ends as it would without us, by that signal.
 */
export function killAtExit(kill: () => void): () => void {
  if (kills.size === 0) listen();
  kills.add(kill);
  return () => {
    if (kills.delete(kill) && kills.size === 0) stopListening();
  };
}

const kills = new Set<() => void>();

/**
 * The signals that end a program which does not listen for them. Not these: Node has its own use of SIGUSR1 and SIGPROF (the debugger,
 * the profiler), and ignores SIGPIPE and SIGXFSZ; the faults of a program (SIGSEGV, SIGTRAP, SIGSYS) come back if they are heard.
 */
const signals = [
  ...(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGABRT', 'SIGALRM'] as const),
  ...(['SIGVTALRM', 'SIGXCPU', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'] as const),
];

function listen(): void {
  process.on('exit', killAll);
  // In front of the others: one that listens once would be gone by the time that it is looked for.
  for (const signal of signals) process.prependListener(signal, onSignal);
  copies.count += 1;
}

function stopListening(): void {
  process.off('exit', killAll);
  for (const signal of signals) process.off(signal, onSignal);
  copies.count -= 1;
}

function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > copies.count + signalExits()) return;
  killAll();
  kills.clear();
  stopListening();
  process.kill(process.pid, signal);
  // The first process of a container has to exit by itself. Whoever listens still does not decide, but ends it.
  if (process.listenerCount(signal) === 0) process.exit(128 + constants.signals[signal]);
}

function killAll(): void {
  for (const kill of kills) {
    try {
      kill();
    } catch {
      // The others are killed all the same.
    }
  }
}

interface Counted {
  count: number;
}

/** Another copy of this module, such as that of a second version, listens for signals too: none of them is the program's own. */
const shared = globalThis as { [name: symbol]: Counted | undefined };
const ours = Symbol.for('turnout kill at exit');
shared[ours] ??= { count: 0 };
const copies: Counted = shared[ours];

/**
 * The listeners of the package signal-exit, which many have below them without knowing. They leave a signal to any other listener, and
 * end the process if there is none. It counts them in public, for the same purpose: version 4 in a global symbol, version 3 on `process`.
 */
function signalExits(): number {
  const [v4, v3] = [
    shared[Symbol.for('signal-exit emitter')],
    Reflect.get(process, '__signal_exit_emitter__'),
  ];
  return (v4?.count ?? 0) + ((v3 as Counted | undefined)?.count ?? 0);
}
