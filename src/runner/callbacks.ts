import { StreamListener } from '../backends/one-shot/stream-listener.js';
import type { ChatEvent } from '../core/chat-event.js';
import { checkFields, type FieldRules, isRecord, wrongValue } from '../core/check-fields.js';
import { aFunction } from '../core/field-rules.js';
import type { StreamingCallbacks } from './types.js';

/**
 * Tells a turn's events to the caller. A promise is awaited, so that a slow callback slows the CLI. A callback that fails is
 * called again with the next event, and the turn goes on: the process emits one warning (`TURNOUT_ON_STREAM`). A call that
 * has not settled when the turn is interrupted, or its time is up, is not waited for, and is the last one.
 */
export class Callbacks {
  readonly #onEvent: StreamListener<ChatEvent> | undefined;
  readonly #onText: StreamListener<string> | undefined;

  constructor({ onEvent, onText }: StreamingCallbacks, limitMs: number, signal: AbortSignal | undefined) {
    if (onEvent !== undefined) this.#onEvent = new StreamListener(onEvent, limitMs, signal, 'onEvent');
    if (onText !== undefined) this.#onText = new StreamListener(onText, limitMs, signal, 'onText');
  }

  async hear(event: ChatEvent): Promise<void> {
    const heard = this.#onEvent?.hear(event);
    if (heard !== undefined) await heard;
    const read = event.type === 'text' ? this.#onText?.hear(event.text) : undefined;
    if (read !== undefined) await read;
  }

  close(): void {
    this.#onEvent?.close();
    this.#onText?.close();
  }
}

/** Throws a TurnoutError that names a callback which is unknown, or is none. */
export function checkCallbacks(given: StreamingCallbacks): void {
  if (!isRecord(given)) throw wrongValue('callbacks', 'an object, such as {onText}', given);
  checkFields<StreamingCallbacks>(given, rules, 'callbacks.');
}

const rules: FieldRules<StreamingCallbacks> = { onEvent: aFunction, onText: aFunction };
