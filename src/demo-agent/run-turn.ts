import { randomBytes } from 'node:crypto';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import type { ClaudeLines } from './emit-claude-lines.js';
import type { Permit } from './permissions.js';
import type { TurnEnding } from './result-line.js';
import type { Step, Steps, ToolName, ToolOutcome } from './step.js';
import type { TurnWatcher } from './take-turn.js';
import { runTool } from './tools.js';

export interface Turn {
  readonly steps: Steps;
  readonly lines: ClaudeLines;
  readonly cwd: string;
  readonly tools: readonly ToolName[];
  readonly permit: Permit;
  readonly watcher?: Pick<TurnWatcher, 'toolRan'> | undefined;
  /** The most calls of the model; 0 means no limit. */
  readonly maxTurns: number;
  /** The pace: 1 is a model's, 10 is ten times faster, 0 does not wait at all. */
  readonly speed: number;
  readonly signal: AbortSignal;
}

/** Carries out a skill's steps and prints them, up to the ending, which it returns. */
export async function runTurn(turn: Turn): Promise<TurnEnding> {
  const { steps, lines, signal } = turn;
  let outcome: ToolOutcome | undefined;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value: step } = await steps.next(outcome);
      outcome = undefined;
      if (done) return { type: 'answered' };
      if (step.type === 'fail') return failure(step);
      if (step.type === 'tool') {
        outcome = await carryOut(step, turn);
        if (outcome === undefined) return { type: 'interrupted', inTool: true };
        if (turn.maxTurns > 0 && lines.calls > turn.maxTurns)
          return { type: 'max_turns', limit: turn.maxTurns };
      } else {
        await perform(step, turn);
      }
    }
  } catch (error) {
    if (signal.aborted) return { type: 'interrupted', inTool: false };
    throw error;
  }
}

type PlainStep = Exclude<Step, { type: 'fail' | 'tool' }>;

async function perform(step: PlainStep, { lines, speed, signal }: Turn): Promise<void> {
  switch (step.type) {
    case 'say':
      return lines.text(step.text);
    case 'think':
      return lines.thinking(step.text);
    case 'wait':
      return pause(step.ms, speed, signal);
    case 'retry': {
      const delayMs = 600 * step.attempt;
      await lines.retry(step.attempt, step.of, step.status, delayMs);
      return pause(delayMs, speed, signal);
    }
    case 'crash':
      process.kill(process.pid, 'SIGKILL');
      return sleep(longestTimer, undefined, { signal });
    case 'hang':
      return sleep(longestTimer, undefined, { signal });
  }
}

const longestTimer = 2 ** 31 - 1;

/** Even a delay of 0 passes through the event loop once, so that a signal can arrive. */
async function pause(ms: number, speed: number, signal: AbortSignal): Promise<void> {
  const delay = speed === 0 ? 0 : ms / speed;
  await (delay === 0 ? nextRound() : sleep(Math.min(delay, longestTimer), undefined, { signal }));
}

type ToolStep = Extract<Step, { type: 'tool' }>;

/** Returns `undefined` if the turn is to end with this tool. */
async function carryOut(step: ToolStep, turn: Turn): Promise<ToolOutcome | undefined> {
  const id = `toolu_demo${randomBytes(9).toString('hex')}`;
  await turn.lines.toolUse(id, step.tool, step.input);
  const outcome = await useTool(id, step, turn);
  await turn.lines.toolResult(id, outcome ?? { text: stopped, isError: true });
  return outcome;
}

async function useTool(id: string, { tool, input }: ToolStep, turn: Turn): Promise<ToolOutcome | undefined> {
  const { lines, cwd, speed, signal } = turn;
  if (!turn.tools.includes(tool)) {
    const text = `<tool_use_error>Error: No such tool available: ${tool}</tool_use_error>`;
    return { text, isError: true };
  }
  const permission = await turn.permit(tool, input, id);
  if (permission.type === 'deny') {
    const denial = { tool_name: tool, tool_use_id: id, tool_input: input };
    await lines.denied(denial, permission.message, permission.by === 'mode');
    return permission.by === 'interrupt'
      ? undefined
      : { text: permission.message, isError: true, denied: true };
  }
  try {
    signal.throwIfAborted();
    const outcome = await runTool(tool, permission.input, { cwd, speed, signal });
    await pause(150, speed, signal);
    await turn.watcher?.toolRan(tool, permission.input, id, outcome);
    return outcome;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

const stopped =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

function failure(step: Extract<Step, { type: 'fail' }>): TurnEnding {
  const { status, message } = step;
  return status === undefined ? { type: 'failed', message } : { type: 'api_error', status, message };
}
