/** An agent may do without asking: `bypass` everything, `ask` nothing, `edits` change files, `plan` read. */
export const permissionModes = ['bypass', 'ask', 'edits', 'plan'] as const;
export type PermissionMode = (typeof permissionModes)[number];
