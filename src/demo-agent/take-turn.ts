import type { Agent } from './agent.js';
import { type Conversation, withTurn } from './conversation.js';
import { ClaudeLines, tokensOf } from './emit-claude-lines.js';
import { readHandedOver } from './handed-over.js';
import { ownWords } from './own-words.js';
import type { Permit } from './permissions.js';
import type { ClaudeLine } from './plain-lines.js';
import type { TurnEnding } from './result-line.js';
import { runTurn } from './run-turn.js';
import { actOn } from './skills/skills.js';
import type { ToolInput, ToolName, ToolOutcome } from './step.js';
import type { UsageMeter } from './usage-meter.js';

/** Hears of the steps of a turn, each before the line that tells of its outcome is printed. */
export interface TurnWatcher {
  /** A tool has run, or has failed; not one that was denied or stopped. */
  toolRan(tool: ToolName, input: ToolInput, toolUseId: string, outcome: ToolOutcome): Promise<void>;
  answered(text: string): Promise<void>;
}

export interface TurnRequest {
  readonly prompt: string;
  readonly conversation: Conversation;
  readonly systemPrompt: string;
  /** If it is set, the conversation's first system prompt, if it has one, wins over the one given now. */
  readonly snapshot: boolean;
  readonly model: string;
  readonly permissionMode: string;
  readonly permit: Permit;
  readonly watcher?: TurnWatcher | undefined;
  readonly meter: UsageMeter;
  readonly signal: AbortSignal;
  /** The ids of the messages that are answered. */
  readonly userMessages: readonly string[];
  /** True if another message waits behind this one. */
  isSomebodyWaiting?(): boolean;
  /** A line that is printed once the turn has begun. */
  readonly replay?: ClaudeLine | undefined;
}

export interface TakenTurn {
  readonly ending: TurnEnding;
  readonly conversation: Conversation;
}

/** Runs one prompt, from its first line to its last, and stores the turn. */
export async function takeTurn(agent: Agent, request: TurnRequest): Promise<TakenTurn> {
  const { output, tools, mcpServers, options } = agent;
  const { cwd, conversations, speed } = agent.around;
  const { model, permissionMode, permit, watcher, signal, userMessages } = request;
  const { prompt: whole, turns } = readHandedOver(request.prompt);
  const prompt = ownWords(whole);
  const known = turns.reduce(withTurn, request.conversation);
  const { id, turns: history, systemPrompt: first } = known;
  const systemPrompt = (request.snapshot ? first : undefined) ?? request.systemPrompt;
  const before = { ...known, systemPrompt: first ?? systemPrompt };
  // The prompt is saved first, so that a turn that dies half-way can be resumed.
  await conversations.save(withTurn(before, { prompt, answer: '' }));

  const past = history.reduce((chars, turn) => chars + turn.prompt.length + turn.answer.length, 0);
  const inputTokens = tokensOf(past + systemPrompt.length + prompt.length);
  const speaker = { sessionId: id, cwd, model, permissionMode, tools, mcpServers, inputTokens, userMessages };
  const lines = new ClaudeLines(speaker, output, request.meter, options.partialMessages);
  await lines.init();
  if (request.replay !== undefined) await output.line(request.replay);
  const isSomebodyWaiting = () => request.isSomebodyWaiting?.() ?? false;
  const steps = actOn({ prompt, systemPrompt, cwd, history, isSomebodyWaiting });
  const ending = await runTurn({
    steps,
    lines,
    cwd,
    tools,
    permit,
    watcher,
    maxTurns: options.maxTurns,
    speed,
    signal,
  });
  const conversation = withTurn(before, { prompt, answer: lines.answer });
  // The conversation is saved before the last line, because its reader may resume at once.
  await conversations.save(conversation);
  if (ending.type === 'answered') {
    await lines.closeAnswer();
    await watcher?.answered(lines.answer);
  }
  await lines.end(ending);
  return { ending, conversation };
}
