import type { World } from '../state/world.js';

export interface Mentions {
  /** Ids of users and roles that the text names. */
  readonly mentioned: readonly string[];
  /** Who of them is notified: ids, `everyone` and `here`. */
  readonly pinged: readonly string[];
}

interface AllowedMentions {
  readonly parse?: readonly string[];
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
  readonly replied_user?: boolean;
}

/** Without `allowed_mentions`, Discord notifies everybody whom the text names, and the author of the message replied to. */
export function readMentions(
  content: string,
  allowed: AllowedMentions | undefined,
  repliedTo: string | undefined,
  world: World,
): Mentions {
  // Discord doesn't look into code.
  const text = content.replace(/```[\s\S]*?```|`[^`\n]*`/g, '');
  const users = idsIn(text, /<@!?(\d+)>/g).filter((id) => world.users.has(id));
  const roles = idsIn(text, /<@&(\d+)>/g);
  const parsed = (name: string) => allowed === undefined || (allowed.parse ?? []).includes(name);
  const mayUser = (id: string) => parsed('users') || (allowed?.users ?? []).includes(id);
  const mayRole = (id: string) => parsed('roles') || (allowed?.roles ?? []).includes(id);
  const everyone = ['everyone', 'here'].filter((word) => text.includes(`@${word}`) && parsed('everyone'));
  const reply =
    repliedTo !== undefined && (allowed === undefined || allowed.replied_user === true) ? [repliedTo] : [];
  const pinged = [...users.filter(mayUser), ...roles.filter(mayRole), ...everyone, ...reply];
  return { mentioned: unique([...users, ...roles, ...reply]), pinged: unique(pinged) };
}

function idsIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
