import * as z from 'zod';

/**
 * The format of a chain file. Users of an older orchestrator have such files: their fields keep their names and meaning,
 * and further ones (`verify`, `retry`, `budget`, `parallel`, `when`, …) are ours.
 */
const text = z.string();
const words = z.array(z.string());
const count = z.int().min(1);
const path = z.string().min(1);

export const budgetSchema = z
  .object({
    minutes: z.number().positive().optional().describe('the time that may pass'),
    costUsd: z.number().positive().optional().describe('the most that may be spent, as the CLIs tell it'),
    tokens: count.optional().describe('the most tokens, in and out'),
  })
  .describe('limits: at the first that is reached nothing new is begun');

export const agentSchema = z.object({
  description: text.optional(),
  systemPrompt: path.optional().describe('a file with the system prompt, relative to the working directory'),
  systemPromptText: text.optional().describe('the system prompt itself; wins over the file'),
  backend: text.optional().describe('claude, codex, gemini, opencode or codex-sdk, with or without -cli'),
  fallback: text.optional().describe('the backend to use where the first one is not installed'),
  model: z.string().min(1).optional(),
  maxTurns: count.optional(),
  allowedTools: words.optional(),
  disallowedTools: words.optional(),
  permissionMode: z.enum(['bypass', 'edits', 'plan']).optional(),
  mcpConfig: path.optional().describe("a file with MCP servers in Claude's format"),
  settings: path.optional().describe("a file with Claude's settings"),
  defaultPrompt: text.optional(),
  defaultPromptFile: path.optional(),
});

const plainStepSchema = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/)
    .optional()
    .describe("the step's name in ${name.output}; the agent's name if it is left out"),
  agent: z.string().min(1),
  backend: text.optional(),
  iterations: count.optional().describe('the step is a loop: until the marker, or this many runs'),
  loop: z.boolean().optional().describe('follows from `iterations`; kept for older files'),
  fresh: z.boolean().optional().describe('false: every run goes on in the same conversation'),
  args: words.optional(),
  prompt: text.optional(),
  promptFile: path.optional(),
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
  noProgress: count
    .optional()
    .describe(
      'a loop ends after this many runs in a row that say the same and change nothing in the work tree',
    ),
  when: text.optional().describe('runs only if this holds, e.g. ${review.output} contains "changes needed"'),
});

export const stepSchema = plainStepSchema
  .partial({ agent: true })
  .extend({ parallel: z.array(plainStepSchema).min(1).optional() });

export const chainSchema = z.object({
  description: text.optional(),
  prompt: text.optional(),
  promptFile: path.optional(),
  backend: text.optional(),
  nonce: z.boolean().optional().describe('the marker carries a word that only this run knows'),
  budget: budgetSchema.optional(),
  steps: z.array(stepSchema).min(1),
});

export const chainFileSchema = z.object({
  agents: z.record(z.string(), agentSchema).optional(),
  chains: z.record(z.string(), chainSchema),
});

export type AgentEntry = z.infer<typeof agentSchema>;
export type ChainEntry = z.infer<typeof chainSchema>;
