import {
  type ChatEvent,
  type ErrorEvent,
  errorEvent,
  interruptedEvent,
  notice,
  type Retry,
  timeoutMessage,
} from '../../core/chat-event.js';
import { failureEvent, isTimeout, TurnoutError } from '../../core/errors.js';
import type { TurnLedger } from '../../core/turn-ledger.js';
import { setDeadline } from '../../core/wait.js';
import { removeScratchFiles } from '../launch/scratch-files.js';
import type {
  LiveContext,
  LiveProcess,
  LiveProtocol,
  LiveSession,
  LiveSessionOptions,
  TurnEnding,
} from '../live/types.js';
import type { Advice } from '../output/advice.js';
import { classifyFailure } from '../output/classify-failure.js';
import { failedTurn } from '../output/failed-turn.js';
import { awaitedRetry, hopelessRetry, timedOut } from '../output/retries.js';

export interface LiveRun {
  readonly protocol: LiveProtocol;
  readonly options: LiveSessionOptions;
  readonly prompt: string;
  readonly context: Omit<LiveContext, 'signal'>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly ledger: TurnLedger;
  /** The vendor's name in the message of a failure. */
  readonly label: string;
  readonly advice: Advice | undefined;
}

/**
 * Runs one turn in a long-lived process of its own, which ends with it: for a version of a CLI whose one-shot mode does not
 * work. What would be asked about is denied: nobody is there in a one-shot turn.
 */
export async function* runLive(run: LiveRun): AsyncGenerator<readonly ChatEvent[]> {
  const { ledger, options } = run;
  const stop = new Stop(run);
  let process: LiveProcess | undefined;
  try {
    process = await run.protocol.start(options, { ...run.context, signal: stop.signal });
    stop.onStop(() => void process?.end());
    const session = await process.open(options);
    for await (const event of session.turn(run.prompt)) {
      if (event.type === 'ending') return yield conclude(run, event.ending, stop.reason);
      if (stop.reason !== undefined) continue;
      if (event.type === 'permission_request') yield ledger.accept(await deny(session, event.id, event.tool));
      else if (event.type !== 'permission_resolved') yield ledger.accept(event);
      stop.retry = awaitedRetry(stop.retry, [event]);
      if (stop.retry !== undefined) stop.because(hopelessRetry(stop.retry, undefined, run.advice));
    }
    yield ledger.fail(
      stop.reason ?? errorEvent('crashed', `${run.label} CLI ended before its turn was complete`),
    );
  } catch (error) {
    if (stop.reason !== undefined) yield ledger.fail(stop.reason);
    else if (error instanceof TurnoutError) yield ledger.fail(failureEvent(error));
    else throw error;
  } finally {
    stop.clear();
    await process?.end();
    await removeScratchFiles(run.context.scratch);
  }
}

function conclude(
  { ledger, label, advice }: LiveRun,
  ending: TurnEnding['ending'],
  stopped: ErrorEvent | undefined,
): readonly ChatEvent[] {
  if (stopped !== undefined) return ledger.fail(stopped);
  if (ending.type === 'failed') {
    const { code = classifyFailure(ending.message), message: words, retryAfterMs, retryAt } = ending;
    const message = `${label} CLI error: ${words}`;
    return ledger.fail(failedTurn({ code, words, message, retryAfterMs, retryAt }, advice));
  }
  const empty = ending.text === undefined ? ledger.answerIsEmpty : ending.text === '';
  if (empty) return ledger.fail(errorEvent('unknown', `${label} CLI gave an empty answer`));
  return ledger.complete(ending.stopReason, ending.text);
}

async function deny(session: LiveSession, id: string, tool: string) {
  await session.answerPermission(id, { decision: 'deny', message: 'Nobody is there to be asked.' });
  return notice('warning', `Permission denied: ${tool}`);
}

/** Ends the turn from outside: its time is up, the caller aborts it, or the CLI retries in vain. */
class Stop {
  reason: ErrorEvent | undefined;
  /** The retry that the CLI waits for. */
  retry: Retry | undefined;
  readonly #controller = new AbortController();
  readonly #given: AbortSignal | undefined;
  readonly #deadline: { cancel(): void } | undefined;
  #act: (() => void) | undefined;
  readonly #onTimeout = () => this.because(timedOut(timeoutMessage, this.retry));
  readonly #onAbort = () =>
    this.#given && isTimeout(this.#given) ? this.#onTimeout() : this.because(interruptedEvent);

  constructor({ timeoutMs, signal }: LiveRun) {
    this.#given = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signal?.aborted) this.#onAbort();
    if (timeoutMs > 0) this.#deadline = setDeadline(timeoutMs, this.#onTimeout);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  onStop(act: () => void): void {
    this.#act = act;
    if (this.reason !== undefined) act();
  }

  because(reason: ErrorEvent | undefined): void {
    if (reason === undefined || this.reason !== undefined) return;
    this.reason = reason;
    this.#controller.abort();
    this.#act?.();
  }

  clear(): void {
    this.#deadline?.cancel();
    this.#given?.removeEventListener('abort', this.#onAbort);
  }
}
