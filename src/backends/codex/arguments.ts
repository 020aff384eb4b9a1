import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userHome } from '../../config/home-directory.js';
import type { Thinking, ThinkingDepth } from '../../core/thinking.js';
import type { JsonObject } from '../output/json.js';

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

/** Codex's `mcp_servers`, as settings for this start. */
export function mcpArguments(servers: Readonly<Record<string, JsonObject>>): readonly string[] {
  return Object.entries(servers).flatMap(([name, server]) => {
    const key = `mcp_servers.${/^[\w-]+$/.test(name) ? name : tomlString(name)}`;
    return Object.entries(server).flatMap(([field, value]) => ['-c', `${key}.${field}=${toml(value)}`]);
  });
}

function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${tomlString(key)}=${toml(inner)}`)
      .join(',')}}`;
  }
  return typeof value === 'string' ? tomlString(value) : String(value);
}

/**
 * JSON's escapes are TOML's, but for the one control character that JSON leaves alone, and for half of a surrogate pair,
 * which TOML has no escape for: UTF-8 replaces it.
 */
export function tomlString(text: string): string {
  return JSON.stringify(Buffer.from(text).toString()).replaceAll('\u007f', '\\u007f');
}
