import type { TraceEntry } from '../backends/types.js';
import {
  holdsSecrets,
  isPlainValue,
  isSecretName,
  type Redact,
  redacted,
  redactVariables,
  redactWords,
} from '../config/redact.js';

/** The most characters of a raw line, and of all the events that it became, in one line of a log. */
export const longestTraced = 16_384;

/**
 * Returns an entry of a trace for a log: without secrets, and of bounded length. Where something is left out, `cut` and
 * `cutFromEvents` hold the number of characters. Lines of stderr have entries of their own: the exit does not repeat them.
 */
export function traceFields(entry: TraceEntry, redact: Redact): Record<string, unknown> {
  const { process } = entry;
  switch (entry.type) {
    case 'spawn': {
      const { type, command, args, cwd, env } = entry;
      // By their names all secrets are found at once; the texts are searched for more of them when they have been cut.
      const words = bounded(redactWords(args, asItIs), redact);
      const variables = bounded(redactVariables(env, asItIs), redact);
      const cut = words.cut + variables.cut;
      return {
        type,
        process,
        command,
        args: words.value,
        cwd,
        env: variables.value,
        ...(cut > 0 && { cut }),
      };
    }
    case 'stderr':
      return { type: entry.type, process, ...boundedLine(entry.line, redact) };
    case 'line': {
      const { type, direction, line, events } = entry;
      return { type, process, direction, ...boundedLine(line, redact), ...boundedEvents(events, redact) };
    }
    case 'exit': {
      const { type, code, signal, events = [] } = entry;
      return { type, process, code, signal, ...boundedEvents(events, redact) };
    }
  }
}

/** The message of an entry's line in a log. */
export const traceMessages: Readonly<Record<TraceEntry['type'], string>> = {
  spawn: 'agent starts',
  line: 'agent line',
  stderr: 'agent stderr',
  exit: 'agent ended',
};

/** A text of an agent or a hook for a log: without secrets, and cut. */
export function boundedLine(line: string, redact: Redact) {
  const { value, cut } = bounded(line, redact);
  return { line: value, ...(cut > 0 && { cut }) };
}

function boundedEvents(events: readonly unknown[], redact: Redact) {
  const { value, cut } = bounded(events, redact);
  return { events: value, ...(cut > 0 && { cutFromEvents: cut }) };
}

/** Copies a value without its secrets, up to the limit. What lies behind it is left out, and counted. */
function bounded(given: unknown, redact: Redact): { readonly value: unknown; readonly cut: number } {
  let left = longestTraced;
  let cut = 0;
  const copyText = (text: string): string => {
    // A secret is found only as a whole, also where the cut would go through it.
    const shown = redact(text.slice(0, left + longestSecret)).slice(0, left);
    cut += Math.max(0, text.length - left);
    left -= shown.length;
    return shown;
  };
  const copy = (value: unknown, name: string, isSecret: boolean): unknown => {
    if (typeof value === 'string') return isSecret && !isPlainValue(value) ? redacted : copyText(value);
    if (typeof value !== 'object' || value === null) return value;
    const isList = Array.isArray(value);
    const kept: [string, unknown][] = [];
    for (const [field, inner] of Object.entries(value)) {
      left -= isList ? 1 : field.length;
      if (left <= 0) cut += lengthOf(inner);
      else
        kept.push([
          field,
          copy(inner, isList ? name : field, isSecret || (!isList && isSecretField(name, field))),
        ]);
    }
    return isList ? kept.map(([, inner]) => inner) : Object.fromEntries(kept);
  };
  const value = copy(given, '', false);
  return { value, cut };
}

const longestSecret = 1024;

const asItIs: Redact = (text) => text;

function isSecretField(parent: string, field: string): boolean {
  return isSecretName(field) || holdsSecrets(parent);
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + lengthOf(inner), 0);
}
