import * as z from 'zod';
import type * as wire from '../wire.js';
import {
  chatEventSchema,
  decisionSchema,
  errorCodeSchema,
  streamedChatEventSchema,
  usageSchema,
} from './chat-event-schema.js';
import { openAiAnswers, openAiBodies } from './open-ai-schemas.js';

// The types of `wire.ts` as schemas, under the names that the OpenAPI document gives them. Tests check real answers with them.

const text = z.string();
const count = z.int().min(0);
const time = z.iso.datetime();
const eventState = z.enum(['queued', 'running', 'answered', 'refused', 'cancelled', 'failed']);
const scope = z.enum(['turn', 'conversation']);

const failure = z.strictObject({ code: errorCodeSchema, message: text });

const filePreview = z.strictObject({
  path: text,
  diff: text,
  left: count.exactOptional().describe('The characters of the diff that are left out.'),
  leadsTo: text.exactOptional().describe('Where a link leads to.'),
  outside: z.literal(true).exactOptional().describe('It lies outside the directory that the turn works in.'),
});

const preview = z.union([
  z.strictObject({ type: z.literal('command'), command: text, cwd: text.exactOptional() }),
  z.strictObject({ type: z.literal('edit'), files: z.array(filePreview) }),
]);

const permission = z.strictObject({
  id: text,
  channel: text,
  eventId: text,
  tool: text,
  input: z.unknown(),
  options: z.array(decisionSchema),
  always: text
    .exactOptional()
    .describe('All that `allow_always` allows until the session ends, a rule on each line.'),
  createdAt: time,
  preview: preview.exactOptional().describe('What the tool would do, as far as its input tells.'),
  shortened: z
    .literal(true)
    .exactOptional()
    .describe('The preview is left out, and a long input is null: `GET /v1/permissions/{id}` has both.'),
  decision: decisionSchema.exactOptional(),
  message: text.exactOptional(),
  decidedAt: time.exactOptional(),
}) satisfies z.ZodType<wire.PermissionView>;

const message = z.strictObject({
  id: text,
  eventId: text.nullable(),
  role: z.enum(['user', 'assistant', 'system']),
  text,
  createdAt: time,
  backend: text.exactOptional(),
  author: text.exactOptional().describe('Who has sent it, if that was told.'),
  state: eventState.exactOptional().describe('Of what somebody has sent: its state when this was read.'),
  begun: z.boolean().exactOptional().describe('True if a turn has worked on it.'),
  silent: z.literal(true).exactOptional().describe('A schedule’s turn had nothing to say.'),
}) satisfies z.ZodType<wire.MessageView>;

const messages = z.strictObject({
  messages: z.array(message),
  next: text.exactOptional().describe('The `after` of the next page, if there is one.'),
  previous: text.exactOptional().describe('The `before` of the page in front of this one, if there is one.'),
}) satisfies z.ZodType<wire.MessagesView>;

const turnShape = {
  turnId: text,
  channel: text,
  eventIds: z.array(text),
  state: z.enum(['running', 'postponed', ...eventState.options]),
  startedAt: time,
  endedAt: time.exactOptional(),
  backend: text.exactOptional(),
  model: text.exactOptional(),
  usage: usageSchema.exactOptional(),
  error: failure.exactOptional(),
};
const turn = z.strictObject(turnShape) satisfies z.ZodType<wire.TurnView>;
const turns = z.strictObject({
  turns: z.array(z.strictObject({ ...turnShape, events: z.array(chatEventSchema) })),
}) satisfies z.ZodType<wire.TurnsView>;

const event = z.strictObject({
  eventId: text,
  state: eventState,
  channel: text,
  source: text,
  createdAt: time,
  endedAt: time.exactOptional(),
  attempts: count,
  responseText: text.exactOptional(),
  error: failure.exactOptional(),
  lastError: failure.exactOptional(),
  retryAt: time.exactOptional(),
}) satisfies z.ZodType<wire.EventView>;

const gateway = z.strictObject({
  version: text,
  startedAt: time,
  pid: count,
  home: text.describe('The data directory on its own machine.'),
  backend: text.describe('The agent of channels that have chosen none.'),
  live: z.boolean(),
  ready: z.boolean(),
  problems: z.array(text),
  discord: z
    .enum(['connected', 'connecting', 'failed'])
    .exactOptional()
    .describe('Absent if Discord is not used.'),
}) satisfies z.ZodType<wire.GatewayView>;

