import * as z from 'zod';

/**
 * The format of a chain file. Users of an older orchestrator have such files: their fields keep their names and meaning,
 * and further ones (`verify`, `retry`, `budget`, `parallel`, `when`, …) are ours. The descriptions are what an editor shows:
 * `npm run schema` writes them into `schema/chains.schema.json`.
 */
const text = z.string();
const words = z.array(z.string());
const count = z.int().min(1);
const path = z.string().min(1);
const backend = text.describe('claude, codex, gemini, opencode or codex-sdk, with or without -cli');

export const budgetSchema = z
  .object({
    minutes: z.number().positive().optional().describe('the time that may pass'),
    costUsd: z.number().positive().optional().describe('the most that may be spent, as the CLIs tell it'),
    tokens: count.optional().describe('the most tokens, in and out'),
  })
  .describe('limits: at the first that is reached nothing new is begun');

export const agentSchema = z
  .object({
    description: text.optional().describe('what the agent is for; `turnout chain list` shows it'),
    systemPrompt: path
      .optional()
      .describe('a file with the system prompt, relative to the working directory'),
    systemPromptText: text
      .optional()
      .describe('the system prompt itself; wins over the file, and may be empty'),
    backend: backend.optional(),
    fallback: text.optional().describe('the backend to use where the first one is not installed'),
    model: z.string().min(1).optional().describe("the model, by the backend's own name for it"),
    maxTurns: count.optional().describe('the most turns of the model in one run'),
    allowedTools: words.optional().describe('only these tools'),
    disallowedTools: words.optional().describe('not these tools'),
    permissionMode: z
      .enum(['bypass', 'edits', 'plan'])
      .optional()
      .describe('bypass: every tool, the default; edits: files but no commands; plan: read only'),
    mcpConfig: path.optional().describe("a file with MCP servers in Claude's format"),
    settings: path.optional().describe("a file with Claude's settings"),
    defaultPrompt: text
      .optional()
      .describe('the prompt where neither step nor chain nor command line has one'),
    defaultPromptFile: path.optional().describe('the same, from a file'),
  })
  .describe('an agent; without a system prompt it is an executable of this name on PATH');

const plainStepSchema = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/)
    .optional()
    .describe("the step's name in ${name.output}; the agent's name if it is left out"),
  agent: z
    .string()
    .min(1)
    .describe('an agent of this file, of .turnout/agents or .claude/agents, or an executable on PATH'),
  backend: text.optional().describe("this backend for this step; wins over the agent's and the chain's"),
  iterations: count.optional().describe('the step is a loop: until the marker, or this many runs'),
  loop: z.boolean().optional().describe('follows from `iterations`; kept for older files'),
  fresh: z.boolean().optional().describe('false: every run goes on in the same conversation'),
  args: words
    .optional()
    .describe('arguments for an executable, in front of the prompt, or for the CLI itself'),
  prompt: text.optional().describe("the step's prompt; ${NAME} and ${step.output} are replaced"),
  promptFile: path.optional().describe('the same, from a file, relative to the working directory'),
  verify: z.string().min(1).optional().describe('a shell command; exit 0 confirms that the work is done'),
  retry: z
    .int()
    .min(0)
    .max(10)
    .optional()
    .describe(
      'how often a failed run is tried again; if it is left out: twice, if the failure may pass and no tool had begun',
    ),
  budget: budgetSchema.optional(),
  silenceMinutes: z
    .number()
    .positive()
    .max(30_000)
    .optional()
    .describe('a run that tells nothing for so many minutes is given up; 30 if it is left out'),
  noProgress: z
    .int()
    .min(2)
    .optional()
    .describe(
      'a loop ends after this many runs in a row that say the same and change nothing in the work tree',
    ),
  when: text.optional().describe('runs only if this holds, e.g. ${review.output} contains "changes needed"'),
});

export const stepSchema = plainStepSchema
  .partial({ agent: true })
  .extend({
    parallel: z
      .array(plainStepSchema)
      .min(1)
      .optional()
      .describe('steps that run at the same time; nothing else stands beside it'),
  })
  .describe('one agent, or several at the same time');

export const chainSchema = z
  .object({
    description: text.optional().describe('what the chain is for; `turnout chain list` shows it'),
    prompt: text.optional().describe('the prompt of every step that has none of its own'),
    promptFile: path.optional().describe('the same, from a file, relative to the working directory'),
    backend: text.optional().describe('the backend of every step whose agent names none'),
    nonce: z.boolean().optional().describe('the marker carries a word that only this run knows'),
    budget: budgetSchema.optional(),
    steps: z.array(stepSchema).min(1).describe('the steps, in their order'),
  })
  .describe('a chain of agents');

export const chainFileSchema = z.object({
  agents: z.record(z.string(), agentSchema).optional().describe('the agents, by name'),
  chains: z.record(z.string(), chainSchema).describe('the chains, by name'),
});

export type AgentEntry = z.infer<typeof agentSchema>;
export type ChainEntry = z.infer<typeof chainSchema>;
