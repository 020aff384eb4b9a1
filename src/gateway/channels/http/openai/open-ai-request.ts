import type { HistoryMessage } from '../../../../store/store.js';

/** A request of an OpenAI client, in the gateway's words. */
export interface OpenAiRequest {
  /** As it was written: `claude`, `codex/<model>`, `default`. */
  readonly model: string;
  /** The conversation that it names; undefined if it names none. */
  readonly channel?: { readonly id: string; readonly param: string } | undefined;
  readonly previousResponse?: string | undefined;
  readonly instructions?: string | undefined;
  /** What was said before the prompt, as the client has it. */
  readonly history: readonly HistoryMessage[];
  readonly prompt: string;
  /** The depth of thinking, with the field that it came from. */
  readonly thinking?: { readonly depth: string; readonly param: string } | undefined;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly metadata: Readonly<Record<string, string>>;
}
