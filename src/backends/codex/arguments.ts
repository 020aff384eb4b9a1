import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userHome } from '../../config/home-directory.js';
import type { Thinking, ThinkingDepth } from '../../core/thinking.js';

/** With analytics a finished turn, or a process that is to end, waits until they are sent, also if they can't be. */
export const withoutAnalytics: readonly string[] = ['-c', 'analytics.enabled=false'];

export const codexThinking: readonly ThinkingDepth[] = ['off', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The name of a depth in Codex's own terms. It passes any on (0.166.0): a model that does not know it refuses it. */
export function reasoningEffort(thinking: Thinking | undefined): string | undefined {
  if (thinking === undefined || typeof thinking === 'number') return undefined;
  return thinking === 'off' ? 'none' : thinking;
}

/** Where no plugins are configured, Codex still looks for them, and waits for that at exit (5 s without a network). */
export function withoutPlugins(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const home = env['CODEX_HOME'] || join(userHome(env), '.codex');
  try {
    if (/plugins|marketplace/.test(readFileSync(join(home, 'config.toml'), 'utf8'))) return [];
  } catch {
    // Without a settings file no plugins are configured.
  }
  return ['-c', 'features.plugins=false'];
}
