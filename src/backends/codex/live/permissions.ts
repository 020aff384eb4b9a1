import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { PermissionDecision } from '../../../core/chat-event.js';
import { isInside } from '../../../core/is-inside.js';
import type { PermissionMode } from '../../../core/permission-mode.js';
import type { LiveSessionOptions } from '../../live/types.js';
import type { JsonObject } from '../../output/json.js';
import { alwaysField, isAllowing } from '../../output/permission-request.js';
import { object, objects, text } from '../../output/read-fields.js';

/** A request of the server for a permission. */
export interface PermissionRequest {
  /** The id that the server has given it. */
  readonly requestId: string | number;
  readonly threadId: string;
  readonly turnId: string;
  /** The id of the item that it is about. */
  readonly toolId?: string;
  readonly tool: string;
  readonly input: unknown;
  readonly options: readonly PermissionDecision[];
  /** As in the event. Codex (0.166) tells only of rules for all time, which "always" is not: the words are ours. */
  readonly always?: string;
  reply(decision: PermissionDecision): JsonObject;
}

/** A tool that has started and not ended. */
export interface OpenTool {
  readonly name: string;
  readonly input: unknown;
}

/**
 * `untrusted` asks before every command and every patch, `on-request` only before what the model itself wants to do
 * outside the sandbox. Where everything asks there is no sandbox: Codex 0.166 tries an allowed command inside it first,
 * and again outside only where it notices the refusal (not for `echo x > file; true`).
 */
const policies = {
  bypass: { approvalPolicy: 'never', sandbox: 'danger-full-access' },
  ask: { approvalPolicy: 'untrusted', sandbox: 'danger-full-access' },
  edits: { approvalPolicy: 'untrusted', sandbox: 'danger-full-access' },
  plan: { approvalPolicy: 'never', sandbox: 'read-only' },
} as const satisfies Record<PermissionMode, JsonObject>;

const sandboxPolicies = {
  'danger-full-access': { type: 'dangerFullAccess' },
  'read-only': { type: 'readOnly', networkAccess: false },
} as const;

/** The options that the policy depends on. */
type Wanted = Pick<LiveSessionOptions, 'permissionMode' | 'confirmTools'>;

function policyFor({ permissionMode, confirmTools }: Wanted): (typeof policies)[PermissionMode] {
  return confirmTools && permissionMode === 'bypass' ? policies.ask : policies[permissionMode];
}

/** The policy that a thread is opened with. Approvals come to us, whatever reviewer the settings name. */
export function threadPolicy(wanted: Wanted): JsonObject {
  return { ...policyFor(wanted), approvalsReviewer: 'user' };
}

/** The policy for a turn of a thread that was opened with another mode; it holds for the turns after it too. */
export function turnPolicy(wanted: Wanted): JsonObject {
  const { approvalPolicy, sandbox } = policyFor(wanted);
  return { approvalPolicy, approvalsReviewer: 'user', sandboxPolicy: sandboxPolicies[sandbox] };
}

/** False for a thread that was still loaded and keeps another policy, with which it was opened. */
export function hasPolicy(opened: JsonObject, wanted: Wanted): boolean {
  const { approvalPolicy, sandbox } = policyFor(wanted);
  return (
    opened['approvalPolicy'] === approvalPolicy &&
    object(opened['sandbox'])['type'] === sandboxPolicies[sandbox].type
  );
}

/**
 * The decision on a request that needs no person. In `edits` Codex asks before a patch as before a command: a patch that
 * stays in the directory is allowed here.
 */
export function automaticDecision(
  request: PermissionRequest,
  mode: PermissionMode,
  cwd: string,
): PermissionDecision | undefined {
  if (mode === 'bypass') return 'allow';
  if (mode === 'plan') return 'deny';
  if (mode !== 'edits' || request.tool !== 'apply_patch') return undefined;
  const changes = objects(object(request.input)['changes']);
  return changes.length > 0 && changes.every((change) => staysInside(change, cwd)) ? 'allow' : undefined;
}

function staysInside({ path, move_path: movedTo }: JsonObject, cwd: string): boolean {
  return isFileIn(cwd, text(path)) && (movedTo === undefined || isFileIn(cwd, text(movedTo)));
}

