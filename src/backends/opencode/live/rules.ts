import type { PermissionMode } from '../../../core/permission-mode.js';
import type { JsonObject } from '../../output/json.js';
import { object, objects, text } from '../../output/read-fields.js';

/** One permission rule of OpenCode: the last one that matches decides. */
export interface Rule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: 'allow' | 'ask' | 'deny';
}

export interface ToolFilter {
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
}

/**
 * The rules of a session, which OpenCode puts behind those of the agent (its own and the user's). A mode turns the
 * agent's blanket allowances into questions or refusals; what the user denies stays denied, what they allow for a
 * pattern stays allowed.
 */
export function sessionRules(
  mode: PermissionMode,
  agent: readonly Rule[],
  filter: ToolFilter,
): readonly Rule[] {
  const base = agent.flatMap((rule) => inMode(rule, mode));
  return [...base, ...filterRules(base, mode, filter), ...neverRules(mode)];
}

/** A new session that may do everything needs no look at the agent's rules: what asks is answered as it asks. */
export function plainRules(): readonly Rule[] {
  return neverRules('bypass');
}

export function isPlain(mode: PermissionMode, filter: ToolFilter): boolean {
  return mode === 'bypass' && filter.allowedTools.length === 0 && filter.disallowedTools.length === 0;
}

/** Its agent for plans tells the model what a plan is. */
export function agentOf(mode: PermissionMode): string | undefined {
  return mode === 'plan' ? 'plan' : undefined;
}

/** The rules of one agent, from the answer to `GET /agent`. */
export function agentRules(agents: unknown, name: string): readonly Rule[] {
  const agent = objects(agents).find((candidate) => candidate['name'] === name);
  const rules = readRules(object(agent)['permission']);
  return rules.length > 0 ? rules : [{ permission: '*', pattern: '*', action: 'allow' }];
}

export function readRules(value: unknown): readonly Rule[] {
  return objects(value).flatMap((rule: JsonObject) => {
    const action = text(rule['action']);
    if (action !== 'allow' && action !== 'ask' && action !== 'deny') return [];
    return [{ permission: text(rule['permission']), pattern: text(rule['pattern']), action }];
  });
}

export function endsWith(rules: readonly Rule[], tail: readonly Rule[]): boolean {
  const from = rules.length - tail.length;
  return (
    from >= 0 &&
    tail.every(({ permission, pattern, action }, at) => {
      const rule = rules[from + at];
      return rule?.permission === permission && rule.pattern === pattern && rule.action === action;
    })
  );
}

/** Tools that only look. */
const readers = ['read', 'grep', 'glob', 'list', 'lsp', 'skill', 'todowrite', 'todoread'];

/** Permissions that are about a place or a repetition, not about a tool. */
const guards = ['external_directory', 'doom_loop'];

/** They change nothing here, but what they send leaves the machine. */
const web = ['webfetch', 'websearch', 'codesearch'];

function inMode(rule: Rule, mode: PermissionMode): readonly Rule[] {
  if (rule.action === 'deny' || mode === 'bypass') return [rule];
  const { permission, pattern } = rule;
  const wanted = actionIn(mode, permission);
  if (permission === '*') return everything(rule, mode);
  // A tool of which a part is denied would still be offered: what was said before denies all of it.
  if (wanted === 'deny') return [];
  if (pattern !== '*') return [rule];
  const editing = permission === 'edit' && wanted === 'allow';
  return [{ ...rule, action: rule.action === 'ask' && !editing ? 'ask' : wanted }];
}

/** What holds for all tools that have no rule of their own. */
function everything(rule: Rule, mode: PermissionMode): readonly Rule[] {
  return [
    { ...rule, action: actionIn(mode, '*') },
    ...readers.map((permission) => blanket(permission, rule.action)),
    ...(mode === 'edits' ? [blanket('edit', 'allow')] : []),
    ...(mode === 'plan' ? web.map((permission) => blanket(permission, 'ask')) : []),
  ];
}

function actionIn(mode: PermissionMode, permission: string): Rule['action'] {
  if (mode === 'bypass' || readers.includes(permission)) return 'allow';
  if (mode === 'edits' && permission === 'edit') return 'allow';
  return mode === 'plan' && ![...guards, ...web].includes(permission) ? 'deny' : 'ask';
}

function filterRules(
  base: readonly Rule[],
  mode: PermissionMode,
  { allowedTools, disallowedTools }: ToolFilter,
): readonly Rule[] {
  const allowed = [...new Set(allowedTools.map(permissionOf))];
  const kept = (permission: string) =>
    base.filter(
      (rule) => rule.permission === permission && (rule.pattern !== '*' || rule.action !== 'allow'),
    );
  return [
    ...(allowed.length === 0 ? [] : [blanket('*', 'deny')]),
    ...allowed.flatMap((permission) => [
      blanket(permission, actionIn(mode, permission)),
      ...kept(permission),
    ]),
    ...(allowed.length === 0
      ? []
      : guards.flatMap((guard) => base.filter((rule) => rule.permission === guard))),
    ...disallowedTools.map((tool) => blanket(permissionOf(tool), 'deny')),
  ];
}

/**
 * What asks a person in OpenCode's own interface has nobody to ask here. And a subagent's session gets the denials of
 * its parent but not its questions (1.18.33): where something is to be asked for, there are no subagents.
 */
function neverRules(mode: PermissionMode): readonly Rule[] {
  const never = ['question', 'plan_enter', 'plan_exit', ...(mode === 'bypass' ? [] : ['task'])];
  return never.map((permission) => blanket(permission, 'deny'));
}

/** All tools that change files share one permission. */
function permissionOf(tool: string): string {
  return ['write', 'patch', 'multiedit', 'apply_patch'].includes(tool) ? 'edit' : tool;
}

function blanket(permission: string, action: Rule['action']): Rule {
  return { permission, pattern: '*', action };
}
