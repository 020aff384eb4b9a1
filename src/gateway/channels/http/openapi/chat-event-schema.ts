import * as z from 'zod';
import { type ChatEvent, errorCodes } from '../../../../core/chat-event.js';

// ChatEvents for the OpenAPI document: `docs/events.md` says what they mean.

export const usageSchema = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number().exactOptional(),
  costUsd: z.number().exactOptional(),
  contextTokens: z.number().exactOptional(),
  contextWindow: z.number().exactOptional(),
});

export const errorCodeSchema = z.enum(errorCodes);
export const decisionSchema = z.enum(['allow', 'allow_always', 'deny']);

const text = z.string();

const retry = z.strictObject({
  attempt: z.number(),
  of: z.number().exactOptional(),
  delayMs: z.number().exactOptional(),
  status: z.number().exactOptional(),
  code: errorCodeSchema,
  reason: text,
});

const shapes = [
  {
    type: z.literal('session'),
    sessionId: text,
    backend: text,
    model: text.exactOptional(),
    keySource: text.exactOptional(),
  },
  { type: z.literal('text'), text },
  { type: z.literal('thinking_start') },
  { type: z.literal('thinking'), text },
  { type: z.literal('thinking_end') },
  { type: z.literal('tool_start'), id: text, name: text, input: z.unknown() },
  {
    type: z.literal('tool_end'),
    id: text,
    output: text,
    isError: z.boolean(),
    denied: z.literal(true).exactOptional(),
  },
  {
    type: z.literal('permission_request'),
    id: text,
    tool: text,
    input: z.unknown(),
    options: z.array(decisionSchema),
    always: text.exactOptional(),
    toolId: text.exactOptional(),
    confirmation: z.literal(true).exactOptional(),
  },
  {
    type: z.literal('permission_resolved'),
    id: text,
    decision: decisionSchema,
    message: text.exactOptional(),
  },
  { type: z.literal('usage'), ...usageSchema.shape },
  {
    type: z.literal('notice'),
    level: z.enum(['info', 'warning']),
    message: text,
    raw: text.exactOptional(),
    retry: retry.exactOptional(),
    eventId: text.exactOptional().describe('The message of this event was taken into the turn.'),
  },
  {
    type: z.literal('complete'),
    text,
    sessionId: text,
    stopReason: text,
    usage: usageSchema.exactOptional(),
  },
  {
    type: z.literal('error'),
    code: errorCodeSchema,
    message: text,
    detail: text.exactOptional(),
    retryAfterMs: z.number().exactOptional(),
    shortage: z.literal(true).exactOptional(),
    retryable: z.boolean(),
  },
] as const;

export const chatEventSchema = z.union(shapes.map((shape) => z.strictObject(shape))) as z.ZodType<ChatEvent>;

/** As the stream of a channel has it. */
export const streamedChatEventSchema = z.union(
  shapes.map((shape) => z.strictObject({ ...shape, turnId: text })),
) as unknown as z.ZodType<ChatEvent & { readonly turnId: string }>;
