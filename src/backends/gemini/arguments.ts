import type { PermissionMode } from '../../core/permission-mode.js';

/** The values of `--approval-mode`, for one-shot turns and the terminal UI. */
export const approvalModes: Readonly<Record<PermissionMode, string>> = {
  bypass: 'yolo',
  edits: 'auto_edit',
  plan: 'plan',
  ask: 'default',
};
