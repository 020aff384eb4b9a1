import type { VendorName } from '../backends/registry.js';
import { TurnoutError } from '../core/errors.js';
import { readRunnerName } from './runner-names.js';
import type { RunnerName, RunnerOptions } from './types.js';

/**
 * The arguments for a CLI that its `providerOptions` stand for: `true` is a bare flag, `false` none, a list repeats the option.
 * A value is joined to its option: one that begins with a dash stays a value.
 */
export function providerArguments(
  name: RunnerName,
  { providerOptions = {} }: RunnerOptions,
): readonly string[] {
  return Object.entries(providerOptions[name] ?? {}).flatMap(([option, value]) => {
    if (typeof value === 'boolean') return value ? [`--${option}`] : [];
    const values: readonly (string | number)[] = typeof value === 'object' ? value : [value];
    return values.map((one) => `--${option}=${one}`);
  });
}

/** Throws a TurnoutError that names what can't be an option of the CLI, or is Turnout's own to set. */
export function checkProviderOptions(name: RunnerName, options: RunnerOptions): void {
  const { providerOptions = {}, permissionMode } = options;
  for (const [written, given] of Object.entries(providerOptions)) {
    const runner = readRunnerName(written, 'providerOptions');
    if (runner !== written) throw wrong(written, `Its name here is ${runner}.`);
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw wrong(written, 'Expected an object: {"add-dir": ["../lib"]}.');
    for (const [option, value] of Object.entries(given)) {
      const path = `${written}.${option}`;
      if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(option))
        throw wrong(path, 'Expected the name of a long option, without its dashes.');
      if (!isValue(value)) throw wrong(path, 'Expected true, false, a text, a number, or a list of texts.');
      if (runner !== name) continue;
      refuseOwn(name, option);
      if (name === 'opencode' && permissionMode === 'plan' && isSame('agent', option))
        throw wrong(path, 'The permission mode "plan" is an agent of OpenCode’s itself.');
    }
  }
}

function refuseOwn(name: RunnerName, option: string): void {
  const own = Object.hasOwn(ownOptions, name) ? ownOptions[name as VendorName] : {};
  const found = Object.entries(own).find(([words]) => words.split(' ').some((word) => isSame(word, option)));
  if (found === undefined) return;
  throw new TurnoutError(
    'bad_request',
    `providerOptions.${name}.${option} can't be given: Turnout sets --${option} itself.`,
    { hint: found[1] },
  );
}

/** The parsers of Gemini and OpenCode take `--outputFormat` for `--output-format`, and `--no-` in front of either. */
function isSame(own: string, option: string): boolean {
  const bare = (word: string) => word.replaceAll('-', '').toLowerCase();
  return [bare(option), bare(option).replace(/^no/, '')].includes(bare(own));
}

const output = 'The output is what Turnout reads: use runOnce, or the events of runStreaming.';
const prompt = 'Use the option prompt.';
const session = 'Use the option sessionId or continueLast.';
const permission = 'Use the option permissionMode.';
const model = 'Use the option model.';
const tools = 'Use the option tools.';
const thinking = 'Use the option thinking.';
const system = 'Use the option systemPrompt.';
const noTurn = 'It makes something else of the turn: start the CLI itself for it.';

/** The options that Turnout sets itself, or that would make something else of a turn, with what to use instead. */
const ownOptions: Readonly<Record<VendorName, Readonly<Record<string, string>>>> = {
  claude: {
    'print output-format input-format verbose include-partial-messages replay-user-messages': output,
    'resume continue from-pr teleport': session,
    'permission-mode dangerously-skip-permissions permission-prompt-tool': permission,
    'allowedTools allowed-tools disallowedTools disallowed-tools tools': tools,
    'append-system-prompt append-system-prompt-file system-prompt-snapshot': system,
    'effort max-thinking-tokens': thinking,
    'max-turns': 'Use the option maxTurns.',
    'mcp-config': 'Use the option mcpConfig.',
    settings: 'Use the option settings.',
    model,
    'help version bg background cloud desktop remote-control tmux': noTurn,
  },
  codex: {
    'json color': output,
    'sandbox dangerously-bypass-approvals-and-sandbox full-auto ask-for-approval approve-for-me skip-git-repo-check':
      permission,
    'last all': session,
    cd: 'Use the option cwd.',
    model,
    'help version': noTurn,
  },
  gemini: {
    'output-format raw-output': output,
    'prompt prompt-interactive': prompt,
    'resume session-file': session,
    'approval-mode yolo': permission,
    model,
    'acp experimental-acp list-extensions list-sessions delete-session help version': noTurn,
  },
  opencode: {
    'format thinking': output,
    'session continue': session,
    'auto dangerously-skip-permissions': permission,
    title: 'A new session gets its title from Turnout.',
    'attach interactive command': noTurn,
    dir: 'Use the option cwd.',
    variant: thinking,
    model,
    'help version': noTurn,
  },
};

function isValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string' && !one.includes('\0'));
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'boolean' || (typeof value === 'string' && !value.includes('\0'));
}

function wrong(path: string, expected: string): TurnoutError {
  return new TurnoutError('bad_request', `providerOptions.${path} can't be used. ${expected}`);
}
