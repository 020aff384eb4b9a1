import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A finished turn, or a process that is to end, waits for analytics that can't be sent. */
export const withoutAnalytics: readonly string[] = ['-c', 'analytics.enabled=false'];

/** Where no plugins are configured, looking for them is a wait at exit for nothing (5 s without a network). */
export function withoutPlugins(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const home = env['CODEX_HOME'] ?? join(env['HOME'] ?? homedir(), '.codex');
  try {
    if (/plugins|marketplace/.test(readFileSync(join(home, 'config.toml'), 'utf8'))) return [];
  } catch {
    // No settings, no plugins.
  }
  return ['-c', 'features.plugins=false'];
}
