import { randomBytes, randomUUID } from 'node:crypto';
import type { Output } from './output.js';
import {
  apiErrorLine,
  type ClaudeLine,
  initLine,
  permissionDeniedLine,
  retryLine,
  type Speaker,
} from './plain-lines.js';
import { resultLine, type TurnEnding } from './result-line.js';
import type { ToolInput, ToolName, ToolOutcome } from './step.js';
import type { UsageMeter } from './usage-meter.js';

export interface Denial {
  readonly tool_name: ToolName;
  readonly tool_use_id: string;
  readonly tool_input: ToolInput;
}

/** Prints the agent's actions as the lines of Claude 2.1. Each turn has one instance. */
export class ClaudeLines {
  readonly #speaker: Speaker;
  readonly #output: Output;
  readonly #meter: UsageMeter;
  readonly #partial: boolean;
  readonly #startedAt = Date.now();
  readonly #denials: Denial[] = [];
  #outputChars = 0;
  #calls = 1;
  #message: string | undefined;
  #blocks = 0;
  #block: { readonly kind: 'text' | 'thinking'; readonly text: string } | undefined;
  /** The text since the last tool: the answer, if no tool follows. */
  answer = '';

  constructor(speaker: Speaker, output: Output, meter: UsageMeter, partial: boolean) {
    this.#speaker = speaker;
    this.#output = output;
    this.#meter = meter;
    this.#partial = partial;
  }

  /** The number of calls that a model would have got. */
  get calls(): number {
    return this.#calls;
  }

  async init(): Promise<void> {
    await this.#print(initLine(this.#speaker));
  }

  async text(piece: string): Promise<void> {
    this.answer += piece;
    await this.#append('text', piece);
  }

  async thinking(piece: string): Promise<void> {
    await this.#append('thinking', piece);
  }

  async toolUse(id: string, name: ToolName, input: ToolInput): Promise<void> {
    await this.#closeBlock();
    await this.#openMessage();
    const index = this.#blocks++;
    const start = { type: 'tool_use', id, name, input: {} };
    await this.#stream({ type: 'content_block_start', index, content_block: start });
    const json = JSON.stringify(input);
    this.#outputChars += json.length;
    await this.#stream({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json: json },
    });
    await this.#assistant({ type: 'tool_use', id, name, input });
    await this.#stream({ type: 'content_block_stop', index });
    await this.#closeMessage('tool_use');
  }

  async toolResult(id: string, { text, isError }: ToolOutcome): Promise<void> {
    await this.#user([{ tool_use_id: id, type: 'tool_result', content: text, is_error: isError }], text);
    this.answer = '';
    this.#calls++;
  }

  /** `byMode` means that the mode denied it and nobody was asked. */
  async denied(denial: Denial, message: string, byMode: boolean): Promise<void> {
    this.#denials.push(denial);
    const { tool_name: tool, tool_use_id: id } = denial;
    if (byMode) await this.#print(permissionDeniedLine(this.#speaker.sessionId, tool, id, message));
  }

  async retry(attempt: number, of: number, status: number, delayMs: number): Promise<void> {
    await this.#print(retryLine(this.#speaker.sessionId, attempt, of, status, delayMs));
  }

  /** Prints the rest of the answer, if the turn has one. Its end follows. */
  async closeAnswer(): Promise<void> {
    await this.#openMessage();
    await this.#closeBlock();
    await this.#closeMessage('end_turn');
  }

  /** Prints the last lines of the turn. */
  async end(ending: TurnEnding): Promise<void> {
    await this.#closeBlock();
    if (ending.type === 'interrupted') {
      const where = ending.inTool ? ' for tool use' : '';
      await this.#user([{ type: 'text', text: `[Request interrupted by user${where}]` }]);
    }
    if (ending.type === 'api_error') await this.#print(apiErrorLine(this.#speaker.sessionId, ending));
    const result = resultLine(ending, {
      ...this.#speaker,
      answer: this.answer,
      durationMs: Date.now() - this.#startedAt,
      outputTokens: tokensOf(this.#outputChars),
      calls: this.#calls,
      denials: this.#denials,
      meter: this.#meter,
    });
    await this.#print(result);
  }

  async #append(kind: 'text' | 'thinking', piece: string): Promise<void> {
    if (piece === '') return;
    if (this.#block?.kind !== kind) await this.#openBlock(kind);
    this.#outputChars += piece.length;
    this.#block = { kind, text: (this.#block?.text ?? '') + piece };
    const delta =
      kind === 'text' ? { type: 'text_delta', text: piece } : { type: 'thinking_delta', thinking: piece };
    await this.#stream({ type: 'content_block_delta', index: this.#blocks - 1, delta });
  }

  async #openMessage(): Promise<void> {
    if (this.#message !== undefined) return;
    this.#message = `msg_demo${randomBytes(9).toString('hex')}`;
    this.#blocks = 0;
    await this.#stream({ type: 'message_start', message: this.#messageWith([]) });
  }

  async #openBlock(kind: 'text' | 'thinking'): Promise<void> {
    await this.#closeBlock();
    await this.#openMessage();
    const index = this.#blocks++;
    const empty =
      kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' };
    await this.#stream({ type: 'content_block_start', index, content_block: empty });
    this.#block = { kind, text: '' };
  }

  /** Claude prints the whole block between its last delta and its stop. */
  async #closeBlock(): Promise<void> {
    if (this.#block === undefined) return;
    const { kind, text } = this.#block;
    const index = this.#blocks - 1;
    this.#block = undefined;
    if (kind === 'thinking') {
      await this.#stream({
        type: 'content_block_delta',
        index,
        delta: { type: 'signature_delta', signature },
      });
    }
    await this.#assistant(
      kind === 'text' ? { type: 'text', text } : { type: 'thinking', thinking: text, signature },
    );
    await this.#stream({ type: 'content_block_stop', index });
  }

  async #closeMessage(stopReason: string): Promise<void> {
    const usage = { output_tokens: tokensOf(this.#outputChars) };
    await this.#stream({
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage,
    });
    await this.#stream({ type: 'message_stop' });
    this.#message = undefined;
  }

  #messageWith(content: readonly object[]): object {
    const usage = {
      input_tokens: this.#speaker.inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
    };
    const { model } = this.#speaker;
    const head = { id: this.#message, type: 'message', role: 'assistant', model };
    return { ...head, content, stop_reason: null, stop_sequence: null, usage };
  }

  async #assistant(block: object): Promise<void> {
    await this.#print({ type: 'assistant', message: this.#messageWith([block]), ...this.#tail() });
  }

  async #user(content: readonly object[], toolUseResult?: string): Promise<void> {
    const message = { role: 'user', content };
    const result = toolUseResult === undefined ? {} : { tool_use_result: toolUseResult };
    await this.#print({ type: 'user', message, ...this.#tail(), ...result });
  }

  async #stream(event: object): Promise<void> {
    if (this.#partial) await this.#print({ type: 'stream_event', event, ...this.#tail() });
  }

  #tail(): { session_id: string; parent_tool_use_id: null; uuid: string } {
    return { session_id: this.#speaker.sessionId, parent_tool_use_id: null, uuid: randomUUID() };
  }

  async #print(line: ClaudeLine): Promise<void> {
    await this.#output.line(line);
  }
}

const signature = 'ZGVtbw==';

/** Estimates four characters for a token, the usual rule of thumb. */
export function tokensOf(chars: number): number {
  return Math.ceil(chars / 4);
}
