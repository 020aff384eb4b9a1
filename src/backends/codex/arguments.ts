import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** With analytics a finished turn, or a process that is to end, waits until they are sent, also if they can't be. */
export const withoutAnalytics: readonly string[] = ['-c', 'analytics.enabled=false'];

/** Where no plugins are configured, Codex still looks for them, and waits for that at exit (5 s without a network). */
export function withoutPlugins(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const home = env['CODEX_HOME'] ?? join(env['HOME'] ?? homedir(), '.codex');
  try {
    if (/plugins|marketplace/.test(readFileSync(join(home, 'config.toml'), 'utf8'))) return [];
  } catch {
    // Without a settings file no plugins are configured.
  }
  return ['-c', 'features.plugins=false'];
}
