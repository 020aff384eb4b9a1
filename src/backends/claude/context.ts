import type { Usage } from '../../core/chat-event.js';
import { isObject, type JsonObject } from '../output/json.js';
import { number, object, text } from '../output/read-fields.js';

/** A model call of the agent itself, not of a subagent. */
export interface Call {
  readonly model: string;
  readonly counts: JsonObject;
}

/** The stream's `message_start`: all that the call reads is counted, and none of what it is going to write. */
export function startCall(event: JsonObject): Call {
  const message = object(event['message']);
  return { model: text(message['model']), counts: object(message['usage']) };
}

/** The stream's `message_delta` has the call's final counts. The API may leave out those of the input, or set them to null. */
export function updateCall(call: Call | undefined, event: JsonObject): Call {
  const told = Object.entries(object(event['usage'])).filter(([, count]) => count !== null);
  return { model: call?.model ?? '', counts: { ...call?.counts, ...Object.fromEntries(told) } };
}

/**
 * The context after the last call, with the model's window from the result. `assistant` lines have the call's counts too, but
 * from its start (2.1.325): output without the stream's own events tells no context.
 */
export function contextOf(
  { model, call }: { readonly model: string | undefined; readonly call: Call | undefined },
  result: JsonObject,
): Pick<Usage, 'contextTokens' | 'contextWindow'> {
  if (call === undefined) return {};
  const contextTokens = countNames.reduce((sum, name) => sum + number(call.counts[name]), 0);
  if (contextTokens === 0) return {};
  const window = number(windowEntry(object(result['modelUsage']), model ?? '', call.model)['contextWindow']);
  return window > 0 ? { contextTokens, contextWindow: window } : { contextTokens };
}

const countNames = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
] as const;

/**
 * The result lists all models that were used, subagents' too. The entry has the name that the session is set to, such as
 * `opus[1m]`, which the API shortens; with a fallback model it has the name of the call. A single entry is the one.
 */
function windowEntry(models: JsonObject, chosen: string, called: string): JsonObject {
  const name = chosen.replace(/\[.*$/, '') === called ? chosen : called;
  const entries = Object.values(models).filter(isObject);
  return object(models[name] ?? (entries.length === 1 ? entries[0] : undefined));
}
