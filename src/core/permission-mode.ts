/** What an agent may do without being asked: `bypass` everything, `ask` nothing, `edits` change files, `plan` only read. */
export const permissionModes = ['bypass', 'ask', 'edits', 'plan'] as const;
export type PermissionMode = (typeof permissionModes)[number];
