import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interruptedError, TurnoutError } from '../../../../src/core/errors.js';
import { ChangedSince, NotAsShown } from '../../../../src/gateway/channels/changed-since.js';
import { type AnswerName, answers } from '../../../../src/gateway/channels/http/openapi/schemas.js';
import type { ChangedFile, Reports, StatisticsQuery } from '../../../../src/gateway/channels/lookups.js';
import { type Running, startChannel, token } from './fake-gateway.js';

let http: Running;
beforeEach(async () => {
  http = await startChannel();
});
afterEach(() => http.channel.stop());

const get = (path: string) => http.call(path);
/** An answer that is as the OpenAPI document says. */
const getAs = async (name: AnswerName, path: string) => {
  const answer = await get(path);
  expect(answers[name].safeParse(answer.json).error?.issues).toBeUndefined();
  return answer;
};
const post = (path: string, body: unknown) => http.call(path, { method: 'POST', body });

describe('pages of messages from the end (16.2)', () => {
  const ids = async (query: string) => {
    const { json } = await get(`/v1/channels/room/messages?${query}`);
    return { ...json, messages: json.messages.map(({ id }: { id: string }) => Number(id)) };
  };

  it.each(['before=', 'before=latest'])(
    '?%s is the last page, and each names the one in front',
    async (query) => {
      for (let i = 1; i <= 70; i += 1) http.gateway.say({ channel: 'room', role: 'user', text: `${i}` });
      const last = await ids(`${query}&limit=30`);
      expect(last).toEqual({ messages: numbers(41, 70), previous: '41' });
      const middle = await ids(`before=${last.previous}&limit=30`);
      expect(middle).toEqual({ messages: numbers(11, 40), previous: '11' });
      expect(await ids(`before=${middle.previous}&limit=10`)).toEqual({ messages: numbers(1, 10) });
      expect(await ids('before=1')).toEqual({ messages: [] });
    },
  );

  it('ends a page early when its texts are long', async () => {
    for (let i = 0; i < 5; i += 1)
      http.gateway.say({ channel: 'room', role: 'user', text: 'x'.repeat(3_000_000) });
    expect(await ids('before=latest')).toEqual({ messages: [4, 5], previous: '4' });
  });

  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
});

describe('parameters (16.2)', () => {
  it.each([
    ['/v1/channels/room/messages?before=x', 'before: the id of a message is expected, not "x".'],
    ['/v1/channels/room/messages?before=5&after=4', 'before: give it or after, not both.'],
    ['/v1/channels?limit=0', 'limit: a whole number from 1 up is expected, not "0".'],
    [`/v1/channels?search=${'x'.repeat(201)}`, 'search: at most 200 characters are expected.'],
    ['/v1/channels/a%20b', '"a b" is no channel id'],
    ['/v1/usage?by=week', 'by: backend, channel, model or day is expected, not "week".'],
    ['/v1/usage?channel=a%20b', 'channel: "a b" is no channel id'],
    ['/v1/usage?since=yesterday', 'since: a time such as 2026-01-02T03:04:05Z, or a day, is expected'],
    ['/v1/usage?until=2026-13-01', 'until: a time'],
    ['/v1/usage?until=1767225600000', 'until: a time'],
    ['/v1/statistics?by=day', 'by: channel or backend is expected, not "day".'],
    ['/v1/statistics?since=2026-01-02&until=2026-01-01', 'since: a time before until is expected.'],
    ['/v1/statistics?stepSeconds=0', 'stepSeconds: a whole number from 1 up is expected, not "0".'],
    ['/v1/statistics?stepSeconds=60', 'stepSeconds: at most 1000 steps are given at once; from 605'],
    ['/v1/chains/runs?limit=many', 'limit: a whole number'],
    ['/v1/channels/room/changes?scope=day', 'scope: conversation or turn is expected, not "day".'],
  ])('GET %s is refused by name', async (path, words) => {
    const answer = await get(path);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'bad_request' } } });
    expect(answer.json.error.message).toContain(words);
  });

  it.each<[string, unknown, string]>([
    ['session', { backend: 'claude' }, '"sessionId": the id of a session is expected'],
    ['session', [], 'a JSON object is expected'],
    ['session', { backend: 'claude', sessionId: 's', more: 1 }, 'unknown field "more"'],
    ['changes/revert', { scope: 'day', path: 'a' }, '"scope": "turn" or "conversation" is expected'],
    ['changes/revert', { scope: 'turn', path: '' }, '"path": the path of a file is expected'],
    ['changes/revert', { scope: 'turn', path: 'a', force: 1 }, '"force": true or false is expected'],
  ])('POST %s %j is refused by name', async (path, body, words) => {
    const answer = await post(`/v1/channels/room/${path}`, body);
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toContain(words);
  });

  it('steps are chosen by the time that is asked for', async () => {
    const asked: StatisticsQuery[] = [];
    const statistics: Reports['statistics'] = async (query) => {
      asked.push(query);
      return { medianMs: 5, series: [] };
    };
    http.gateway.ports = { reports: { statistics } as Partial<Reports> as Reports };
    const { json } = await get('/v1/statistics?since=2026-01-01&until=2026-01-08T00:00:00.5Z&by=channel');
    expect(json).toEqual({
      ...{ since: '2026-01-01T00:00:00.000Z', until: '2026-01-08T00:00:00.500Z', stepSeconds: 3600 },
      medianMs: 5,
      series: [],
    });
    expect(asked).toEqual([
      {
        ...{ by: 'channel', stepMs: 3_600_000, maxSeries: 20 },
        ...{ since: Date.UTC(2026, 0, 1), until: Date.UTC(2026, 0, 8) + 500 },
      },
    ]);
    expect((await get('/v1/statistics')).json.stepSeconds).toBe(3600);
    expect((await get('/v1/statistics?since=1970-01-01&until=2026-01-01')).json.stepSeconds).toBeGreaterThan(
      1_000_000,
    );
  });
});

