import { randomUUID } from 'node:crypto';
import { describeApiError } from './api-errors.js';
import type { ToolName } from './step.js';

export interface ClaudeLine {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Speaker {
  readonly sessionId: string;
  readonly cwd: string;
  readonly model: string;
  readonly permissionMode: string;
  readonly tools: readonly ToolName[];
  readonly mcpServers: readonly string[];
  /** An estimate of the tokens that a model would have read. */
  readonly inputTokens: number;
  /** The ids of the messages that are answered, if they have any. */
  readonly userMessages: readonly string[];
}

/** The version of Claude Code whose formats the agent speaks. */
export const spokenVersion = '2.1.325';

/** The first line of a turn. */
export function initLine(speaker: Speaker): ClaudeLine {
  return {
    type: 'system',
    subtype: 'init',
    cwd: speaker.cwd,
    session_id: speaker.sessionId,
    tools: speaker.tools,
    mcp_servers: speaker.mcpServers.map((name) => ({ name, status: 'disabled' })),
    model: speaker.model,
    permissionMode: speaker.permissionMode,
    slash_commands: [],
    apiKeySource: 'none',
    claude_code_version: spokenVersion,
    output_style: 'default',
    capabilities: ['msg_lifecycle_v1'],
    uuid: randomUUID(),
  };
}

/** The line for a failed API call that is retried. */
export function retryLine(
  sessionId: string,
  attempt: number,
  of: number,
  status: number,
  delayMs: number,
): ClaudeLine {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: of,
    retry_delay_ms: delayMs,
    error_status: status,
    error: describeApiError(status).reason,
    session_id: sessionId,
    uuid: randomUUID(),
  };
}

/** The line for a tool that a rule or a mode has denied, without anybody being asked. */
export function permissionDeniedLine(
  sessionId: string,
  tool: ToolName,
  toolUseId: string,
  message: string,
): ClaudeLine {
  return {
    type: 'system',
    subtype: 'permission_denied',
    tool_name: tool,
    tool_use_id: toolUseId,
    decision_reason_type: 'mode',
    message,
    session_id: sessionId,
    uuid: randomUUID(),
  };
}

/** The line for an error of the API, which Claude puts into a message that no model wrote. */
export function apiErrorLine(sessionId: string, failure: { status: number; message: string }): ClaudeLine {
  const head = { id: randomUUID(), type: 'message', role: 'assistant', model: '<synthetic>' };
  const content = [{ type: 'text', text: failure.message }];
  const usage = { input_tokens: 0, output_tokens: 0 };
  return {
    type: 'assistant',
    message: { ...head, content, stop_reason: 'stop_sequence', usage },
    parent_tool_use_id: null,
    session_id: sessionId,
    uuid: randomUUID(),
    error: describeApiError(failure.status).reason,
  };
}
