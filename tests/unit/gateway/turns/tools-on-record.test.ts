import { describe, expect, it } from 'vitest';
import type { RecordedTool, RecordedTools, RecordQuery } from '../../../../src/backends/record/types.js';
import { type RecordLook, toolsOnRecord } from '../../../../src/gateway/turns/tools-on-record.js';
import type { StoredTurn } from '../../../../src/store/rows.js';

const turn: StoredTurn = {
  seq: 1,
  id: 'trn_1',
  channel: 'a',
  eventIds: ['evt_1'],
  state: 'running',
  startedAt: 100,
  setup: {
    backend: 'codex',
    cwd: '/work-dir',
    live: true,
    resumed: 'old',
    prompt: { files: [], characters: 0, hash: '', seededMessages: 0 },
  },
  tools: [],
};

async function look(found: RecordedTools, more: Partial<RecordLook> = {}) {
  const queries: RecordQuery[] = [];
  const adapter = {
    recordedTools: async (query: RecordQuery) => {
      queries.push(query);
      return found;
    },
  };
  const agents = { find: (name: string) => (name === 'codex' ? (adapter as never) : undefined) };
  const begun = await toolsOnRecord(
    { turn, notAllowed: [], known: [], prompt: 'do it', now: 200, ...more },
    agents,
  );
  return { ...begun, queries };
}

const open: RecordedTool = {
  id: 'c1',
  name: 'exec',
  input: 'code',
  hasEnded: false,
  denied: false,
  isError: false,
};
const tools = (...list: readonly RecordedTool[]): RecordedTools => ({ type: 'tools', tools: list });
const pending = { tool: 'shell', input: { command: 'make' }, state: 'pending' } as const;
const announced = { id: 'exec-1', name: 'shell', input: { command: 'make' }, startedAt: 1 };
const ids = ({ begun }: { begun: readonly { id: string }[] }) => begun.map(({ id }) => id);

describe('a turn that seems untouched', () => {
  it('has begun the tools that its record names, unless they were denied', async () => {
    const found = await look(tools(open, { ...open, id: 'c2', hasEnded: true, denied: true, isError: true }));
    expect(ids(found)).toEqual(['c1']);
    expect(found.doubt).toBeUndefined();
  });

  it('is in doubt if its backend is not here, or never tells of tools', async () => {
    const setup = { ...(turn.setup as NonNullable<StoredTurn['setup']>), backend: 'toy' };
    const gone = await look(tools(open), { turn: { ...turn, setup } });
    expect(gone).toMatchObject({ begun: [], doubt: 'this gateway has no backend toy', queries: [] });
    const untold = await look({ type: 'untold', reason: 'toy does not tell' });
    expect(untold).toMatchObject({ begun: [], doubt: 'toy does not tell', neverTold: true });
  });

  it('is asked for by the session that is known best, since its beginning', async () => {
    const query = async (more: Partial<RecordLook>) => (await look(tools(), more)).queries[0];
    expect(await query({})).toEqual({
      ...{ sessionId: 'old', isNamed: false },
      ...{ cwd: '/work-dir', since: 100, prompt: 'do it', clockSetBack: false },
    });
    const printed = { sessionId: 'printed', isNamed: true };
    expect(await query({ sessionId: 'printed' })).toMatchObject(printed);
    const noted = { ...turn, sessionId: 'noted' };
    expect(await query({ sessionId: 'printed', turn: noted })).toMatchObject({
      ...printed,
      sessionId: 'noted',
    });
    expect(await query({ now: 99 })).toMatchObject({ clockSetBack: true });
  });

  it('is asked for without its words if a hook has changed them', async () => {
    const setup = turn.setup as NonNullable<StoredTurn['setup']>;
    const changed = { ...setup, prompt: { ...setup.prompt, isChanged: true } as const };
    expect((await look(tools(), { turn: { ...turn, setup: changed } })).queries[0]).toMatchObject({
      prompt: '',
    });
  });

  it('is in doubt where the record does not tell, except about a tool that waits for an answer', async () => {
    const unknown: RecordedTools = { type: 'unknown', reason: 'it is damaged' };
    expect(await look(unknown)).toMatchObject({ begun: [], doubt: 'it is damaged' });
    expect((await look(unknown, { notAllowed: [pending] })).doubt).toBeUndefined();
    const denied = { ...pending, state: 'decided' } as const;
    expect((await look(unknown, { notAllowed: [denied] })).doubt).toBe('it is damaged');
  });

  it('has not begun a tool that waits for an answer, under whatever name it is recorded', async () => {
    expect(ids(await look(tools(open), { notAllowed: [pending] }))).toEqual([]);
    expect(ids(await look(tools(open), { notAllowed: [pending], known: [announced] }))).toEqual([]);
    expect(ids(await look(tools(open), { known: [{ ...announced, denied: true }] }))).toEqual([]);
    expect(ids(await look(tools({ ...open, id: 'exec-1' }), { known: [announced] }))).toEqual([]);
  });

  it('has begun what runs beside a tool that waits', async () => {
    const both = tools(open, { ...open, id: 'c2' });
    expect(ids(await look(both, { notAllowed: [pending], known: [announced] }))).toHaveLength(1);
    const done = tools({ ...open, hasEnded: true });
    expect(ids(await look(done, { notAllowed: [pending] }))).toEqual(['c1']);
  });

  it('is in doubt if nobody has heard its agent and the backend keeps no record', async () => {
    const agents = { find: () => ({}) as never };
    const unheard = (more: Partial<RecordLook>) =>
      toolsOnRecord({ turn, notAllowed: [], known: [], prompt: 'do it', now: 200, ...more }, agents);
    expect(await unheard({ unheard: true })).toMatchObject({
      begun: [],
      neverTold: true,
      doubt: expect.stringContaining('keeps no record'),
    });
    expect(await unheard({})).toEqual({ begun: [] });
  });

  it('was never begun if its agent was not asked', async () => {
    const { setup: _, ...early } = turn;
    expect(await look(tools(open), { turn: early })).toEqual({ begun: [], queries: [] });
  });
});
