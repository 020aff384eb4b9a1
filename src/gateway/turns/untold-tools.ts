import type { TerminalEvent } from '../../core/chat-event.js';
import type { TurnSetup } from '../../store/rows.js';
import type { Agents } from '../agents/agents.js';
import type { Attempt } from './attempt.js';
import { type Begun, toolsOnRecord } from './tools-on-record.js';

/** The agent was asked at this time, with this setup. */
export interface Asked {
  readonly setup: TurnSetup;
  readonly at: number;
  readonly prompt: string;
}

/**
 * Looks for tools that the agent of a failed attempt had begun and not told of: OpenCode tells of a tool when it has ended,
 * Codex a second late, and the CLI may be killed before. Must be called before
 * the attempt is made again. Undefined if nothing stands against that.
 */
export async function untoldTools(
  attempt: Attempt,
  asked: Asked | undefined,
  now: number,
  agents: Pick<Agents, 'find'>,
  leaveOut?: ReadonlySet<string>,
): Promise<Begun | undefined> {
  if (asked === undefined) return undefined;
  const { setup, at: startedAt, prompt } = asked;
  const { sessionId, notAllowed, tools: known } = attempt;
  const turn = { setup, startedAt, sessionId };
  const found = await toolsOnRecord({ turn, notAllowed, known, prompt, now, leaveOut }, agents);
  return found.begun.length > 0 || found.doubt !== undefined ? found : undefined;
}

/** True if the agent did nothing, because there was no way to start it. */
export function couldNotStart(ending: TerminalEvent, { sessionId }: Attempt): boolean {
  if (ending.type === 'complete' || sessionId !== undefined) return false;
  return ending.code === 'not_installed' || ending.shortage === true;
}