const schedules = z.strictObject({
  schedules: z.array(
    z.strictObject({
      name: text,
      source: z.enum(['heartbeat', 'cron']),
      channel: text,
      times: text.describe('As they are written: `every 30m`, `0 9 * * 1-5 (Europe/Berlin)`.'),
      nextRunAt: time.exactOptional().describe('A time that is over: the run waits for an earlier one.'),
    }),
  ),
  problems: z.array(text).describe('What is wrong in heartbeat.md and cron.md.'),
}) satisfies z.ZodType<wire.SchedulesView>;

const waitingShape = {
  eventId: text,
  text,
  createdAt: time,
  lastError: failure.exactOptional(),
  retryAt: time.exactOptional(),
};

const status = z.strictObject({
  channel: text,
  title: text,
  archived: z.boolean(),
  backend: text,
  model: text.exactOptional(),
  thinking: text.exactOptional(),
  context: z.strictObject({ tokens: count, window: count.exactOptional() }).exactOptional(),
  permissionMode: text,
  queueMode: text,
  steers: z.boolean(),
  cwd: text,
  running: z
    .strictObject({
      turnId: text,
      eventIds: z.array(text),
      startedAt: time,
      backend: text.exactOptional(),
      model: text.exactOptional(),
      tool: text.exactOptional(),
    })
    .exactOptional(),
  waiting: z.array(z.strictObject(waitingShape)),
  waitingCount: count,
  permissions: z.array(permission),
}) satisfies z.ZodType<wire.ChannelStatusView>;

const channels = z.strictObject({
  channels: z.array(
    z.strictObject({
      channel: text,
      title: text,
      archived: z.boolean().describe('True if it was put away: a new message brings it back.'),
      messages: count,
      lastMessageAt: time.exactOptional(),
      lastText: text.exactOptional(),
      silent: z
        .literal(true)
        .exactOptional()
        .describe('The last message is of a schedule’s turn that had nothing to say.'),
      waiting: count,
      running: z.boolean(),
      permissions: count,
      backend: text,
      found: text.exactOptional(),
    }),
  ),
}) satisfies z.ZodType<wire.ChannelsView>;

const queue = z.strictObject({
  events: z.record(eventState, count),
  running: z.array(turn),
  waiting: z.array(z.strictObject({ ...waitingShape, channel: text })),
  pendingPermissions: count,
}) satisfies z.ZodType<wire.QueueView>;

const backends = z.strictObject({
  backends: z.array(
    z.strictObject({
      name: text,
      isDefault: z.boolean(),
      installed: z.boolean(),
      version: text.exactOptional(),
      notice: text.exactOptional(),
      install: text.describe('The command that installs it; empty if there is none.'),
      thinkingDepths: z.array(text),
      permissionModes: z.array(text),
      options: z.array(text),
      models: z.array(text),
    }),
  ),
}) satisfies z.ZodType<wire.BackendsView>;

const sums = {
  turns: count,
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  costUsd: z.number(),
};

const usage = z.strictObject({
  rows: z.array(z.strictObject({ key: text, ...sums })),
}) satisfies z.ZodType<wire.UsageView>;

const statistics = z.strictObject({
  since: time,
  until: time,
  stepSeconds: z.number(),
  medianMs: z.number().describe('Of all turns of the time, whatever they are grouped by.'),
  series: z.array(
    z.strictObject({
      key: text,
      points: z.array(
        z.strictObject({
          at: time,
          ...sums,
          answered: count,
          failed: count,
          cancelled: count,
          medianMs: z.number(),
          slowestMs: z.number(),
          errors: z.partialRecord(errorCodeSchema, count),
        }),
      ),
    }),
  ),
}) satisfies z.ZodType<wire.StatisticsView>;

const chainRuns = z.strictObject({
  runs: z.array(z.strictObject({ runId: text, chain: text, status: text, startedAt: text, cwd: text })),
}) satisfies z.ZodType<wire.ChainRunsView>;

const chainRun = z.strictObject({
  runId: text,
  chain: text,
  status: text,
  startedAt: text,
  endedAt: text.exactOptional(),
  steps: z.array(
    z.strictObject({
      name: text.exactOptional(),
      agent: text,
      backend: text,
      status: text,
      iterations: count,
      reason: text.exactOptional(),
      output: text,
      error: failure.exactOptional(),
      usage: usageSchema.exactOptional(),
      verified: z.boolean().exactOptional(),
    }),
  ),
}) satisfies z.ZodType<wire.ChainRunView>;

