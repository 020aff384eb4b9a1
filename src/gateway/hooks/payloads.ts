import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export const hookEvents = [
  'startup',
  'shutdown',
  'message',
  'turn_start',
  'tool_start',
  'turn_end',
  'error',
] as const;
export type HookEvent = (typeof hookEvents)[number];

/** What a hook is sent, at the least. The gateway may add fields. All of it is sent as JSON. */
export interface HookPayloads {
  readonly startup: { readonly backend: string };
  readonly shutdown: { readonly reason: string };
  readonly message: { readonly channel: string; readonly source: string; readonly text: string };
  readonly turn_start: {
    readonly channel: string;
    readonly eventId: string;
    readonly backend: string;
    readonly prompt: string;
    readonly systemPrompt: string;
  };
  readonly tool_start: {
    readonly channel: string;
    readonly eventId: string;
    readonly name: string;
    readonly input: unknown;
  };
  readonly turn_end: {
    readonly channel: string;
    readonly eventId: string;
    readonly state: string;
    readonly responseText?: string | undefined;
  };
  readonly error: { readonly code: string; readonly message: string };
}

export type HookVerdict<P> =
  | { readonly action: 'continue'; readonly payload: P }
  | { readonly action: 'block'; readonly reason: string };

/** The events that can be stopped. The others tell of what is so already. */
export const blockable: ReadonlySet<HookEvent> = new Set(['message', 'turn_start', 'tool_start']);

const words = z.string().refine((text) => text.trim() !== '');

/** What a hook may rewrite, and what it has to look like. */
const rewritable: Readonly<Record<HookEvent, Readonly<Record<string, z.ZodType>>>> = {
  startup: {},
  shutdown: {},
  message: { text: words },
  turn_start: { prompt: words, systemPrompt: z.string() },
  tool_start: {},
  turn_end: { responseText: words },
  error: {},
};

export interface Rewriting<P> {
  readonly payload: P;
  /** Fields that may not be rewritten, or not like that. */
  readonly refused: readonly string[];
}

/** A hook may give back all of the payload: only what differs counts as a rewrite. */
export function rewrite<P extends object>(
  event: HookEvent,
  payload: P,
  changes: Readonly<Record<string, unknown>>,
): Rewriting<P> {
  const accepted: Record<string, unknown> = {};
  const refused: string[] = [];
  const sent: Readonly<Record<string, unknown>> = { ...payload, event };
  for (const [field, value] of Object.entries(changes)) {
    if (Object.hasOwn(sent, field) && isDeepStrictEqual(asJson(sent[field]), value)) continue;
    const schema = Object.hasOwn(rewritable[event], field) ? rewritable[event][field] : undefined;
    // There is nothing to rewrite in a turn that ended without an answer.
    if (schema?.safeParse(value).success && sent[field] !== undefined) accepted[field] = value;
    else refused.push(field);
  }
  return { payload: { ...payload, ...accepted }, refused };
}

function asJson(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}
