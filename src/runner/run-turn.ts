import type { BackendAdapterConfig, EventBackend } from '../backends/types.js';
import {
  type ChatEvent,
  errorEvent,
  isTerminal,
  type NoticeEvent,
  notice,
  type SessionEvent,
  type TerminalEvent,
  type UsageEvent,
} from '../core/chat-event.js';
import { abortEvent, failureEvent, TurnoutError } from '../core/errors.js';
import { exitCodeFor, exitCodes } from '../core/exit-codes.js';
import { openSession } from '../sessions/sessions.js';
import type { BackendSession } from '../sessions/types.js';
import { Callbacks, checkCallbacks } from './callbacks.js';
import { checkOptions } from './check-options.js';
import { refuseMode } from './check-values.js';
import { ignoredDefaults } from './ignored-defaults.js';
import { runnerBackend } from './runner-config.js';
import { sessionOptions } from './session-options.js';
import { TurnMarker } from './turn-marker.js';
import type { OnceResult, RunnerName, RunnerOptions, StreamingCallbacks, StreamingResult } from './types.js';

/** A runner's name with its settings and its backend, which remembers facts about sessions. */
export interface TurnRunner {
  readonly name: RunnerName;
  readonly config: BackendAdapterConfig;
  readonly backend: EventBackend;
}

/**
 * Runs one turn with a CLI that is started for it. Rejects with a TurnoutError if the options are wrong; whatever happens
 * from then on is told in the result.
 */
export async function runTurn(
  runner: TurnRunner,
  given: RunnerOptions,
  callbacks: StreamingCallbacks = {},
): Promise<StreamingResult> {
  refuseMode(given, 'print');
  checkCallbacks(callbacks);
  const { options, warnings } = await checkOptions(runner.name, given, 'one-shot');
  const { prompt, timeoutMs = runner.config.queryTimeoutMs, signal } = options;
  if (prompt === undefined)
    throw new TurnoutError('bad_request', 'prompt is missing: there is nothing to send.');
  const told = new Callbacks(callbacks, timeoutMs, signal);
  const marker = new TurnMarker(options.markerNonce, !runner.backend.capabilities.textDeltas);
  const facts = new TurnFacts([...warnings, ...ignoredDefaults(runner, options)]);
  try {
    for await (const event of events(runner, options, prompt)) {
      facts.see(event);
      marker.see(event);
      await told.hear(event);
    }
  } finally {
    told.close();
  }
  return { ...facts.result(), markerDetected: marker.end() };
}

async function* events(
  { name, config, backend }: TurnRunner,
  options: RunnerOptions,
  prompt: string,
): AsyncGenerator<ChatEvent> {
  const { signal } = options;
  let session: BackendSession | undefined;
  try {
    if (signal?.aborted) return yield abortEvent(signal);
    const opening = sessionOptions(name, options, config, false);
    // With variables of its own, the turn needs a backend that inherits them.
    const adapter = options.env === undefined ? backend : runnerBackend(name, opening.config);
    session = await openSession({ ...opening, adapter }, { signal });
    yield* session.send(prompt, { signal });
  } catch (error) {
    if (!(error instanceof TurnoutError)) throw error;
    yield failureEvent(error);
  } finally {
    await session?.close();
  }
}

/** Collects the facts of a turn from its events. */
class TurnFacts {
  readonly #warnings: NoticeEvent[];
  #session: SessionEvent | undefined;
  #usage: UsageEvent | undefined;
  #end: TerminalEvent = errorEvent('unknown', 'The turn ended without a result.');

  constructor(warnings: readonly string[]) {
    this.#warnings = warnings.map((message) => notice('warning', message));
  }

  see(event: ChatEvent): void {
    if (event.type === 'session') this.#session = event;
    else if (event.type === 'usage') this.#usage = event;
    else if (isTerminal(event)) this.#end = event;
    else if (isWarning(event) && this.#warnings.length < mostWarnings) this.#warnings.push(event);
  }

  result(): OnceResult {
    const end = this.#end;
    return {
      exitCode: end.type === 'complete' ? exitCodes.done : (end.exitCode ?? exitCodeFor(end.code)),
      output: end.type === 'complete' ? end.text : end.message,
      structured: [...this.#warnings, this.#session ?? [], this.#usage ?? [], end].flat(),
    };
  }
}

function isWarning(event: ChatEvent): event is NoticeEvent {
  return event.type === 'notice' && event.level === 'warning';
}

/** A CLI that warns without end does not fill the memory. */
const mostWarnings = 100;
