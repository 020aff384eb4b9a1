import { notice, type StepEvent } from '../../../core/chat-event.js';
import { unknownLine } from '../../output/ending.js';
import type { JsonObject } from '../../output/json.js';
import { text } from '../../output/read-fields.js';

/** The events of a notification that belongs to no turn, or to every turn alike. */
export function decodeNotification(method: string, params: JsonObject, raw: string): readonly StepEvent[] {
  switch (method) {
    case 'warning':
    case 'guardianWarning':
      return [notice('warning', text(params['message']) || 'Codex warns', raw)];
    case 'configWarning':
    case 'deprecationNotice':
      return [notice('info', text(params['summary']) || 'Codex speaks of its settings', raw)];
    case 'mcpServer/startupStatus/updated': {
      if (params['status'] !== 'failed') return [];
      const why = text(params['error']) || 'no reason given';
      return [notice('warning', `The MCP server ${text(params['name'])} could not start: ${why}`, raw)];
    }
    default:
      return optedOutMethods.has(method) || ignoredMethods.has(method)
        ? []
        : [unknownLine('An unknown event', raw)];
  }
}

/** The server is asked to leave these out: they are many, or large, and no ChatEvent tells of them. */
export const optedOutMethods: ReadonlySet<string> = new Set([
  'item/commandExecution/outputDelta',
  'item/commandExecution/terminalInteraction',
  'item/fileChange/outputDelta',
  'item/fileChange/patchUpdated',
  'item/mcpToolCall/progress',
  'item/plan/delta',
  'remoteControl/status/changed',
  'thread/readState/changed',
  'thread/settings/updated',
  'thread/status/changed',
  'turn/diff/updated',
]);

const ignoredMethods: ReadonlySet<string> = new Set([
  'account/rateLimits/updated',
  'account/updated',
  'app/list/updated',
  'hook/completed',
  'hook/started',
  'item/autoApprovalReview/completed',
  'item/autoApprovalReview/started',
  'serverRequest/resolved',
  'skills/changed',
  'thread/closed',
  'thread/goal/cleared',
  'thread/goal/updated',
  'thread/name/updated',
  'thread/started',
  'thread/tokenUsage/updated',
  'turn/completed',
  'turn/started',
]);
