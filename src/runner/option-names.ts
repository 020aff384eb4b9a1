/** O3: the options that a CLI has to do something about, as a program names them. */
export const optionNames = [
  'systemPrompt',
  'model',
  'maxTurns',
  'tools.allowed',
  'tools.disallowed',
  'settings',
  'mcpConfig',
  'permissionMode',
  'thinking',
  'sessionId',
  'continueLast',
  'cwd',
  'env',
  'providerOptions',
  'rawArgs',
] as const;

export type OptionName = (typeof optionNames)[number];

/** The options as the command line names them; those that are left out have no flag. */
export const optionFlags: Readonly<Partial<Record<OptionName, string>>> = {
  systemPrompt: '--system-prompt',
  model: '--model',
  maxTurns: '--max-turns',
  'tools.allowed': '--allowed-tools',
  'tools.disallowed': '--disallowed-tools',
  settings: '--settings',
  mcpConfig: '--mcp-config',
  permissionMode: '--permission-mode',
  thinking: '--thinking',
  sessionId: '--resume',
  continueLast: '--continue',
  cwd: '--cwd',
  rawArgs: '--',
};

/** The option with its flag: `maxTurns (--max-turns)`. */
export function namedOption(option: OptionName): string {
  const flag = optionFlags[option];
  return flag === undefined ? option : `${option} (${flag})`;
}
