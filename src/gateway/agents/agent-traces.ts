import type { AnyBackendName } from '../../backends/registry.js';
import type { TraceEntry } from '../../backends/types.js';
import type { Log } from '../../config/log.js';
import { type Redact, redactorFor } from '../../config/redact.js';
import { traceFields, traceMessages } from '../../sessions/trace-fields.js';
import type { Environment } from '../config.js';

type Trace = (entry: TraceEntry) => void;

/** Writes what agents are started with, read and print to the debug log (S9), without secrets. */
export class AgentTraces {
  readonly #log: Log;
  readonly #redact: Redact;
  /** Live sessions share a process only if they have the same trace. */
  readonly #shared = new Map<AnyBackendName, Trace>();

  constructor(log: Log, env: Environment, secrets: readonly string[]) {
    this.#log = log;
    this.#redact = redactorFor(env, secrets);
  }

  /** The trace of one turn of a channel; without a channel, that of all live sessions of the backend. */
  of(backend: AnyBackendName, channel?: string): Trace {
    if (channel !== undefined) return this.#write(this.#log.with({ backend, channel }));
    const known = this.#shared.get(backend) ?? this.#write(this.#log.with({ backend }));
    this.#shared.set(backend, known);
    return known;
  }

  #write(log: Log): Trace {
    return (entry) => log.debug(traceMessages[entry.type], traceFields(entry, this.#redact));
  }
}
