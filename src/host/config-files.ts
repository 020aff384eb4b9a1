import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Environment, userHome } from '../config/home-directory.js';

/**
 * Files and folders that a CLI reads when it starts, or when a session begins: settings, login, instructions. What is written
 * there later is not seen by a process that is already running, so it is not used again after a change.
 */
interface ConfigFiles {
  /** In the user's own folder for this CLI. */
  home(env: Environment, user: string): string;
  readonly ofUser: readonly string[];
  /** Anywhere else. */
  elsewhere?(env: Environment, user: string): readonly string[];
  /** In the working directory, and in those above it. */
  readonly ofProject: readonly string[];
}

const table: Readonly<Record<string, ConfigFiles>> = {
  claude: {
    home: (env, user) => env['CLAUDE_CONFIG_DIR'] || join(user, '.claude'),
    ofUser: [
      ...['settings.json', 'settings.local.json', '.credentials.json', 'CLAUDE.md'],
      ...['agents', 'commands', 'skills', 'rules', 'plugins/installed_plugins.json'],
    ],
    elsewhere: () => ['/etc/claude-code/managed-settings.json', '/etc/claude-code/CLAUDE.md'],
    ofProject: [
      ...['CLAUDE.md', 'CLAUDE.local.md', '.mcp.json', '.claude/CLAUDE.md'],
      ...['.claude/settings.json', '.claude/settings.local.json'],
      ...['.claude/agents', '.claude/commands', '.claude/skills', '.claude/rules'],
    ],
  },
  codex: {
    home: (env, user) => env['CODEX_HOME'] || join(user, '.codex'),
    ofUser: ['config.toml', 'auth.json', 'AGENTS.md', 'AGENTS.override.md', 'prompts', 'skills', 'rules'],
    elsewhere: () => ['/etc/codex/config.toml', '/etc/codex/managed_config.toml'],
    ofProject: ['AGENTS.md', 'AGENTS.override.md', '.codex/config.toml', '.agents/skills'],
  },
  gemini: {
    home: (env, user) => join(env['GEMINI_CLI_HOME'] || user, '.gemini'),
    ofUser: [
      ...['settings.json', 'oauth_creds.json', 'trustedFolders.json', 'GEMINI.md', '.env'],
      ...['extensions', 'commands', 'policies'],
    ],
    elsewhere: (_env, user) => ['/etc/gemini-cli/settings.json', join(user, '.env')],
    ofProject: ['GEMINI.md', '.env', '.gemini/settings.json', '.gemini/.env', '.gemini/commands'],
  },
  opencode: {
    home: (env, user) => join(env['XDG_CONFIG_HOME'] || join(user, '.config'), 'opencode'),
    ofUser: [
      ...['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md'],
      ...['agent', 'agents', 'command', 'commands', 'plugin', 'plugins', 'skill', 'skills', 'tool', 'tools'],
    ],
    elsewhere: (env, user) => [
      join(env['XDG_DATA_HOME'] || join(user, '.local/share'), 'opencode/auth.json'),
      ...(env['OPENCODE_CONFIG'] ? [env['OPENCODE_CONFIG']] : []),
    ],
    ofProject: [
      ...['opencode.json', 'opencode.jsonc', 'AGENTS.md', 'CLAUDE.md', '.opencode/opencode.json'],
      ...['.opencode/agent', '.opencode/command', '.opencode/plugin', '.opencode/skill'],
    ],
  },
};

/** Stands for the state of the program and of all that it reads: another one after any change. */
export function configState(backend: string, program: string, cwd: string, env: Environment): string {
  const files = Object.hasOwn(table, backend) ? table[backend] : undefined;
  const user = userHome(env);
  const paths =
    files === undefined
      ? []
      : [
          ...files.ofUser.map((name) => join(files.home(env, user), name)),
          ...(files.elsewhere?.(env, user) ?? []),
          ...upwards(cwd).flatMap((directory) => files.ofProject.map((name) => join(directory, name))),
        ];
  return [realPath(program), ...[program, ...paths].map(stateOf)].join(' ');
}

function upwards(directory: string): readonly string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...upwards(above)];
}

function stateOf(path: string): string {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts === undefined ? '-' : `${facts.ino}.${facts.size}.${facts.mtimeMs}`;
  } catch {
    return '?';
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
