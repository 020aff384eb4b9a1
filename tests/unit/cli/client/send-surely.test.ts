import { describe, expect, it } from 'vitest';
import { GatewayRefusal, unreachable } from '../../../../src/cli/client/gateway-request.js';
import { sendSurely } from '../../../../src/cli/client/send-surely.js';
import { TurnoutError } from '../../../../src/core/errors.js';

const receipt = { eventId: 'evt_1', state: 'queued' } as const;
const refused = unreachable('http://x', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
const cutOff = unreachable('http://x', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));

/** Sends to a gateway that fails in these ways, and then takes the message. */
async function send(failures: readonly TurnoutError[], { wasThere = false, patienceMs = 1000 } = {}) {
  const ids: string[] = [];
  const said: string[] = [];
  const left = [...failures];
  const client = {
    send: async (_: string, { messageId }: { messageId: string }) => {
      ids.push(messageId);
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return receipt;
    },
  };
  const options = { signal: new AbortController().signal, wasThere, patienceMs, pauseMs: 1 };
  const message = { text: 'hello', messageId: 'id-1' };
  const result = await sendSurely(client, 'main', message, {
    ...options,
    say: (line) => said.push(line),
  }).catch((error: TurnoutError) => error);
  return { result, ids, said };
}

describe('a message (18.5)', () => {
  it('that was cut off is sent again with the same id, and that is said once', async () => {
    const { result, ids, said } = await send([cutOff, refused, new GatewayRefusal(503, 'full', 1)]);
    expect(result).toBe(receipt);
    expect(ids).toEqual(['id-1', 'id-1', 'id-1', 'id-1']);
    expect(said).toHaveLength(1);
  });

  it('is not sent again to a gateway that was never there, or does not want it', async () => {
    for (const failure of [
      refused,
      new GatewayRefusal(401, 'token', undefined),
      new GatewayRefusal(400, 'blank', undefined),
    ]) {
      const { result, ids } = await send([failure]);
      expect([result, ids]).toEqual([failure, ['id-1']]);
    }
  });

  it('is sent again to a gateway that was there a moment ago', async () => {
    expect((await send([refused, refused], { wasThere: true })).result).toBe(receipt);
  });

  it('that was refused each time was not taken: that is said with the reason, also where it is given up between two tries (27.13)', async () => {
    const end = new AbortController();
    const refusal = new GatewayRefusal(503, 'The message was NOT accepted: do this.', 60_000);
    const client = { send: () => Promise.reject(refusal) };
    const result = await sendSurely(
      client,
      'main',
      { text: 'hello', messageId: 'id-1' },
      { signal: end.signal, wasThere: true, say: () => setImmediate(() => end.abort()) },
    ).catch((error: TurnoutError) => error);
    expect(result).toMatchObject({
      code: 'interrupted',
      explanation: 'The message was NOT accepted: do this.',
    });
  });

  it('whose fate is not known at the end can be sent again by hand', async () => {
    const { result } = await send([cutOff, refused], { patienceMs: -1 });
    expect(result).toBeInstanceOf(TurnoutError);
    expect((result as TurnoutError).hint).toContain('--id id-1');
  });
});
