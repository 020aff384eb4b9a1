import type { Environment } from '../config/home-directory.js';

/** What a shell keeps for itself: it changes with every `cd` and every script, and says nothing to an agent. */
const ofShell = ['_', 'OLDPWD', 'SHLVL'];

/** The environment that a warm CLI gets in place of the caller's: the same, without a shell's own notes. */
export function warmEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !ofShell.includes(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

/** True in a process that an agent has started: what it starts must end with the agent's turn, and a host would not. */
export function isInsideTurn(env: Environment): boolean {
  return env['TURNOUT_OWNER'] !== undefined;
}

/**
 * The host's own environment. It is not the CLIs': each gets that of its caller. So the first caller's keys are not in the
 * host's.
 */
export function hostEnvironment(env: Environment, home: string): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name, value]) =>
      value !== undefined && /^(?:PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|POOL_\w+|TURNOUT_\w+)$/.test(name),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), TURNOUT_HOME: home };
}
