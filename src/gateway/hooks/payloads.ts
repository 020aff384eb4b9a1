import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { printJson } from '../../core/json.js';

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

/** The fields that a hook gets at least, as JSON. The gateway may add others. */
export interface HookPayloads {
  readonly startup: { readonly backend: string };
  readonly shutdown: { readonly reason: string };
  readonly message: {
    readonly channel: string;
    readonly source: string;
    readonly text: string;
    /** What the channel adds for the agent behind the text. */
    readonly context?: string | undefined;
  };
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

/** These events can be blocked. The others tell of something that has happened already. */
export const blockable: ReadonlySet<HookEvent> = new Set(['message', 'turn_start', 'tool_start']);

const words = z.string().refine((text) => text.trim() !== '');

/** The fields that a hook may rewrite, each with the form that it must have. */
const rewritable: Readonly<Record<HookEvent, Readonly<Record<string, z.ZodType>>>> = {
  startup: {},
  shutdown: {},
  message: { text: words, context: words },
  turn_start: { prompt: words, systemPrompt: z.string() },
  tool_start: {},
  turn_end: { responseText: words },
  error: {},
};

export interface Rewriting<P> {
  readonly payload: P;
  /** Fields that may not be rewritten, or not in this form. */
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
    // A turn that ended without an answer has no `responseText` to rewrite.
    if (schema?.safeParse(value).success && sent[field] !== undefined) accepted[field] = value;
    else refused.push(field);
  }
  return { payload: { ...payload, ...accepted }, refused };
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(printJson(value));
}
