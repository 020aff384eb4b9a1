import { resolve } from 'node:path';
import * as z from 'zod';
import { isModelName, modelNameExpected } from '../../config/formats.js';
import { readFrontMatter } from '../../config/front-matter.js';
import { misplacedSettings } from '../../config/misplaced-settings.js';
import { permissionModes } from '../../core/permission-mode.js';
import { splitTools } from '../../core/split-tools.js';
import { findRunnerName, unknownRunner } from '../../runner/runner-names.js';
import { type AgentDefinition, agentNameExpected, isAgentName, modelProblem } from './definition.js';
import { fileProblem } from './from-entry.js';

const text = (expected: string) => z.string({ error: expected }).trim().min(1, expected);

const runner = z.unknown().transform((written, context) => {
  const name = findRunnerName(String(written));
  if (name !== undefined) return name;
  context.addIssue({ code: 'custom', message: unknownRunner(String(written)) });
  return z.NEVER;
});

const toolsExpected = 'expected names of tools: a list, or text with commas; leave it out to allow all';
const tools = z
  .union([z.array(text(toolsExpected)), z.string().transform((list) => splitTools(list) ?? [])], {
    error: toolsExpected,
  })
  .refine((list) => list.length > 0, toolsExpected);

/** The keys of a file in `.turnout/agents`. */
const shape = {
  name: text('expected a name').refine(isAgentName, agentNameExpected),
  description: text('expected a text'),
  backend: runner,
  fallback: runner,
  model: text("expected the model's name").refine(isModelName, modelNameExpected),
  maxTurns: text('expected a whole number above 0')
    .refine((raw) => /^[1-9]\d{0,8}$/.test(raw), 'expected a whole number above 0')
    .transform(Number),
  tools,
  disallowedTools: tools,
  permissionMode: z.enum(permissionModes, { error: `expected one of ${permissionModes.join(', ')}` }),
  mcpConfig: text('expected a file'),
  settings: text('expected a file'),
  prompt: text('expected the prompt for runs without one'),
  color: z.unknown(),
} as const;

/** Upper case, `_`, `-` and blanks in a key don't matter. */
const aliases = {
  ...Object.fromEntries(Object.keys(shape).map((key) => [key.toLowerCase(), key])),
  allowedtools: 'tools',
  defaultprompt: 'prompt',
} as Readonly<Record<string, keyof typeof shape>>;

const restricting = {
  permissionmode: 'permissionMode',
  tools: 'tools',
  allowedtools: 'tools',
  disallowedtools: 'disallowedTools',
  maxturns: 'maxTurns',
} as const;

/**
 * Reads an agent of `.turnout/agents`: front matter, then the system prompt. Everything in it counts, so whatever is wrong is a
 * problem, with its line.
 */
export function readOwnFile(
  source: string,
  content: string,
  stem: string,
  cwd: string,
):
  | { readonly agent: AgentDefinition; readonly warnings: readonly string[] }
  | { readonly problems: readonly string[] } {
  const { settings, body, bodyLine, problems } = readFrontMatter(source, content, shape, {
    aliases,
    valuesNeeded: true,
  });
  const {
    tools: allowedTools,
    prompt: defaultPrompt,
    color: _,
    mcpConfig,
    settings: file,
    ...same
  } = settings;
  // Without front matter nothing is restricted: settings that stand elsewhere were meant to.
  const misplaced = { keys: restricting, fromTop: true, isSet: () => false };
  const lost = bodyLine === 1 && problems.length === 0 ? misplacedSettings(source, body, 1, misplaced) : [];
  const found = [...problems, ...lost];
  const name = same.name ?? stem;
  if (!isAgentName(name)) found.push(`${source}: ${agentNameExpected}; give it one with name:`);
  const model = same.model === 'inherit' ? undefined : same.model;
  const clash = modelProblem(model, same.backend);
  if (clash !== undefined) found.push(`${source}: model: ${clash}`);
  const paths = Object.entries({ mcpConfig, settings: file }).flatMap(([key, written]) => {
    if (written === undefined) return [];
    const problem = fileProblem(resolve(cwd, written), written);
    if (problem !== undefined) found.push(`${source}: ${key}: ${problem}`);
    return [[key, resolve(cwd, written)] as const];
  });
  if (found.length > 0) return { problems: found };
  const { name: __, model: ___, ...others } = same;
  return {
    agent: {
      name,
      source,
      systemPrompt: body.trim(),
      ...others,
      ...(model === undefined ? {} : { model }),
      ...(allowedTools === undefined ? {} : { allowedTools }),
      ...(defaultPrompt === undefined ? {} : { defaultPrompt }),
      ...Object.fromEntries(paths),
    },
    warnings: [],
  };
}
