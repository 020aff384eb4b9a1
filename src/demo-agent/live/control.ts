import { type Agent, defaultModel } from '../agent.js';
import { permissionModes } from '../permissions.js';
import { spokenVersion } from '../plain-lines.js';
import { skills } from '../skills/skills.js';
import { hooksIn } from './hooks.js';
import type { ControlAnswer } from './live-lines.js';
import type { Fields } from './read-messages.js';
import type { LiveSession } from './session.js';

/** Answers a control request of the client, in or between turns. Its effect is complete when this returns. */
export function answerControl(request: Fields, session: LiveSession, agent: Agent): ControlAnswer {
  switch (request['subtype']) {
    case 'initialize':
      return initialize(request, session);
    case 'interrupt':
      session.inbox.stopCurrent();
      return success({ still_queued: session.inbox.queued() });
    case 'cancel_async_message':
      return success({ cancelled: session.inbox.cancel(String(request['message_uuid'])) });
    case 'set_permission_mode':
      return setPermissionMode(String(request['mode']), session, agent);
    case 'set_model':
      session.settings.model = modelIn(request['model']) ?? agent.model;
      return success({ model: session.settings.model });
    case 'mcp_status':
      return success({ mcpServers: agent.mcpServers.map((name) => ({ name, status: 'disabled' })) });
    default:
      return failure(
        `Unsupported control request subtype: ${String(request['subtype'])}`,
        'unsupported_request',
      );
  }
}

function initialize(request: Fields, { settings }: LiveSession): ControlAnswer {
  const { hooks, appendSystemPrompt, systemPromptSnapshot } = request;
  if (hooks !== undefined) settings.hooks = hooksIn(hooks);
  if (typeof appendSystemPrompt === 'string') settings.systemPrompt = appendSystemPrompt;
  if (typeof systemPromptSnapshot === 'boolean') settings.snapshot = systemPromptSnapshot;
  const models = [
    { value: 'default', resolvedModel: defaultModel, displayName: 'Demo agent', description: '' },
  ];
  return success({
    commands: [{ name: 'clear', description: 'Begin a new conversation', argumentHint: '', builtin: true }],
    agents: [],
    skills: skills.map(({ example }) => example),
    output_style: 'default',
    available_output_styles: ['default'],
    models,
    account: { tokenSource: 'none', apiKeySource: 'none' },
    pid: process.pid,
    claude_code_version: spokenVersion,
  });
}

function setPermissionMode(mode: string, { settings }: LiveSession, { options }: Agent): ControlAnswer {
  if (!permissionModes.some((known) => known === mode)) {
    const choices = permissionModes.join(', ');
    return failure(`Cannot set permission mode: must be one of ${choices}`, 'invalid_mode');
  }
  if (mode === 'bypassPermissions' && !options.mayBypass) {
    return failure(
      'Cannot set permission mode to bypassPermissions because the session was not launched with --dangerously-skip-permissions',
      'bypass_not_launched',
    );
  }
  settings.permissionMode = mode;
  return success({ mode });
}

function modelIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value !== 'default' ? value : undefined;
}

function success(response: Fields): ControlAnswer {
  return { type: 'success', response };
}

function failure(error: string, code: string): ControlAnswer {
  return { type: 'error', error, code };
}
