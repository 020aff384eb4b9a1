import type { StoredPermission } from '../../../store/rows.js';
import type { PermissionPreview } from '../lookups.js';
import type { GatewayFace } from '../types.js';
import { representPermission } from './represent.js';
import type { PermissionView, PreviewView } from './wire.js';

/** Questions that wait for a person, each with what would be done. */
export function representPending(
  gateway: GatewayFace,
  permissions: readonly StoredPermission[],
): Promise<readonly PermissionView[]> {
  return Promise.all(
    permissions.map(async (permission) => {
      const preview = await gateway.reports.preview(permission);
      return {
        ...representPermission(permission),
        ...(preview === undefined ? {} : { preview: representPreview(preview) }),
      };
    }),
  );
}

function representPreview(preview: PermissionPreview): PreviewView {
  if (preview.type === 'edit') return preview;
  const { type, command, cwd } = preview;
  return { type, command, ...(cwd === undefined ? {} : { cwd }) };
}
