import { isModelName } from '../../config/formats.js';
import { splitFrontMatter } from '../../config/front-matter.js';
import type { PermissionMode } from '../../core/permission-mode.js';
import { splitTools } from '../../core/split-tools.js';
import { type AgentDefinition, isAgentName } from './definition.js';
import { type LooseFields, readLooseFields } from './loose-fields.js';

export type ClaudeFileReading =
  | { readonly agent: AgentDefinition; readonly warnings: readonly string[] }
  /** A Markdown file that is no agent, such as a README. */
  | 'no agent'
  | { readonly problems: readonly string[] };

/**
 * Reads an agent of `.claude/agents` as Claude Code does (2.1.325): its YAML is often none, and keys that Claude does not know
 * have no meaning. What Claude would do and Turnout does not is told.
 */
export function readClaudeFile(source: string, content: string, stem: string): ClaudeFileReading {
  const { yaml, body } = splitFrontMatter(content);
  if (yaml === undefined) return 'no agent';
  const fields = readLooseFields(yaml, claudeKeys);
  const written = textOf(fields.get('name'));
  const description = textOf(fields.get('description'));
  if (written === undefined && description === undefined) return 'no agent';
  const warnings: string[] = [];
  const name = [written, stem].find((candidate) => candidate !== undefined && isAgentName(candidate));
  if (name === undefined)
    return { problems: [`${source}: ${JSON.stringify(written ?? stem)} can't be a name here`] };
  if (written !== undefined && name !== written)
    warnings.push(`${source}: ${JSON.stringify(written)} can't be a name here; the agent is called ${name}.`);
  const allowed = toolsOf(fields, 'tools');
  const disallowed = toolsOf(fields, 'disallowedTools');
  const problems = [allowed, disallowed].flatMap((read) =>
    typeof read === 'string' ? [`${source}: ${read}`] : [],
  );
  if (typeof allowed === 'string' || typeof disallowed === 'string') return { problems };
  for (const key of untranslated)
    if (fields.has(key))
      warnings.push(`${source}: ${key} has a meaning for Claude Code alone, and is left out.`);
  const leftOut = (key: string, why: string) => warnings.push(`${source}: ${key} ${why}.`);
  const maxTurns = Number(textOf(fields.get('maxTurns')));
  // Lines that YAML could not read may have a comment.
  const model = textOf(fields.get('model'))?.replace(/\s+#.*$/, '');
  const mode = textOf(fields.get('permissionMode'))?.toLowerCase();
  if (mode !== undefined && !Object.hasOwn(modes, mode))
    leftOut(
      'permissionMode',
      `${JSON.stringify(mode)} is not known: "ask" is used, which allows nothing by itself`,
    );
  if (fields.has('maxTurns') && !(Number.isInteger(maxTurns) && maxTurns > 0))
    leftOut('maxTurns', 'is no whole number above 0, and is left out');
  if (model !== undefined && !isModelName(model))
    leftOut('model', `can't be ${JSON.stringify(model)}, and is left out`);
  return {
    agent: {
      name,
      source,
      systemPrompt: body.trim(),
      ...(description === undefined ? {} : { description }),
      ...(model === undefined || model === 'inherit' || !isModelName(model) ? {} : { model }),
      ...(Number.isInteger(maxTurns) && maxTurns > 0 ? { maxTurns } : {}),
      ...(allowed === undefined ? {} : { allowedTools: allowed }),
      ...(disallowed === undefined ? {} : { disallowedTools: disallowed }),
      ...(mode === undefined ? {} : { permissionMode: (Object.hasOwn(modes, mode) && modes[mode]) || 'ask' }),
    },
    warnings,
  };
}

/** Keys that change what an agent does, and that no option of ours stands for. */
const untranslated = [
  'mcpServers',
  'hooks',
  'skills',
  'memory',
  'isolation',
  'effort',
  'initialPrompt',
] as const;

const claudeKeys: readonly string[] = [
  ...['name', 'description', 'tools', 'disallowedTools', 'model', 'permissionMode', 'maxTurns'],
  ...['color', 'background', ...untranslated],
];

/** Where Claude would ask somebody, or let a model decide, nothing more than a question is allowed here. */
const modes: Readonly<Record<string, PermissionMode>> = {
  acceptedits: 'edits',
  bypasspermissions: 'bypass',
  plan: 'plan',
  default: 'ask',
  manual: 'ask',
  dontask: 'ask',
  auto: 'ask',
};

/** All tools are what an agent has without the key, too. A text is what is wrong: no tools at all can't be expressed. */
function toolsOf(
  fields: LooseFields,
  key: 'tools' | 'disallowedTools',
): readonly string[] | undefined | string {
  const value = fields.get(key);
  if (value === undefined || value === '') return undefined;
  const tools = (typeof value === 'string' ? [unbracketed(value)] : value).flatMap(
    (item) => splitTools(item) ?? [item],
  );
  if (tools.length === 0 && key === 'tools') return 'tools: an agent without any tool is not possible here';
  return tools.includes('*') ? undefined : tools;
}

/** A list in one line that YAML could not read. */
function unbracketed(value: string): string {
  return value.replace(/^\[(.*)\]$/s, '$1').replaceAll(/["']/g, '');
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  const text = typeof value === 'string' ? value.trim() : value?.join(', ');
  return text === undefined || text === '' ? undefined : text;
}
