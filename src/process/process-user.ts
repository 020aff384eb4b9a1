import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Another user that a child is to run as. */
export interface ProcessUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

export type FoundUser = { readonly user: ProcessUser | undefined } | { readonly problem: string };

/** Finds a user by name or number. `user` is undefined if that is who this process runs as already. */
export function findUser(nameOrUid: string): FoundUser {
  const self = process.geteuid?.();
  const user = lookUp(nameOrUid);
  if (self === undefined || setpriv() === undefined) {
    return { problem: 'programs can be started as another user on Linux only, with setpriv (util-linux)' };
  }
  if (user === undefined) return { problem: 'there is no such user' };
  if (user.uid === self) return { user: undefined };
  if (self === 0) return { user };
  return {
    problem: `this process runs as the user ${self} and may not start programs as another one: start it as root, or leave this out`,
  };
}

/**
 * The command line that starts a program as the user, with the groups of that user and no others. `--clear-groups`: with
 * none of them, which also works for a user that the system does not list.
 */
export function asUser(
  user: Pick<ProcessUser, 'uid' | 'gid'>,
  command: string,
  args: readonly string[],
  groups: '--init-groups' | '--clear-groups' = '--init-groups',
): { readonly command: string; readonly args: readonly string[] } {
  const { uid, gid } = user;
  // Node's own way (uid, gid) leaves the user without its further groups.
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, groups, '--inh-caps=-all'];
  return { command: setpriv() ?? 'setpriv', args: [...identity, '--', command, ...args] };
}

/**
 * As `asUser`, for a program that reads on the user's behalf: in a group that nobody is in. The kernel lets no other process of that user
 * look into it, nor at the files that it has open.
 */
export function asReader(user: ProcessUser, command: string, args: readonly string[]) {
  return asUser({ uid: user.uid, gid: readersGroup }, command, args);
}

/** A number that distributions give to nobody, within those of a container that has 65,536. */
export const readersGroup = 65_531;

/** The environment with the user's own places in it: those of this process's user are not open to another. */
export function environmentOf(
  user: ProcessUser,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !/^(XDG_|SUDO_)|^(MAIL|TMPDIR|OLDPWD)$/.test(name));
  return { ...Object.fromEntries(kept), HOME: user.home, USER: user.name, LOGNAME: user.name };
}

/** The program is taken from the system's own directories: it runs as root. */
function setpriv(): string | undefined {
  return ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
}

function lookUp(nameOrUid: string): ProcessUser | undefined {
  return find(nameOrUid, readPasswd()) ?? find(nameOrUid, getent(nameOrUid));
}

function find(nameOrUid: string, passwd: string): ProcessUser | undefined {
  for (const line of passwd.split('\n')) {
    const [name = '', , uid = '', gid = '', , home = ''] = line.split(':');
    if ((name === nameOrUid || uid === nameOrUid) && /^\d+$/.test(uid) && /^\d+$/.test(gid))
      return { name, uid: Number(uid), gid: Number(gid), home: home || '/' };
  }
  return undefined;
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}

/** Users of a directory service are in no file. */
function getent(nameOrUid: string): string {
  if (nameOrUid === '' || nameOrUid.startsWith('-')) return '';
  return spawnSync('/usr/bin/getent', ['passwd', nameOrUid], { encoding: 'utf8' }).stdout ?? '';
}
