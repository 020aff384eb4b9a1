import type { PermissionRequestEvent } from '../../core/chat-event.js';
import { describeWholeInput } from '../../core/tool-input.js';
import { leadsOf } from '../../gateway/reports/preview-edits.js';
import { targetBelow } from '../../process/work-tree/open-below.js';
import type { AskedRequest } from '../chat/state/describe-request.js';

/** The request with the files that a link would have it write elsewhere. */
export async function withLeads(request: PermissionRequestEvent, cwd: string): Promise<AskedRequest> {
  const action = describeWholeInput(request.tool, request.input);
  if (action.type !== 'edit') return request;
  const leads = await leadsOf({ target: targetBelow }, action.edits, cwd);
  return leads.length === 0 ? request : { ...request, leads };
}
