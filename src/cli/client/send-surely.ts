import { setTimeout as sleep } from 'node:timers/promises';
import { TurnoutError } from '../../core/errors.js';
import type { ReceiptView } from '../../gateway/channels/http/wire.js';
import type { GatewayClient, OutgoingMessage } from './gateway-client.js';
import { GatewayRefusal } from './gateway-request.js';

export interface SendOptions {
  readonly signal: AbortSignal;
  /** True if the gateway was there a moment ago: then it is waited for. */
  readonly wasThere: boolean;
  /** Told once, when it has to be tried again. */
  readonly say: (line: string) => void;
  readonly patienceMs?: number | undefined;
  readonly pauseMs?: number | undefined;
}

/** Sends a message until the gateway says that it has it. It is taken once, however often it is sent. */
export async function sendSurely(
  client: Pick<GatewayClient, 'send'>,
  channel: string,
  message: OutgoingMessage,
  { signal, wasThere, say, patienceMs = 60_000, pauseMs = 500 }: SendOptions,
): Promise<ReceiptView> {
  const deadline = performance.now() + patienceMs;
  let mayHaveArrived = false;
  for (let tries = 0; ; tries += 1) {
    try {
      return await client.send(channel, message, signal);
    } catch (error) {
      if (!(error instanceof TurnoutError)) throw error;
      mayHaveArrived ||= wasCutOff(error);
      const passes = error instanceof GatewayRefusal ? error.mayPass : error.code === 'network';
      const isHopeless = error.code === 'network' && !wasThere && !mayHaveArrived;
      if (!passes || isHopeless || signal.aborted || performance.now() > deadline)
        throw mayHaveArrived ? uncertain(error, message.messageId) : error;
      if (tries === 0) say(`${error.message} Trying again …`);
      const told = error instanceof GatewayRefusal ? error.retryAfterMs : undefined;
      await sleep(told ?? Math.min(5000, pauseMs * 2 ** Math.min(tries, 8)), undefined, { signal }).catch(
        () => undefined,
      );
      // Ended between two tries: what the last one was told stays true.
      if (signal.aborted) throw givenUp(mayHaveArrived ? uncertain(error, message.messageId) : error);
    }
  }
}

/** The connection was there, and broke: the gateway may have read the message. */
function wasCutOff(error: TurnoutError): boolean {
  if (error instanceof GatewayRefusal) return error.status === 500;
  if (error.code === 'interrupted') return true;
  if (error.code !== 'network') return false;
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code)) return false;
    if (cause instanceof AggregateError) return false;
  }
  return error.cause !== undefined;
}

function givenUp(error: TurnoutError): TurnoutError {
  return new TurnoutError('interrupted', error.message, { hint: error.hint, cause: error });
}

function uncertain(error: TurnoutError, messageId: string): TurnoutError {
  return new TurnoutError(error.code, error.message, {
    hint: `Whether it has the message is not known. Send it again with --id ${messageId}: it is not taken twice.`,
    cause: error,
  });
}