const sessions = z.strictObject({
  cwd: text,
  sessions: z.array(z.strictObject({ backend: text, sessionId: text, title: text, updatedAt: time })),
  problems: z.array(text),
}) satisfies z.ZodType<wire.SessionsView>;

const changes = z.strictObject({
  scope,
  reason: text.exactOptional(),
  files: z.array(
    z.strictObject({
      path: text,
      status: z.enum(['added', 'modified', 'deleted']),
      binary: z.boolean(),
      additions: count,
      deletions: count,
      diff: text.exactOptional(),
      changedSince: z.boolean(),
      shown: text.describe('Names what is shown: this change, and what the file holds now.'),
    }),
  ),
}) satisfies z.ZodType<wire.ChangesView>;

/** What the gateway answers with. */
export const answers = {
  ChatEvent: chatEventSchema,
  StreamedChatEvent: streamedChatEventSchema,
  Message: message,
  Messages: messages,
  Permission: permission,
  Permissions: z.strictObject({
    permissions: z.array(permission),
  }) satisfies z.ZodType<wire.PermissionsView>,
  Turn: turn,
  Turns: turns,
  Event: event,
  Receipt: z.strictObject({
    eventId: text,
    state: eventState,
    error: failure.exactOptional(),
  }) satisfies z.ZodType<wire.ReceiptView>,
  ChannelStatus: status,
  Channels: channels,
  Queue: queue,
  Gateway: gateway,
  Schedules: schedules,
  Backends: backends,
  Usage: usage,
  Statistics: statistics,
  ChainRuns: chainRuns,
  ChainRun: chainRun,
  Sessions: sessions,
  Resumed: z.strictObject({ resumed: z.literal(true) }) satisfies z.ZodType<wire.ResumedView>,
  Changes: changes,
  Reverted: z.strictObject({ reverted: z.literal(true) }) satisfies z.ZodType<wire.RevertedView>,
  Interrupted: z.strictObject({ interrupted: z.boolean() }) satisfies z.ZodType<wire.InterruptedView>,
  Cancelled: z.strictObject({
    cancelled: z.boolean(),
    state: eventState,
  }) satisfies z.ZodType<wire.CancelledView>,
  PageSession: z.strictObject({
    pageKey: text,
    expiresAt: time,
  }) satisfies z.ZodType<wire.PageSessionView>,
  Alive: z.strictObject({ status: z.literal('ok') }),
  Readiness: z.strictObject({ ready: z.boolean(), problems: z.array(text) }),
  Problem: z.strictObject({
    error: z.strictObject({ code: text, message: text }),
  }) satisfies z.ZodType<wire.ProblemView>,
  ...openAiAnswers,
} as const;

/** What clients send. The routes have the schemas that check it, with the words of their refusals. */
export const bodies = {
  NewMessage: z.strictObject({
    text,
    author: text.exactOptional(),
    queueMode: z.enum(['queue', 'interrupt', 'steer']).exactOptional(),
  }) satisfies z.ZodType<wire.MessageBody>,
  ChannelChange: z.strictObject({
    title: text.max(200).nullable().exactOptional().describe('Null: back to the first words.'),
    archived: z.boolean().exactOptional(),
  }) satisfies z.ZodType<wire.ChannelChangeBody>,
  Interrupt: z.strictObject({ turnId: text.exactOptional() }) satisfies z.ZodType<wire.InterruptBody>,
  Decision: z.strictObject({ decision: decisionSchema, message: text.exactOptional() }),
  Resume: z.strictObject({ backend: text, sessionId: text }) satisfies z.ZodType<wire.ResumeBody>,
  Revert: z.strictObject({
    scope,
    path: text,
    force: z.boolean().exactOptional().describe('True: changes after the agent may be lost.'),
    shown: text
      .exactOptional()
      .describe('The `shown` of the file. If it is another one by now: 409 `changed_since`.'),
  }) satisfies z.ZodType<wire.RevertBody>,
  ...openAiBodies,
} as const;

export type AnswerName = keyof typeof answers;
export type BodyName = keyof typeof bodies;
