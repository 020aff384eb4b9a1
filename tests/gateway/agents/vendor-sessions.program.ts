import { describe, expect, it } from 'vitest';
import { setUpGateway } from '../stage.js';

describe('the CLIs’ own sessions (16.4)', () => {
  it('the demo agent’s are listed too, those of former conversations of this gateway', async () => {
    const stage = setUpGateway();
    const client = await stage.start();
    await client.ask('a', 'hello there');
    expect((await client.gateway.vendorSessions.list('b')).sessions).toEqual([]);
    await client.ask('a', '/new');
    const { sessions } = await client.gateway.vendorSessions.list('b');
    expect(sessions).toMatchObject([{ backend: 'claude', title: 'hello there' }]);
    await client.gateway.vendorSessions.resume('b', 'claude', sessions[0]?.sessionId ?? '');
    expect(await client.ask('b', 'and now')).toMatchObject({ state: 'answered' });
    expect((await client.gateway.vendorSessions.list('a')).sessions).toEqual([]);
  });
});