/** Undefined for a request that neither an allow nor a deny would answer. */
export function readPermissionRequest(
  message: JsonObject,
  tools: ReadonlyMap<string, OpenTool>,
): PermissionRequest | undefined {
  const requestId = message['id'];
  if (typeof requestId !== 'string' && typeof requestId !== 'number') return undefined;
  const params = object(message['params']);
  const request = describe(text(message['method']), params, tools);
  if (request === undefined) return undefined;
  return { requestId, threadId: text(params['threadId']), turnId: text(params['turnId']), ...request };
}

const everyDecision: readonly PermissionDecision[] = ['allow', 'allow_always', 'deny'];

function describe(
  method: string,
  params: JsonObject,
  tools: ReadonlyMap<string, OpenTool>,
): Pick<PermissionRequest, 'tool' | 'input' | 'options' | 'always' | 'reply' | 'toolId'> | undefined {
  const toolId = text(params['itemId']);
  const tool = tools.get(toolId);
  const ofItem = toolId === '' ? {} : { toolId };
  const more = given(params, ['reason', 'networkApprovalContext', 'grantRoot']);
  switch (method) {
    case 'item/commandExecution/requestApproval': {
      const command = params['command'] ?? object(tool?.input)['command'] ?? '';
      const input = { command, ...given(params, ['cwd']), ...more };
      const always = 'this exact command';
      return { ...ofItem, tool: 'shell', input, options: everyDecision, always, reply: approvalReply };
    }
    case 'item/fileChange/requestApproval': {
      const changes = object(tool?.input)['changes'] ?? [];
      return {
        ...ofItem,
        tool: 'apply_patch',
        input: { changes, ...more },
        options: everyDecision,
        always: 'every edit of these files',
        reply: approvalReply,
      };
    }
    case 'item/permissions/requestApproval':
      return {
        ...ofItem,
        tool: 'request_permissions',
        input: { permissions: params['permissions'], ...more },
        options: everyDecision,
        always: 'these permissions',
        reply: (decision) => ({
          permissions: isAllowing(decision) ? present(object(params['permissions'])) : {},
          scope: decision === 'allow_always' ? 'session' : 'turn',
        }),
      };
    case 'mcpServer/elicitation/request':
      return describeMcpCall(params, tools);
    default:
      return undefined;
  }
}

/** Codex asks before a call of an MCP tool with an elicitation; a real elicitation wants a form filled in. */
function describeMcpCall(params: JsonObject, tools: ReadonlyMap<string, OpenTool>) {
  const meta = object(params['_meta']);
  if (meta['codex_approval_kind'] !== 'mcp_tool_call') return undefined;
  const prefix = `${text(params['serverName'])}.`;
  const named = /tool "([^"]+)"/.exec(text(params['message']))?.[1];
  const [toolId, open] = [...tools].findLast(([, { name }]) => name.startsWith(prefix)) ?? [];
  const canPersist = Array.isArray(meta['persist']) && meta['persist'].includes('session');
  const tool = named === undefined ? (open?.name ?? prefix.slice(0, -1)) : `${prefix}${named}`;
  return {
    ...(toolId === undefined ? {} : { toolId }),
    tool,
    ...(canPersist ? alwaysField([`every ${tool}`]) : {}),
    input: meta['tool_params'] ?? {},
    options: canPersist ? everyDecision : everyDecision.filter((decision) => decision !== 'allow_always'),
    reply: (decision: PermissionDecision): JsonObject => ({
      action: isAllowing(decision) ? 'accept' : 'decline',
      content: isAllowing(decision) ? {} : null,
      _meta: decision === 'allow_always' && canPersist ? { persist: 'session' } : null,
    }),
  };
}

function approvalReply(decision: PermissionDecision): JsonObject {
  if (!isAllowing(decision)) return { decision: 'decline' };
  return { decision: decision === 'allow_always' ? 'acceptForSession' : 'accept' };
}

function given(params: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => (params[name] ?? null) !== null).map((name) => [name, params[name]]),
  );
}

function present(fields: JsonObject): JsonObject {
  return given(fields, Object.keys(fields));
}

/** Symbolic links are resolved: no sandbox holds an allowed patch back. */
function isFileIn(directory: string, path: string): boolean {
  if (path === '') return false;
  const root = realPath(directory);
  const file = realPath(resolve(directory, path));
  return file !== root && isInside(file, root);
}

/** The real path of a file that may not be there yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), relative(parent, path));
  }
}
