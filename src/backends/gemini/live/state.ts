import type { LiveEvent } from '../../live/types.js';

/** One turn, as far as the agent's messages have told of it. */
export interface GeminiTurnState {
  /** The agent has written text in this turn. */
  readonly spoke: boolean;
  /** Tools that wait for a permission: Gemini tells of their start in the request only. */
  readonly awaitingPermission: ReadonlyMap<string, ToolCall>;
}

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

export const newGeminiTurnState: GeminiTurnState = { spoke: false, awaitingPermission: new Map() };

export type GeminiTurnStep = readonly [state: GeminiTurnState, events: readonly LiveEvent[]];
