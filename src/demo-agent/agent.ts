import { type Options, UsageError } from './arguments.js';
import type { ConversationFiles } from './conversation.js';
import { type Output, outputIn } from './output.js';
import { availableTools } from './permissions.js';
import { readMcpServers, readSystemPrompt } from './read-files.js';
import type { ToolName } from './step.js';

export interface Surroundings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly cwd: string;
  readonly conversations: ConversationFiles;
  readonly speed: number;
  /** The cost of a million tokens: 0, unless somebody wants to see sums. */
  readonly price: number;
  /** Aborted by SIGINT. */
  readonly signal: AbortSignal;
}

/** The state that one-shot and live runs share: the command line, with everything read that it names. */
export interface Agent {
  readonly options: Options;
  readonly around: Surroundings;
  readonly systemPrompt: string;
  readonly mcpServers: readonly string[];
  readonly tools: readonly ToolName[];
  readonly model: string;
  readonly output: Output;
}

export async function prepareAgent(options: Options, around: Surroundings): Promise<Agent> {
  checkFormat(options);
  return {
    options,
    around,
    systemPrompt: await readSystemPrompt(options),
    mcpServers: await readMcpServers(options.mcpConfig, around.cwd),
    tools: availableTools(options),
    model: options.model ?? defaultModel,
    output: outputIn(options.outputFormat, options.verbose, around.stdout),
  };
}

export const defaultModel = 'demo-agent';

function checkFormat({ print, outputFormat, verbose, messageInput }: Options): void {
  if (!print) throw new UsageError('Error: the demo agent has no interactive mode; give it a prompt with -p');
  if (messageInput && outputFormat !== 'stream-json') {
    throw new UsageError('Error: --input-format=stream-json requires output-format=stream-json.');
  }
  if (outputFormat === 'stream-json' && !verbose) {
    throw new UsageError('Error: When using --print, --output-format=stream-json requires --verbose');
  }
}
