import { randomUUID } from 'node:crypto';
import { type Options, UsageError } from './arguments.js';
import { type Conversation, type ConversationFiles, isUuid } from './conversation.js';
import { ClaudeLines, tokensOf } from './emit-claude-lines.js';
import { type Output, outputIn } from './output.js';
import { availableTools, permitByFlags } from './permissions.js';
import type { ClaudeLine } from './plain-lines.js';
import { readMcpServers, readSystemPrompt } from './read-files.js';
import { readPrompt } from './read-prompt.js';
import { missingSession, missingSessionLine } from './result-line.js';
import { runTurn } from './run-turn.js';
import { actOn } from './skills/skills.js';

export interface Surroundings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly cwd: string;
  readonly conversations: ConversationFiles;
  readonly speed: number;
  /** Aborted by an interrupt. */
  readonly signal: AbortSignal;
}

/** `-p`: one prompt, one turn, one exit code. */
export async function runOneShot(options: Options, around: Surroundings): Promise<number> {
  const { cwd, conversations, speed, signal } = around;
  checkFormat(options);
  const systemPrompt = await readSystemPrompt(options);
  const mcpServers = await readMcpServers(options.mcpConfig, cwd);
  const prompt = await readPrompt(options, around.stdin, signal);
  const output = outputIn(options.outputFormat, options.verbose, around.stdout);
  const model = options.model ?? 'demo-agent';
  const conversation = await openConversation(options, conversations, async (id) => {
    if (options.outputFormat === 'stream-json') await printOnly(output, missingSessionLine(id, model));
  });
  const { id, turns: history } = conversation;
  // A turn that dies half-way can be gone on with.
  await conversations.save({ id, turns: [...history, { prompt, answer: '' }] });

  const tools = availableTools(options);
  const past = history.reduce((chars, turn) => chars + turn.prompt.length + turn.answer.length, 0);
  const inputTokens = tokensOf(past + systemPrompt.length + prompt.length);
  const { permissionMode, maxTurns } = options;
  const speaker = { sessionId: id, cwd, model, permissionMode, tools, mcpServers, inputTokens };
  const lines = new ClaudeLines(speaker, output, options.partialMessages);
  await lines.init();
  const steps = actOn({ prompt, systemPrompt, cwd, history });
  const ending = await runTurn({
    steps,
    lines,
    cwd,
    tools,
    permit: permitByFlags(options),
    maxTurns,
    speed,
    signal,
  });
  // Saved before the last line: whoever has read that may resume at once.
  await conversations.save({ id, turns: [...history, { prompt, answer: lines.answer }] });
  await lines.end(ending);
  await output.end();
  // As Claude: an interrupted turn is no failure of the program.
  return ending.type === 'answered' || ending.type === 'interrupted' ? 0 : 1;
}

function checkFormat({ print, outputFormat, verbose }: Options): void {
  if (!print) throw new UsageError('Error: the demo agent has no interactive mode; give it a prompt with -p');
  if (outputFormat === 'stream-json' && !verbose) {
    throw new UsageError('Error: When using --print, --output-format=stream-json requires --verbose');
  }
}

async function openConversation(
  { resume, sessionId }: Options,
  conversations: ConversationFiles,
  onMissing: (id: string) => Promise<void>,
): Promise<Conversation> {
  if (resume !== undefined) {
    if (!isUuid(resume)) {
      throw new UsageError(
        'Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>',
      );
    }
    const found = await conversations.load(resume);
    if (found !== undefined) return found;
    await onMissing(resume);
    throw new UsageError(missingSession(resume));
  }
  if (sessionId === undefined) return { id: randomUUID(), turns: [] };
  if (!isUuid(sessionId)) throw new UsageError('Error: Invalid session ID. Must be a valid UUID.');
  if ((await conversations.load(sessionId)) !== undefined) {
    throw new UsageError(`Error: Session ID ${sessionId} is already in use.`);
  }
  return { id: sessionId, turns: [] };
}

async function printOnly(output: Output, line: ClaudeLine): Promise<void> {
  await output.line(line);
  await output.end();
}
