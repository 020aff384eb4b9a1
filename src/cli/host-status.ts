import type { HostStatus, WarmStatus } from '../host/messages.js';

/** What `turnout host` prints of a host that runs, or of one that was stopped. */
export function describeHost({ pid, turns, warm }: HostStatus, asked: 'status' | 'stop'): string {
  const count = turns === 1 ? '1 turn' : `${turns} turns`;
  if (asked === 'stop' && turns > 0)
    return `The host (process ${pid}) ends after what is running now: ${count}.\n`;
  if (asked === 'stop') return `The host (process ${pid}) has ended.\n`;
  const running = turns === 0 ? 'no turns run' : `${count} ${turns === 1 ? 'runs' : 'run'}`;
  return [`The host runs as process ${pid}; ${running}.`, ...rows(warm), ''].join('\n');
}

/** Callers with other options, or another environment, have other processes: those that look alike are one row. */
function rows(warm: readonly WarmStatus[]): readonly string[] {
  const groups = new Map<string, WarmStatus[]>();
  for (const one of warm) {
    const key = JSON.stringify([one.backend, one.model, one.cwd]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => row(group));
}

function row(group: readonly WarmStatus[]): string {
  const [first] = group;
  const processes = group.reduce((sum, one) => sum + one.processes, 0);
  const count = processes === 1 ? '1 process' : `${processes} processes`;
  const kinds = group.length === 1 ? '' : ` for ${group.length} sets of options or environments`;
  const idle = Math.round(Math.min(...group.map(({ idleMs }) => idleMs)) / 1000);
  const use = group.some(({ turns }) => turns > 0) ? 'in use' : `idle for ${idle} s`;
  const name = [first?.backend, first?.model].filter((word) => word !== undefined).join(' ');
  return `  ${name}: ${count}${kinds}, ${use}, in ${first?.cwd}`;
}
