/** A guild, the bot in it and a channel, in Discord's own JSON, as far as they say what the bot may do. */
export interface WireGuild {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
  readonly roles: readonly { readonly id: string; readonly permissions: string }[];
}

export interface WireOverwrite {
  readonly id: string;
  readonly allow: string;
  readonly deny: string;
}

const administrator = 1n << 3n;
const all = (1n << 64n) - 1n;

/**
 * What a member may do in a channel, by Discord's rule: the roles' permissions, then the channel's exceptions for everybody, for the
 * roles together, and for the member.
 */
export function permissionsIn(
  guild: WireGuild,
  member: { readonly userId: string; readonly roles: readonly string[] },
  overwrites: readonly WireOverwrite[],
): bigint {
  if (guild.owner_id === member.userId) return all;
  // The role of everybody has the guild's id.
  const held = guild.roles.filter(({ id }) => id === guild.id || member.roles.includes(id));
  let permissions = sum(held.map((role) => role.permissions));
  if ((permissions & administrator) !== 0n) return all;
  for (const ids of [[guild.id], member.roles, [member.userId]]) {
    const meant = overwrites.filter(({ id }) => ids.includes(id));
    permissions &= ~sum(meant.map(({ deny }) => deny));
    permissions |= sum(meant.map(({ allow }) => allow));
  }
  return permissions;
}

function sum(permissions: readonly string[]): bigint {
  return permissions.reduce((all, one) => all | BigInt(one), 0n);
}
