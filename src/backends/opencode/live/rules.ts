import type { PermissionMode } from '../../../core/permission-mode.js';
import type { JsonObject } from '../../output/json.js';
import { object, objects, text } from '../../output/read-fields.js';
import { deniedOpenCodeTool, openCodeTool } from '../tool-names.js';

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

/**
 * The rules of a mode in a session that asks before every tool: what the mode allows is asked for too. There are no
 * subagents, which would not ask.
 */
export function confirmingRules(rules: readonly Rule[]): readonly Rule[] {
  const asking = rules.map((rule): Rule => (rule.action === 'allow' ? { ...rule, action: 'ask' } : rule));
  return [...asking, blanket('task', 'deny')];
}

/** True if the rules allow all that a request is about, in the way OpenCode (1.18.33) applies them. */
export function allows(rules: readonly Rule[], permission: string, patterns: readonly string[]): boolean {
  return patterns.every((pattern) => {
    const rule = rules.findLast(
      (candidate) => matches(permission, candidate.permission) && matches(pattern, candidate.pattern),
    );
    return rule?.action === 'allow';
  });
}

/** `*` stands for any text and `?` for one character; a ` *` at the end may stand for nothing. */
function matches(text: string, wildcard: string): boolean {
  const escaped = wildcard
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
    .replace(/ \.\*$/, '( .*)?');
  return new RegExp(`^${escaped}$`, 's').test(text);
}

/** The rules of a new session that may do everything. The agent's rules don't matter: every request is allowed as it comes. */
export function plainRules(): readonly Rule[] {
  return neverRules('bypass');
}

export function isPlain(mode: PermissionMode, filter: ToolFilter): boolean {
  return mode === 'bypass' && filter.allowedTools.length === 0 && filter.disallowedTools.length === 0;
}

/** The agent to use in a mode: OpenCode's agent `plan` tells the model what a plan is. */
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

/** Tools that only read. */
const readers = ['read', 'grep', 'glob', 'list', 'lsp', 'skill', 'todowrite', 'todoread'];

/** Permissions that are about a place or a repetition, not about a tool. */
const guards = ['external_directory', 'doom_loop'];

/** Tools that change nothing here, but send something out of the machine. */
const web = ['webfetch', 'websearch', 'codesearch'];

function inMode(rule: Rule, mode: PermissionMode): readonly Rule[] {
  if (rule.action === 'deny' || mode === 'bypass') return [rule];
  const { permission, pattern } = rule;
  const wanted = actionIn(mode, permission);
  if (permission === '*') return everything(rule, mode);
  // A tool of which a part is denied would still be offered to the model: the rules before deny all of it.
  if (wanted === 'deny') return [];
  if (pattern !== '*') return [rule];
  const editing = permission === 'edit' && wanted === 'allow';
  return [{ ...rule, action: rule.action === 'ask' && !editing ? 'ask' : wanted }];
}

/** The rules for all tools that have none of their own. */
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
    ...disallowedTools.map((tool) => blanket(permissionOf(deniedOpenCodeTool(tool)), 'deny')),
  ];
}

/**
 * Tools that ask a person in OpenCode's own interface are denied: nobody is there. And a subagent's session gets its
 * parent's denials but not its questions (1.18.33), so in modes that ask there are no subagents.
 */
function neverRules(mode: PermissionMode): readonly Rule[] {
  const never = ['question', 'plan_enter', 'plan_exit', ...(mode === 'bypass' ? [] : ['task'])];
  return never.map((permission) => blanket(permission, 'deny'));
}

/** All tools that change files share one permission. */
function permissionOf(written: string): string {
  const tool = openCodeTool(written);
  return ['write', 'patch', 'multiedit', 'apply_patch'].includes(tool) ? 'edit' : tool;
}

function blanket(permission: string, action: Rule['action']): Rule {
  return { permission, pattern: '*', action };
}