describe('events (16.2)', () => {
  it('a message that waits is dropped, and one that does not is told', async () => {
    await post('/v1/channels/room/messages', { text: 'x' });
    const path = '/v1/events/event-1/cancel';
    expect((await post(path, {})).json).toEqual({ cancelled: true, state: 'cancelled' });
    expect((await post(path, {})).json).toEqual({ cancelled: false, state: 'cancelled' });
    expect((await post('/v1/events/none/cancel', {})).status).toBe(404);
    http.gateway.change('event-1', { removed: true, endedAt: 1 });
    expect((await post(path, {})).status).toBe(410);
    expect((await get('/v1/events/event-1/turns')).status).toBe(410);
    expect((await get('/v1/events/none/turns')).status).toBe(404);
  });
});

describe('questions', () => {
  it('come with what would be done, in the list and in the status of their channel (16.4)', async () => {
    const files = [{ path: 'a.txt', diff: '--- a/a.txt\n' }];
    const preview: Reports['preview'] = async () => ({ type: 'edit', files });
    http.gateway.ports = { reports: { preview } as Partial<Reports> as Reports };
    http.gateway.permissions.push({
      ...{ id: 'p1', channel: 'room', eventId: 'e', turnId: 't', tool: 'Write', input: {} },
      ...{ options: ['allow', 'deny'], state: 'pending', createdAt: 1 },
    });
    const expected = [{ id: 'p1', preview: { type: 'edit', files } }];
    expect((await get('/v1/permissions')).json.permissions).toMatchObject(expected);
    expect((await get('/v1/channels/room')).json).toMatchObject({ title: 'room', permissions: expected });
  });
});

describe("the CLIs' own sessions (16.4)", () => {
  it('are listed, and gone on with', async () => {
    const resumed: unknown[] = [];
    http.gateway.ports = {
      vendorSessions: {
        list: async (channel) => ({
          cwd: `/projects/${channel}`,
          sessions: [{ backend: 'codex', sessionId: 's1', title: 'Fix it', updatedAt: 0 }],
          problems: ['Gemini: could not be read'],
        }),
        resume: async (...given) => {
          if (given[2] === 'unknown') throw new TurnoutError('bad_request', 'There is no session unknown.');
          resumed.push(given);
        },
      },
    };
    expect((await getAs('Sessions', '/v1/channels/room/sessions')).json).toEqual({
      cwd: '/projects/room',
      sessions: [
        { backend: 'codex', sessionId: 's1', title: 'Fix it', updatedAt: '1970-01-01T00:00:00.000Z' },
      ],
      problems: ['Gemini: could not be read'],
    });
    const go = (sessionId: string) => post('/v1/channels/room/session', { backend: 'codex', sessionId });
    expect(await go('s1')).toMatchObject({ status: 200, json: { resumed: true } });
    expect(resumed).toEqual([['room', 'codex', 's1']]);
    expect(await go('unknown')).toMatchObject({ status: 400, json: { error: { code: 'bad_request' } } });
  });
});

