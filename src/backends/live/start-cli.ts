import { redactAdded } from '../../config/redact.js';
import { type ProcessSpec, type RunningProcess, startProcess } from '../../process/start-process.js';
import type { LiveContext } from './types.js';

/** Starts a CLI's long-lived process: the trace gets the exact command before, and every line of stderr as it comes. */
export function startCli(
  spec: Omit<ProcessSpec, 'command' | 'user' | 'signal' | 'onStderrLine'> & { readonly cwd: string },
  context: LiveContext,
): Promise<RunningProcess> {
  const { command, user, onHostExit, signal, trace } = context;
  const { args, cwd } = spec;
  trace?.({
    type: 'spawn',
    command,
    args,
    cwd,
    env: redactAdded(spec.env, context.inherited ?? context.env),
  });
  const onStderrLine = trace && ((line: string) => trace({ type: 'stderr', line }));
  return startProcess({ ...spec, command, user, onHostExit, signal, ...(onStderrLine && { onStderrLine }) });
}
