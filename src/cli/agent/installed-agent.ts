import * as z from 'zod';
import { TurnoutError } from '../../core/errors.js';
import { permissionModes } from '../../core/permission-mode.js';
import { type AgentDefinition, isAgentName } from '../../orchestra/agents/definition.js';

export interface Programs {
  /** The path of Node. */
  readonly node: string;
  /** The path of this Turnout's program. */
  readonly turnout: string;
}

/**
 * The program that is an agent: a shell script that starts this Turnout, or the one on PATH if this one is gone, with its own
 * path. The shell never reads what is behind `exit`: the definition as JSON, and the system prompt as it is to the end.
 */
export function printInstalledAgent(agent: AgentDefinition, { node, turnout }: Programs): string {
  const { systemPrompt, ...fields } = agent;
  return `#!/bin/sh
# The agent ${agent.name}, as a program: ${agent.name} -p "prompt" [--backend codex]. See ${agent.name} --help.
# \`turnout agent install ${agent.name} --to <directory>\` has written this file, and writes it again.
node=${quote(node)}
turnout=${quote(turnout)}
if [ -x "$node" ] && [ -f "$turnout" ]; then exec "$node" "$turnout" agent start "$0" "$@"; fi
if command -v turnout >/dev/null 2>&1; then exec turnout agent start "$0" "$@"; fi
echo "${agent.name}: Turnout is not where it was, and not on PATH: npm install -g turnout" >&2
exit 3
${definitionLine}
${JSON.stringify(fields, null, 2)}
${promptLine}
${systemPrompt}`;
}

const definitionLine = '=== turnout agent, format 1 ===';
const promptLine = '=== system prompt ===';

/** True if a file begins like an installed agent of any format. */
export function isInstalledAgent(content: string): boolean {
  return content.startsWith('#!/bin/sh\n# The agent ') && content.includes('\n=== turnout agent, format ');
}

/** Reads an installed agent. `path` is for the error. */
export function parseInstalledAgent(path: string, content: string): AgentDefinition {
  const fieldsAt = content.indexOf(`\n${definitionLine}\n`);
  const promptAt = content.indexOf(`\n${promptLine}\n`, fieldsAt);
  if (fieldsAt < 0 || promptAt < 0) throw unreadable(path, 'it has no definition of this format');
  const json = content.slice(fieldsAt + definitionLine.length + 2, promptAt);
  const systemPrompt = content.slice(promptAt + promptLine.length + 2);
  let raw: unknown;
  try {
    raw = JSON.parse(json);
  } catch (cause) {
    throw unreadable(path, `its definition is not valid JSON: ${(cause as Error).message}`);
  }
  const parsed = fieldsSchema.safeParse(raw);
  if (parsed.success) return { ...(parsed.data as Omit<AgentDefinition, 'systemPrompt'>), systemPrompt };
  const [issue] = parsed.error.issues;
  throw unreadable(path, `${issue?.path.join('.') || 'its definition'}: ${issue?.message}`);
}

const text = z.string().optional();
const texts = z.array(z.string()).optional();
const fieldsSchema = z.strictObject({
  name: z.string().refine(isAgentName),
  source: z.string(),
  description: text,
  backend: text,
  fallback: text,
  model: text,
  maxTurns: z.int().min(1).optional(),
  allowedTools: texts,
  disallowedTools: texts,
  permissionMode: z.enum(permissionModes).optional(),
  mcpConfig: text,
  settings: text,
  defaultPrompt: text,
});

function unreadable(path: string, why: string): TurnoutError {
  return new TurnoutError('bad_request', `${path} can't be used as an agent: ${why}.`, {
    hint: 'Write it again: turnout agent install <name> --to <directory>',
  });
}

function quote(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
