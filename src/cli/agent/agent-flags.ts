import type { FlagTable } from '../command/command-page.js';
import { jsonFlags } from '../command/json-flags.js';
import { helpFlag } from '../command/run-command.js';
import { turnFlags } from '../run/turn-flags.js';

const { cwd } = turnFlags;

export const agentListFlags = { ...jsonFlags, cwd, ...helpFlag } as const satisfies FlagTable;

export const agentInstallFlags = {
  to: {
    type: 'text',
    value: 'directory',
    about: 'where the program is written (install)',
    complete: 'directories',
  },
  force: { type: 'switch', short: 'f', about: 'replace a file that is something else (install)' },
  cwd,
  ...helpFlag,
} as const satisfies FlagTable;
