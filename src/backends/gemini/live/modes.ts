import type { PermissionMode } from '../../../core/permission-mode.js';

/** Gemini's names of the modes over ACP (its command line spells one of them `auto_edit`). */
export const geminiModes: Readonly<Record<PermissionMode, string>> = {
  bypass: 'yolo',
  ask: 'default',
  edits: 'autoEdit',
  plan: 'plan',
};
