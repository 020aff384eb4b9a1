import { oneLine } from '../../../core/text.js';
import type { BackendSummary, ChannelSummary, PlannedRun } from '../lookups.js';
import { addRoute, type HttpApp, type RouteOptions } from './add-route.js';
import {
  checkBoolean,
  checkChannel,
  checkChoice,
  checkLimit,
  checkSearch,
  checkTime,
} from './check-parameters.js';
import { iso, representTitle, representTurn, representWaiting } from './represent.js';
import type {
  BackendsView,
  BackendView,
  ChannelsView,
  ChannelView,
  GatewayView,
  QueueView,
  SchedulesView,
  ScheduleView,
  UsageView,
} from './wire.js';

/** What there is, and how much of it. */
export function addOverviewRoutes(app: HttpApp, { gateway }: RouteOptions): void {
  addRoute(app, '/v1/gateway', {
    GET: async (c) => {
      const { version, startedAt, pid, home, backend, live, discord } = gateway.identity;
      const { ready, problems } = await gateway.health();
      return c.json({
        ...{ version, startedAt: iso(startedAt), pid, home, backend, live, ready, problems },
        ...(discord === undefined ? {} : { discord }),
      } satisfies GatewayView);
    },
  });

  addRoute(app, '/v1/schedules', {
    GET: async (c) => {
      const { runs, problems } = await gateway.plannedRuns();
      const schedules = runs.toSorted(soonestFirst).map(representRun);
      return c.json({ schedules, problems } satisfies SchedulesView);
    },
  });

  addRoute(app, '/v1/channels', {
    GET: async (c) => {
      const search = checkSearch(c.req.query('search'));
      const limit = checkLimit(c.req.query('limit'), { usual: 100, most: 500 });
      // A search finds archived ones, too.
      const archived =
        checkBoolean('archived', c.req.query('archived')) ?? (search === undefined ? false : undefined);
      const { signal } = c.req.raw;
      const channels = await gateway.reports.channels({ search, archived, limit, signal });
      return c.json({ channels: channels.map(representChannel) } satisfies ChannelsView);
    },
  });

  addRoute(app, '/v1/queue', {
    GET: async (c) => {
      const { counts, running, waiting } = await gateway.reports.queue();
      return c.json({
        events: counts.events,
        running: running.map(representTurn),
        waiting: waiting.map((event) => ({ channel: event.channel, ...representWaiting(event) })),
        pendingPermissions: counts.pendingPermissions,
      } satisfies QueueView);
    },
  });

  addRoute(app, '/v1/backends', {
    GET: async (c) => {
      const backends = await gateway.reports.backends();
      return c.json({ backends: backends.map(representBackend) } satisfies BackendsView);
    },
  });

  addRoute(app, '/v1/usage', {
    GET: async (c) => {
      const by = checkChoice('by', c.req.query('by'), ['day', 'backend', 'channel', 'model']);
      const channel = c.req.query('channel') || undefined;
      const since = checkTime('since', c.req.query('since'));
      const until = checkTime('until', c.req.query('until'));
      if (channel !== undefined) checkChannel(channel, 'channel');
      const rows = await gateway.reports.usage({ by, channel, since, until, signal: c.req.raw.signal });
      return c.json({ rows } satisfies UsageView);
    },
  });
}

function representRun({ nextRunAt, ...run }: PlannedRun): ScheduleView {
  return { ...run, ...(nextRunAt === undefined ? {} : { nextRunAt: iso(nextRunAt) }) };
}

function soonestFirst(one: PlannedRun, other: PlannedRun): number {
  const [a, b] = [one, other].map(({ nextRunAt = Number.MAX_SAFE_INTEGER }) => nextRunAt);
  return (a ?? 0) - (b ?? 0);
}

function representChannel(summary: ChannelSummary): ChannelView {
  const { channel, archived, messages, waiting, running, permissions, backend } = summary;
  const { lastMessageAt, lastText, found } = summary;
  return {
    channel,
    title: representTitle(summary),
    ...{ archived, messages, waiting, running, permissions, backend },
    ...(lastMessageAt === undefined ? {} : { lastMessageAt: iso(lastMessageAt) }),
    ...(lastText === undefined ? {} : { lastText: oneLine(lastText, lastTextCharacters) }),
    ...(summary.lastSilent ? { silent: true } : {}),
    ...(found === undefined ? {} : { found }),
  };
}

const lastTextCharacters = 160;

function representBackend({ version, notice, ...summary }: BackendSummary): BackendView {
  return {
    ...summary,
    ...(version === undefined ? {} : { version }),
    ...(notice === undefined ? {} : { notice }),
  };
}
