/** What the bot does needs these, and nothing else. The names are Discord's. */
export const neededPermissions = [
  { name: 'View Channel', bit: 1n << 10n },
  { name: 'Send Messages', bit: 1n << 11n },
  { name: 'Send Messages in Threads', bit: 1n << 38n },
  { name: 'Attach Files', bit: 1n << 15n },
  { name: 'Read Message History', bit: 1n << 16n },
] as const;

export type PermissionName = (typeof neededPermissions)[number]['name'];

/** The address that takes the bot to a server, with all that it needs there. */
export function inviteAddress(applicationId: string): string {
  const permissions = neededPermissions.reduce((sum, { bit }) => sum | bit, 0n);
  const scope = 'bot+applications.commands';
  return `https://discord.com/oauth2/authorize?client_id=${applicationId}&scope=${scope}&permissions=${permissions}`;
}

/** Discord's numbers of channel types: in threads, and in forums, which have nothing else, another permission counts. */
const threads: ReadonlySet<number> = new Set([10, 11, 12]);
const forums: ReadonlySet<number> = new Set([15, 16]);

/** What the bot lacks in a channel of that type with these permissions. */
export function lackingIn(type: number, held: bigint): readonly PermissionName[] {
  const [view] = neededPermissions;
  // Whoever does not see a channel has no other permission there: one is enough to say.
  if ((held & view.bit) === 0n) return [view.name];
  return neededPermissions
    .filter(({ bit }) => (held & bit) === 0n)
    .map(({ name }) => name)
    .filter((name) => name !== 'Send Messages' || !(threads.has(type) || forums.has(type)));
}
