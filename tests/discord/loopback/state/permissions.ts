/** The permissions that the loopback Discord checks, with their bits. */
const bits = {
  AddReactions: 6,
  ViewChannel: 10,
  SendMessages: 11,
  ManageMessages: 13,
  EmbedLinks: 14,
  AttachFiles: 15,
  ReadMessageHistory: 16,
  UseApplicationCommands: 31,
  ManageThreads: 34,
  CreatePublicThreads: 35,
  SendMessagesInThreads: 38,
} as const;

export type Permission = keyof typeof bits;

/** What an ordinary bot has: it doesn't manage what others have written. */
export const ordinaryPermissions: readonly Permission[] = [
  'AddReactions',
  'ViewChannel',
  'SendMessages',
  'EmbedLinks',
  'AttachFiles',
  'ReadMessageHistory',
  'UseApplicationCommands',
  'CreatePublicThreads',
  'SendMessagesInThreads',
];

export function permissionBits(permissions: Iterable<Permission>): string {
  let sum = 0n;
  for (const permission of permissions) sum |= 1n << BigInt(bits[permission]);
  return String(sum);
}
