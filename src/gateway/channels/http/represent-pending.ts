import type { StoredPermission } from '../../../store/rows.js';
import type { PermissionPreview } from '../lookups.js';
import type { GatewayFace } from '../types.js';
import { representPermission } from './represent.js';
import type { PermissionView, PreviewView } from './wire.js';

/** A longer preview is left out of a list. */
const maxPreview = 64 * 1024;
/** The previews of one list in all, the oldest questions first. */
const maxPreviewInAll = 256 * 1024;

/**
 * Questions that wait for a person, each with what would be done as long as there is room for it: a status is sent to every
 * reader after every change, and an agent may ask a hundred times for half a megabyte each.
 */
export async function representPending(
  gateway: GatewayFace,
  permissions: readonly StoredPermission[],
): Promise<readonly PermissionView[]> {
  const views: PermissionView[] = [];
  let room = maxPreviewInAll;
  for (const permission of permissions) {
    const isWhole = permission.inputLeftOut !== true && room > 0;
    const view = isWhole ? await representQuestion(gateway, permission) : representPermission(permission);
    const length = view.preview === undefined ? 0 : lengthOf(view.preview);
    if (isWhole && length <= Math.min(maxPreview, room)) {
      room -= length;
      views.push(view);
    } else views.push({ ...representPermission(permission), shortened: true });
  }
  return views;
}

/** One question with all that it asks. */
export async function representQuestion(
  gateway: GatewayFace,
  permission: StoredPermission,
): Promise<PermissionView> {
  const preview = await gateway.reports.preview(permission);
  return {
    ...representPermission(permission),
    ...(preview === undefined ? {} : { preview: representPreview(preview) }),
  };
}

function representPreview(preview: PermissionPreview): PreviewView {
  if (preview.type === 'edit') return preview;
  const { type, command, cwd } = preview;
  return { type, command, ...(cwd === undefined ? {} : { cwd }) };
}

function lengthOf(preview: PreviewView): number {
  return preview.type === 'command'
    ? preview.command.length
    : preview.files.reduce((sum, { path, diff }) => sum + path.length + diff.length, 0);
}
