import type { BackendAdapterConfig, EventBackend } from '../backends/types.js';
import { type ChatEvent, interruptedEvent } from '../core/chat-event.js';
import { failureEvent, TurnoutError } from '../core/errors.js';
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
import type {
  RunnerName,
  RunnerOptions,
  StreamingCallbacks,
  StreamingResult,
  StructuredResult,
} from './types.js';

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
  const result = new ResultOf(runner.name, [...warnings, ...ignoredDefaults(runner, options)]);
  try {
    for await (const event of events(runner, options, prompt)) {
      result.see(event);
      marker.see(event);
      await told.hear(event);
    }
  } finally {
    told.close();
  }
  return { ...result.value(), markerDetected: marker.end() };
}

async function* events(
  { name, config, backend }: TurnRunner,
  options: RunnerOptions,
  prompt: string,
): AsyncGenerator<ChatEvent> {
  const { signal } = options;
  let session: BackendSession | undefined;
  try {
    if (signal?.aborted) return yield interruptedEvent;
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
class ResultOf {
  readonly #name: RunnerName;
  readonly #warnings: string[];
  #facts: Omit<StructuredResult, 'backend' | 'warnings'> = {};
  #ending: { readonly exitCode: number; readonly output: string } = {
    exitCode: exitCodes.failed,
    output: 'The turn ended without a result.',
  };

  constructor(name: RunnerName, warnings: readonly string[]) {
    this.#name = name;
    this.#warnings = [...warnings];
  }

  see(event: ChatEvent): void {
    switch (event.type) {
      case 'session':
        this.#facts = { ...this.#facts, sessionId: event.sessionId };
        break;
      case 'usage': {
        const { type: _, ...usage } = event;
        this.#facts = { ...this.#facts, usage };
        break;
      }
      case 'notice':
        if (event.level === 'warning' && this.#warnings.length < mostWarnings)
          this.#warnings.push(event.message);
        break;
      case 'complete':
        this.#facts = { ...this.#facts, stopReason: event.stopReason };
        this.#ending = { exitCode: exitCodes.done, output: event.text };
        break;
      case 'error': {
        const { code, message, retryAfterMs } = event;
        const when = retryAfterMs === undefined ? {} : { retryAfterMs };
        this.#facts = { ...this.#facts, error: { code, message, ...when } };
        this.#ending = { exitCode: exitCodeFor(code), output: message };
        break;
      }
    }
  }

  value() {
    const structured: StructuredResult = { backend: this.#name, ...this.#facts, warnings: this.#warnings };
    return { ...this.#ending, structured };
  }
}

/** A CLI that warns without end does not fill the memory. */
const mostWarnings = 100;
