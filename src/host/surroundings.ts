import { readFileSync, readlinkSync } from 'node:fs';
import { getPriority } from 'node:os';

/**
 * What a child inherits of this process beside its environment: the file mode mask, limits, groups, priority and processors, and
 * the confinement (namespaces, capabilities, seccomp). A host with others than the caller's would run the turn with rights that
 * the caller has not.
 */
export function surroundings(): string {
  return [
    process.umask().toString(8),
    String(getPriority()),
    ...[process.geteuid?.(), process.getegid?.(), ...(process.getgroups?.().sort() ?? [])].map(String),
    read('/proc/self/limits'),
    ...read('/proc/self/status')
      .split('\n')
      .filter((line) => /^(?:Cap|NoNewPrivs|Seccomp:|Cpus_allowed:)/.test(line)),
    ...['mnt', 'net', 'pid', 'user', 'ipc', 'uts'].map((name) => link(`/proc/self/ns/${name}`)),
    link('/proc/self/root'),
  ].join('\n');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