describe('changes of the work tree (16.4)', () => {
  it('are listed, and put back', async () => {
    const reverted: unknown[] = [];
    const file: ChangedFile = {
      ...{ path: 'a.txt', status: 'modified', binary: false, additions: 1, deletions: 0 },
      ...{ diff: undefined, changedSince: true, shown: 'id' },
    };
    http.gateway.ports = {
      changes: {
        list: async (_, scope) => ({ reason: scope === 'turn' ? undefined : 'no git', files: [file] }),
        revert: async (channel, request) => {
          if (request.shown === 'old') throw new NotAsShown(request.path);
          if (!request.force) throw new ChangedSince(request.path);
          reverted.push([channel, request]);
        },
      },
    };
    const { diff: _, ...shown } = file;
    expect((await getAs('Changes', '/v1/channels/room/changes')).json).toEqual({
      scope: 'turn',
      files: [shown],
    });
    expect((await getAs('Changes', '/v1/channels/room/changes?scope=conversation')).json).toMatchObject({
      reason: 'no git',
    });
    const body = { scope: 'turn', path: 'a.txt' };
    const refused = await post('/v1/channels/room/changes/revert', body);
    expect(refused).toMatchObject({ status: 409, json: { error: { code: 'conflict' } } });
    expect(refused.json.error.message).toContain('"force": true');
    const old = await post('/v1/channels/room/changes/revert', { ...body, force: true, shown: 'old' });
    expect(old).toMatchObject({ status: 409, json: { error: { code: 'changed_since' } } });
    const answer = await post('/v1/channels/room/changes/revert', { ...body, force: true, shown: 'id' });
    expect(answer).toMatchObject({ status: 200, json: { reverted: true } });
    expect(reverted).toEqual([['room', { ...body, force: true, shown: 'id' }]]);
  });

  it('are given up when the client is gone, and refused when too many wait', async () => {
    let asked: AbortSignal | undefined;
    http.gateway.ports = {
      changes: {
        list: async (_channel, _scope, signal) => {
          asked = signal;
          await new Promise((resolve) => signal?.addEventListener('abort', resolve));
          throw interruptedError();
        },
        revert: async () => {
          throw new TurnoutError('overloaded', 'Too many wait.');
        },
      },
    };
    const client = new AbortController();
    const left = fetch(`${http.url}/v1/channels/room/changes`, {
      headers: { authorization: `Bearer ${token}` },
      signal: client.signal,
    });
    left.catch(() => undefined);
    await expect.poll(() => asked, { interval: 2 }).toBeDefined();
    client.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => asked?.aborted, { interval: 2 }).toBe(true);
    expect(http.lines.filter(({ level }) => level === 'error')).toEqual([]);
    const refused = await post('/v1/channels/room/changes/revert', { scope: 'turn', path: 'a.txt' });
    expect(refused).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } });
  });
});

describe('runs of chains (16.2)', () => {
  it('are listed and shown; one that is damaged is no fault of the request', async () => {
    const run = { runId: 'r1', chain: 'c', status: 'completed', startedAt: '2026-01-02T03:04:05.000Z' };
    const limits: number[] = [];
    http.gateway.ports = {
      chainRuns: {
        list: async (limit) => {
          limits.push(limit);
          return [{ ...run, cwd: '/work' }];
        },
        read: async (id) => {
          if (id === 'damaged') throw new TurnoutError('bad_request', 'It is damaged in line 3.');
          return id === 'r1' ? { ...run, endedAt: undefined, steps: [] } : undefined;
        },
      },
    };
    expect((await getAs('ChainRuns', '/v1/chains/runs')).json).toEqual({ runs: [{ ...run, cwd: '/work' }] });
    await get('/v1/chains/runs?limit=100000');
    expect(limits).toEqual([50, 200]);
    expect((await getAs('ChainRun', '/v1/chains/runs/r1')).json).toEqual({ ...run, steps: [] });
    expect((await get('/v1/chains/runs/none')).status).toBe(404);
    expect(await get('/v1/chains/runs/damaged')).toMatchObject({
      status: 409,
      json: { error: { message: 'It is damaged in line 3.' } },
    });
  });
});
