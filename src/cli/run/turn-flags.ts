import { permissionModes } from '../../core/permission-mode.js';
import { thinkingDepths } from '../../core/thinking.js';
import { runnerNames } from '../../runner/runner-names.js';
import type { FlagTable } from '../command/command-page.js';
import { looksLikeTools } from './tool-list.js';

export const outputFormats = ['text', 'json', 'stream-json'] as const;

const runners = [...runnerNames(), 'demo'];

/** O5: the flags of every command that runs turns: ours, and Claude's where they have a meaning. */
export const turnFlags = {
  backend: {
    type: 'text',
    short: 'b',
    value: 'name',
    about: `${runners.join(', ')} (default: AGENT_BACKEND, else claude)`,
    complete: runners,
  },
  model: { type: 'text', short: 'm', value: 'model', about: 'the model to use' },
  print: {
    type: 'switch',
    short: 'p',
    about: 'print the answer and end, as with `claude -p`: `turnout run` always does',
  },
  prompt: { type: 'text', value: 'text', about: 'the prompt, when it looks like an option' },
  thinking: {
    type: 'text',
    aliases: ['effort'],
    value: 'depth',
    about: `how deep the model thinks: ${thinkingDepths.join(', ')} (each CLI its own of these), or a number of tokens (claude)`,
    complete: thinkingDepths,
  },
  cwd: {
    type: 'text',
    value: 'directory',
    about: 'where the agent works (default: WORKING_DIR, else here)',
    complete: 'directories',
  },
  resume: {
    type: 'text',
    short: 'r',
    value: 'session id',
    about: 'go on with an earlier session: see `turnout sessions`',
    complete: 'sessions',
  },
  continue: {
    type: 'switch',
    short: 'c',
    about: 'go on with your last session of this directory and backend',
  },
  'system-prompt': { type: 'text', value: 'text', about: "added to the CLI's own system prompt" },
  'system-prompt-file': { type: 'text', value: 'file', about: 'the same, from a file', complete: 'files' },
  'append-system-prompt': { type: 'text', value: 'text', about: 'added behind these' },
  'append-system-prompt-file': {
    type: 'text',
    value: 'file',
    about: 'the same, from a file',
    complete: 'files',
  },
  unattended: {
    type: 'switch',
    about: 'tells the agent that nobody answers, and how to say that it is done',
  },
  'permission-mode': {
    type: 'text',
    value: 'mode',
    about:
      "bypass, ask (in this terminal; implies --live), edits, plan (default: PERMISSION_MODE, else bypass); Claude's bypassPermissions, default, acceptEdits are the same, dontAsk says no to every question",
    complete: permissionModes,
  },
  'dangerously-skip-permissions': { type: 'switch', about: 'the same as --permission-mode bypass' },
  'permission-timeout': {
    type: 'text',
    value: 's',
    about: 'deny what nobody answered for this long (default: 300)',
  },
  'allowed-tools': {
    type: 'list',
    aliases: ['allowedTools'],
    takesMore: looksLikeTools,
    value: 'tools',
    about: 'only these tools (claude, opencode), e.g. "Read,Bash(git log:*)"',
  },
  'disallowed-tools': {
    type: 'list',
    aliases: ['disallowedTools'],
    takesMore: looksLikeTools,
    value: 'tools',
    about: 'not these tools (claude, opencode)',
  },
  'mcp-config': {
    type: 'list',
    takesMore: looksLikeJson,
    value: 'file…',
    about: "MCP servers, in Claude's format, or JSON text",
    complete: 'files',
  },
  settings: {
    type: 'text',
    value: 'file',
    about: "settings in Claude's format, or JSON text (claude)",
    complete: 'files',
  },
  'max-turns': { type: 'text', value: 'n', about: 'limit of model turns (claude)' },
  live: {
    type: 'switch',
    about: "over the CLI's long-lived protocol: every CLI streams piece by piece",
  },
  warm: {
    type: 'switch',
    about: 'through a resident host that keeps CLIs started (default: RUN_WARM)',
  },
  timeout: { type: 'text', value: 'seconds', about: 'end the turn after this long' },
  output: {
    type: 'text',
    value: 'format',
    about: `${outputFormats[0]} (default), ${outputFormats.slice(1).join(', ')}`,
    complete: outputFormats,
  },
  json: { type: 'switch', about: 'the same as --output json' },
  'output-format': {
    type: 'text',
    value: 'format',
    about: "as --output; json then has Claude's names as well (.result, .session_id)",
    complete: outputFormats,
  },
  'input-format': { type: 'text' },
  // The events come piece by piece with it and without it.
  'include-partial-messages': { type: 'switch' },
  'allow-unsupported': {
    type: 'switch',
    about: "options that the backend can't honour are left out, with a warning each (default: exit code 4)",
  },
  verbose: { type: 'switch', about: 'the backend, the options and the exact command, on stderr' },
  help: { type: 'switch', short: 'h' },
} as const satisfies FlagTable;

/** Claude takes JSON text wherever it takes a JSON file. */
export function isJsonText(word: string): boolean {
  return word.trimStart().startsWith('{');
}

/** A word behind the first MCP configuration is a further one only if it can't be a prompt. */
function looksLikeJson(word: string): boolean {
  return isJsonText(word) || /\.json$/i.test(word);
}
