import type { VendorName } from '../backends/registry.js';
import type { OptionName } from './option-names.js';
import type { RunMode } from './run-mode.js';
import { codexSdk } from './runner-names.js';
import type { RunnerName } from './types.js';

/** How an option reaches the CLI: with an option of its own, or in another form. */
export interface Way {
  readonly type: 'native' | 'emulated';
  readonly how: string;
}

/** The way of an option in a mode. Whether there is one at all is not said here: the backends' own capabilities decide. */
export function wayOf(name: RunnerName, mode: RunMode, option: OptionName): Way {
  const ways: Ways = Object.hasOwn(byRunner, name) ? byRunner[name as VendorName | typeof codexSdk] : {};
  const way = ways[option] ?? everywhere[option] ?? 'by its backend';
  const inMode = typeof way === 'string' || 'how' in way ? way : (way[mode] ?? 'by its backend');
  return typeof inMode === 'string' ? { type: 'native', how: inMode } : inMode;
}

type Written = string | Way;
type Ways = Readonly<Partial<Record<OptionName, Written | Readonly<Partial<Record<RunMode, Written>>>>>>;

function emulated(how: string): Way {
  return { type: 'emulated', how };
}

const inFront = emulated('in front of the prompt');
const byRules = emulated('permission rules in OPENCODE_CONFIG_CONTENT');

const everywhere: Ways = {
  continueLast: emulated('its last session in the directory is looked up'),
  cwd: 'directory of the process',
  env: 'environment of the process',
  providerOptions: 'its own arguments',
  rawArgs: 'its own arguments',
};

const claude: Ways = {
  systemPrompt: {
    'one-shot': '--append-system-prompt-file',
    live: 'initialize: appendSystemPrompt',
    interactive: '--append-system-prompt',
  },
  model: '--model',
  maxTurns: '--max-turns',
  'tools.allowed': '--allowedTools, --tools',
  'tools.disallowed': '--disallowedTools',
  settings: '--settings',
  mcpConfig: '--mcp-config',
  permissionMode: '--permission-mode, --dangerously-skip-permissions',
  thinking: '--effort, --max-thinking-tokens',
  sessionId: '--resume',
};

const codex: Ways = {
  systemPrompt: {
    'one-shot': '-c developer_instructions',
    live: 'thread/start: developerInstructions',
    interactive: '-c developer_instructions',
  },
  model: { 'one-shot': '--model', live: 'thread/start: model', interactive: '--model' },
  mcpConfig: { 'one-shot': '-c mcp_servers', live: 'thread/start: config', interactive: '-c mcp_servers' },
  permissionMode: {
    'one-shot': '--sandbox, --dangerously-bypass-approvals-and-sandbox',
    live: 'thread/start: approvalPolicy, sandbox',
    interactive: '--sandbox, --ask-for-approval, --dangerously-bypass-approvals-and-sandbox',
  },
  thinking: {
    'one-shot': '-c model_reasoning_effort',
    live: 'turn/start: effort',
    interactive: '-c model_reasoning_effort',
  },
  sessionId: { 'one-shot': 'exec resume', live: 'thread/resume', interactive: 'resume' },
  cwd: { 'one-shot': '--cd', live: 'thread/start: cwd', interactive: '--cd' },
};

const gemini: Ways = {
  systemPrompt: inFront,
  model: { 'one-shot': '--model', live: 'session/set_model', interactive: '--model' },
  mcpConfig: {
    // It has no option for them: the turn runs in a session of its protocol.
    'one-shot': emulated('session/new: mcpServers, in a process with --acp'),
    live: 'session/new: mcpServers',
  },
  permissionMode: { 'one-shot': '--approval-mode', live: 'session/set_mode', interactive: '--approval-mode' },
  sessionId: { 'one-shot': '--resume', live: 'session/load', interactive: '--resume' },
  cwd: {
    'one-shot': 'directory of the process',
    live: 'session/new: cwd',
    interactive: 'directory of the process',
  },
};

const opencode: Ways = {
  systemPrompt: {
    'one-shot': 'instructions in OPENCODE_CONFIG_CONTENT',
    live: 'message: system',
    interactive: 'instructions in OPENCODE_CONFIG_CONTENT',
  },
  model: { 'one-shot': '--model', live: 'message: model', interactive: '--model' },
  'tools.allowed': {
    'one-shot': byRules,
    live: emulated('permission rules of the session'),
    interactive: byRules,
  },
  'tools.disallowed': {
    'one-shot': byRules,
    live: emulated('permission rules of the session'),
    interactive: byRules,
  },
  mcpConfig: 'mcp in OPENCODE_CONFIG_CONTENT',
  permissionMode: {
    'one-shot': emulated('--auto, --agent plan, permission rules'),
    live: emulated('permission rules of the session'),
    interactive: emulated('--auto, --agent plan, permission rules'),
  },
  thinking: { 'one-shot': '--variant', live: 'message: variant' },
  sessionId: { 'one-shot': '--session', live: 'session of its server', interactive: '--session' },
  cwd: {
    'one-shot': 'directory of the process',
    live: 'directory of the session',
    interactive: 'directory of the process',
  },
};

/** The SDK starts the CLI itself: what it has no field for goes through its `config`. */
const sdk: Ways = {
  systemPrompt: 'config: developer_instructions',
  model: 'thread: model',
  mcpConfig: 'config: mcp_servers',
  permissionMode: 'thread: sandboxMode, approvalPolicy',
  thinking: 'config: model_reasoning_effort',
  sessionId: 'resumeThread',
  cwd: 'thread: workingDirectory',
  env: 'env of the SDK',
};

const byRunner: Readonly<Record<VendorName | typeof codexSdk, Ways>> = {
  claude,
  codex,
  gemini,
  opencode,
  [codexSdk]: sdk,
};
