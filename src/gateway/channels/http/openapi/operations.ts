import type { AnswerName, BodyName } from './schemas.js';

/** One method of one path of the HTTP interface. */
export interface Operation {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyName;
  /** True if the body may be left out. */
  readonly bodyOptional?: true;
  /** The status of the answer that is no problem. Default 200. */
  readonly status?: number;
  /** JSON by its schema, another media type, or nothing. */
  readonly answer?: AnswerName | { readonly type: string; readonly description: string };
  /** True if it is server-sent events when the body asks for `stream`. */
  readonly orStream?: true;
  readonly problem?: AnswerName;
  /** True if it needs no token. */
  readonly open?: true;
}

const key = {
  'Idempotency-Key': 'Repeats with the same key, 1 to 255 visible ASCII characters, are one message.',
};
const page = { limit: 'The most entries; a larger one than the limit counts as that.' };
const openAi = { tag: 'OpenAI', problem: 'OpenAiProblem' } as const;

/** Every route. A test compares them with those that the gateway serves. */
export const operations: readonly Operation[] = [
  {
    ...{ method: 'post', path: '/v1/channels/{id}/messages', tag: 'Messages' },
    summary: 'Sends a message into a channel. It is on disk when the answer comes.',
    ...{ headers: key, body: 'NewMessage', status: 202, answer: 'Receipt' },
  },
  {
    ...{ method: 'get', path: '/v1/channels/{id}/messages', tag: 'Messages' },
    summary: 'The conversation of a channel, oldest first.',
    query: {
      ...page,
      after: 'The id of a message: the page begins behind it.',
      before: 'The id of a message: the page ends in front of it. Empty or `latest`: the last page.',
    },
    answer: 'Messages',
  },
  {
    ...{ method: 'get', path: '/v1/channels/{id}/events', tag: 'Messages' },
    summary: 'What happens in a channel, as server-sent events.',
    query: {
      after: 'The id of an event: the stream goes on behind it.',
      others: '1: also names other channels in which something has changed.',
    },
    headers: { 'Last-Event-ID': 'The id of an event: the stream goes on behind it. Stronger than `after`.' },
    answer: {
      type: 'text/event-stream',
      description:
        'Unnamed events are a StreamedChatEvent; `turn` is a Turn, `said` a Message, `state` a ChannelStatus, `channels` names channels, `reset` says that the id is unknown.',
    },
  },
  {
    ...{ method: 'get', path: '/v1/events/{eventId}', tag: 'Messages', answer: 'Event' },
    summary: 'What became of a message.',
    query: { wait: 'Seconds, 0 to 60: the answer comes when the event has ended, or after this time.' },
  },
  {
    ...{ method: 'get', path: '/v1/events/{eventId}/turns', tag: 'Messages', answer: 'Turns' },
    summary: 'The attempts to answer a message, each with what the agent said and did.',
  },
  {
    ...{ method: 'post', path: '/v1/events/{eventId}/cancel', tag: 'Messages', answer: 'Cancelled' },
    summary: 'Drops a message that waits.',
  },
  {
    ...{ method: 'get', path: '/v1/channels', tag: 'Channels', answer: 'Channels' },
    summary: 'The channels, the one with the newest message first.',
    query: {
      ...page,
      search: 'A text to look for in titles and in the newest messages, at most 200 characters.',
      archived:
        '`true`: only those that were put away. `false`: only the others, as without `search`; a search finds both unless told.',
    },
  },
  {
    ...{ method: 'get', path: '/v1/channels/{id}', tag: 'Channels', answer: 'ChannelStatus' },
    summary: 'A channel as it is now.',
  },
  {
    ...{ method: 'patch', path: '/v1/channels/{id}', tag: 'Channels' },
    summary: 'Gives a channel a title, puts it away or brings it back.',
    ...{ body: 'ChannelChange', answer: 'ChannelStatus' },
  },
  {
    ...{ method: 'post', path: '/v1/channels/{id}/interrupt', tag: 'Channels' },
    summary: 'Ends the running turn of a channel, or the message that waits for its retry.',
    ...{ body: 'Interrupt', bodyOptional: true, answer: 'Interrupted' },
  },
  {
    ...{ method: 'get', path: '/v1/channels/{id}/sessions', tag: 'Channels', answer: 'Sessions' },
    summary: "The CLIs' own sessions of the channel's directory.",
  },
  {
    ...{ method: 'post', path: '/v1/channels/{id}/session', tag: 'Channels' },
    summary: "Goes on with one of the CLIs' own sessions.",
    ...{ body: 'Resume', answer: 'Resumed' },
  },
  {
    ...{ method: 'get', path: '/v1/channels/{id}/changes', tag: 'Channels', answer: 'Changes' },
    summary: 'What the last turn, or the whole conversation, has changed in the work tree.',
    query: { scope: '`turn` or `conversation`.' },
  },
  {
    ...{ method: 'post', path: '/v1/channels/{id}/changes/revert', tag: 'Channels' },
    summary: 'Puts a file back as it was before.',
    ...{ body: 'Revert', answer: 'Reverted' },
  },
  {
    ...{ method: 'get', path: '/v1/permissions', tag: 'Permissions', answer: 'Permissions' },
    summary: 'The questions that wait for a person, each with what would be done.',
  },
  {
    ...{ method: 'get', path: '/v1/permissions/{id}', tag: 'Permissions', answer: 'Permission' },
    summary: 'A question with all of its input and, while it waits, what would be done.',
  },
  {
    ...{ method: 'post', path: '/v1/permissions/{id}', tag: 'Permissions' },
    summary: 'Answers a question.',
    ...{ body: 'Decision', answer: 'Permission' },
  },
  {
    ...{ method: 'get', path: '/v1/queue', tag: 'Overviews', answer: 'Queue' },
    summary: 'What runs and what waits, in all channels.',
  },
  {
    ...{ method: 'get', path: '/v1/gateway', tag: 'Overviews', answer: 'Gateway' },
    summary: 'The gateway itself: version, start, health, connections.',
  },
  {
    ...{ method: 'get', path: '/v1/schedules', tag: 'Overviews', answer: 'Schedules' },
    summary: 'The next run of each heartbeat and cron entry, the next one first.',
  },
  {
    ...{ method: 'get', path: '/v1/backends', tag: 'Overviews', answer: 'Backends' },
    summary: 'The agents, and what each can do.',
  },
  {
    ...{ method: 'get', path: '/v1/usage', tag: 'Overviews', answer: 'Usage' },
    summary: 'Turns, tokens and cost.',
    query: {
      by: '`day` (the default), `backend`, `channel` or `model`.',
      channel: 'Only of this channel.',
      since: 'Only of turns that ended then or later.',
      until: 'Only of turns that ended before.',
    },
  },
  {
    ...{ method: 'get', path: '/v1/statistics', tag: 'Overviews', answer: 'Statistics' },
    summary: 'Turns, times, tokens, cost and errors over time.',
    query: {
      by: '`backend` (the default) or `channel`.',
      since: 'The beginning; a week before the end unless given.',
      until: 'The end; now unless given.',
      stepSeconds: 'The length of a step; at most 1,000 steps are given.',
    },
  },
  {
    ...{ method: 'get', path: '/v1/chains/runs', tag: 'Chains', answer: 'ChainRuns' },
    ...{ summary: 'The runs of chains, newest first.', query: page },
  },
  {
    ...{ method: 'get', path: '/v1/chains/runs/{id}', tag: 'Chains', answer: 'ChainRun' },
    summary: 'A run of a chain, with its steps.',
  },
  {
    ...{ method: 'post', path: '/v1/page-session', tag: 'The page', status: 201, answer: 'PageSession' },
    summary: 'Begins a session of the page, with the token, and sets its cookie.',
  },
  {
    ...{ method: 'delete', path: '/v1/page-session', tag: 'The page', status: 204 },
    summary: 'Ends the session of the page.',
  },
  {
    ...{ method: 'get', path: '/v1/models', ...openAi, answer: 'OpenAiModels' },
    summary: "The agents and their models, as OpenAI's interface lists them.",
  },
  {
    ...{ method: 'get', path: '/v1/models/{id}', ...openAi, answer: 'OpenAiModel' },
    summary: "One model, as OpenAI's interface shows it.",
  },
  {
    ...{ method: 'post', path: '/v1/chat/completions', ...openAi, body: 'OpenAiChatRequest' },
    ...{ headers: key, answer: 'OpenAiChatCompletion', orStream: true },
    summary: "A turn, as OpenAI's Chat Completions; with `stream`, as server-sent events.",
  },
  {
    ...{ method: 'post', path: '/v1/responses', ...openAi, body: 'OpenAiResponseRequest' },
    ...{ headers: key, answer: 'OpenAiResponse', orStream: true },
    summary: "A turn, as OpenAI's Responses; with `stream`, as server-sent events.",
  },
  {
    ...{ method: 'get', path: '/v1/responses/{id}', ...openAi, answer: 'OpenAiResponse' },
    summary: 'An earlier response.',
  },
  {
    ...{ method: 'get', path: '/healthz', tag: 'For those who watch', answer: 'Alive', open: true },
    summary: '200 while the process lives.',
  },
  {
    ...{ method: 'get', path: '/readyz', tag: 'For those who watch', answer: 'Readiness', open: true },
    ...{ problem: 'Readiness', summary: '200 if it takes messages and works on them, else 503.' },
  },
  {
    ...{ method: 'get', path: '/metrics', tag: 'For those who watch', open: true },
    ...{ summary: 'Metrics.', answer: { type: 'text/plain', description: "Prometheus' text format." } },
  },
  {
    ...{ method: 'get', path: '/openapi.json', tag: 'For those who watch', open: true },
    ...{ summary: 'This document.', answer: { type: 'application/json', description: 'OpenAPI 3.1.' } },
  },
];
