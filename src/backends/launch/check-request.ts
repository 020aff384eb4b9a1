import { type ErrorEvent, errorEvent } from '../../core/chat-event.js';
import { isSessionName } from '../../core/session-id.js';
import type { BackendCapabilities, RunRequest, TurnOptions } from '../types.js';
import { insteadOfThinking } from './thinking.js';

/** An option of a request that a backend can't honour, with an alternative. */
export interface UnsupportedOption {
  readonly option:
    | 'maxTurns'
    | 'allowedTools'
    | 'disallowedTools'
    | 'mcpConfig'
    | 'settings'
    | 'permissionMode'
    | 'confirmTools'
    | 'thinking';
  /** The value that is not possible, if others are. */
  readonly value?: string | number;
  readonly instead: string;
}

/** Returns the reason why a request can't run at all, before anything is spawned. */
export function refuseRequest(
  name: string,
  capabilities: BackendCapabilities,
  request: RunRequest,
): ErrorEvent | undefined {
  if (request.prompt === '') {
    return errorEvent('bad_request', 'The prompt is empty: there is nothing to send to the agent.');
  }
  if (request.sessionId !== undefined && !isSessionName(request.sessionId)) {
    const id = JSON.stringify(request.sessionId);
    return errorEvent('bad_request', `${id} can't be a session id.`);
  }
  const [first] = unsupportedOptions(name, capabilities, request);
  if (first === undefined) return undefined;
  return errorEvent('unsupported', describeUnsupported(name, first));
}

/** Names the option as it is called in a program and on the command line; `thinking` is the same word in both. */
export function describeUnsupported(backend: string, { option, value, instead }: UnsupportedOption): string {
  if (value !== undefined) return `${backend} has no ${option} ${JSON.stringify(value)}. ${instead}`;
  if (option === 'thinking') return `${backend} can't be told how deep to think (${option}). ${instead}`;
  const flag = option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `${backend} does not support ${option} (--${flag}). ${instead}`;
}

/** The abilities that decide about options, in any mode. */
export type OptionCapabilities = Pick<
  BackendCapabilities,
  'maxTurns' | 'allowedTools' | 'disallowedTools' | 'mcpConfig' | 'permissionModes' | 'thinkingDepth'
> & {
  readonly settings?: true;
  readonly confirmTools?: true;
  readonly rawArgs?: true;
  readonly asMade?: true;
};

export function unsupportedOptions(
  name: string,
  capabilities: OptionCapabilities,
  request: TurnOptions,
): readonly UnsupportedOption[] {
  const found: UnsupportedOption[] = [];
  if (request.maxTurns !== undefined && !capabilities.maxTurns) {
    found.push({ option: 'maxTurns', instead: 'Limit the turn by time instead: timeoutMs (--timeout).' });
  }
  for (const option of ['allowedTools', 'disallowedTools'] as const) {
    if ((request[option]?.length ?? 0) > 0 && !capabilities[option]) {
      found.push({
        option,
        instead: `Configure the tools in ${name}'s own settings, or use a stricter permission mode.`,
      });
    }
  }
  if (request.mcpConfig !== undefined && !capabilities.mcpConfig) {
    found.push({ option: 'mcpConfig', instead: `Configure the MCP servers in ${name}'s own settings.` });
  }
  if (request.settings !== undefined && !capabilities.settings) {
    found.push({
      option: 'settings',
      instead: `The file is in Claude's format: write the same into ${name}'s own settings.`,
    });
  }
  if (request.confirmTools && !capabilities.confirmTools) {
    found.push({ option: 'confirmTools', instead: 'Use a live session: only there the CLI can ask.' });
  }
  if (request.thinking !== undefined) {
    const { thinkingDepth: taken = [] } = capabilities;
    const instead = insteadOfThinking(name, taken, request.thinking);
    const value = taken.length === 0 ? {} : { value: request.thinking };
    if (instead !== undefined) found.push({ option: 'thinking', ...value, instead });
  }
  const mode = request.permissionMode;
  if (mode !== undefined && !capabilities.permissionModes.includes(mode)) {
    const instead = `Use one of: ${capabilities.permissionModes.join(', ')}.`;
    found.push({
      option: 'permissionMode',
      instead: `"${mode}" is not possible in a one-shot turn. ${instead}`,
    });
  }
  return found;
}
