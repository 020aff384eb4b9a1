import type { Access } from './types.js';

/** Nobody may speak but those who are listed. */
export function plainAccess(allowedUsers: readonly string[]): Access {
  const may: Access['may'] = async ({ id }) => allowedUsers.includes(id);
  return { may, admit: async (_, speaker, place) => may(speaker, place) };
}
