import { JsonLines } from '../../src/backends/one-shot/json-lines.js';
import type { ChatEvent } from '../../src/core/chat-event.js';
import type { Recording } from '../record.js';
import { diffLines } from './diff-lines.js';

/** What one version of a CLI printed in one scenario, and the events that Turnout made of it. */
export interface Decoded {
  readonly recording: Recording;
  readonly events: readonly ChatEvent[];
}

/** The changes between two versions of a CLI. */
export interface Drift {
  /** The scenarios whose events differ, with a diff of them. Users see these changes. */
  readonly events: readonly { readonly scenario: string; readonly diff: readonly string[] }[];
  /** Line types and fields that the CLI prints since, and that change no event: Turnout does not read them. */
  readonly added: readonly string[];
  /** Line types and fields that the CLI prints no more. */
  readonly removed: readonly string[];
}

/** True if all is as before, or more is printed than before. What is missing may be read where no scenario shows it. */
export function onlyAdds({ events, removed }: Drift): boolean {
  return events.length === 0 && removed.length === 0;
}

/** Compares the scenarios that both versions have. */
export function compareVersionsOf(before: readonly Decoded[], after: readonly Decoded[]): Drift {
  const pairs = before.flatMap((old) => {
    const now = after.find(({ recording }) => recording.scenario === old.recording.scenario);
    return now === undefined ? [] : [{ old, now }];
  });
  const events = pairs.flatMap(({ old, now }) => {
    const diff = diffLines(eventLines(old), eventLines(now));
    return diff.length === 0 ? [] : [{ scenario: old.recording.scenario, diff }];
  });
  const shapes = {
    old: shapesOf(pairs.map(({ old }) => old.recording)),
    now: shapesOf(pairs.map(({ now }) => now.recording)),
  };
  return { events, added: missingIn(shapes.old, shapes.now), removed: missingIn(shapes.now, shapes.old) };
}

/** The events as lines to compare, without what differs from run to run, and the exit code of the CLI. */
function eventLines({ recording, events }: Decoded): readonly string[] {
  const ids = new Map<string, string>();
  const name = (kind: string, id: string) => {
    const known =
      ids.get(id) ?? `${kind} ${[...ids.values()].filter((one) => one.startsWith(kind)).length + 1}`;
    ids.set(id, known);
    return known;
  };
  const lines = events.map((event) => {
    const { raw, ...shown } = event as ChatEvent & { readonly raw?: string };
    return JSON.stringify(shown, (key, value) => {
      if (key === 'sessionId') return name('session', String(value));
      if (key === 'id' || key === 'toolId') return name('tool', String(value));
      // A release brings other prices; the token counts are the scripted model's own.
      if (key === 'costUsd') return value === 0 ? 0 : 'some';
      return typeof value === 'string' ? withoutChance(value, recording.version) : value;
    });
  });
  return [...lines, `exit ${recording.exit.code ?? recording.exit.signal}`];
}

function withoutChance(text: string, version: string): string {
  return text
    .replaceAll(version, '(version)')
    .replaceAll(/\/work-dir[^\s"',)]*/g, '(path)')
    .replaceAll(/\b\d+(?:\.\d+)? ?(ms|s|seconds)\b/g, '(time) $1')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '(id)')
    .replaceAll(/\b[a-z]+_[0-9a-zA-Z]{20,}/g, '(id)');
}

/** The fields of each type of line, and the scenarios in which they were printed. */
type Shapes = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

function shapesOf(recordings: readonly Recording[]): Shapes {
  const shapes = new Map<string, Map<string, Set<string>>>();
  for (const { scenario, stdout } of recordings) {
    const lines = new JsonLines();
    for (const { value } of [...stdout.flatMap((line) => lines.push(line)), ...lines.end()]) {
      if (value === undefined) continue;
      const fields = entry(shapes, typeOf(value), () => new Map<string, Set<string>>());
      for (const field of fieldsOf(value)) entry(fields, field, () => new Set<string>()).add(scenario);
    }
  }
  return shapes;
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** The type of a line with its subtype, and with the type of what it carries: `item.completed/agent_message`. */
function typeOf(line: object): string {
  const words = ['type', 'subtype'].map((key) => (line as Record<string, unknown>)[key]);
  const carried = Object.values(line).map((value) =>
    isObject(value) && !Array.isArray(value) ? value['type'] : undefined,
  );
  return (
    [...words, ...carried].filter((word) => typeof word === 'string').join('/') || 'a line without a type'
  );
}

/** The paths of all fields: `message.content[text].text`. Keys that are names of models count as one. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const type = isObject(item) && typeof item['type'] === 'string' ? item['type'] : '';
      return fieldsOf(item, `${path}[${type}]`);
    });
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = /\d/.test(key) && /[-./]/.test(key) ? '(name)' : key;
    const here = path === '' ? name : `${path}.${name}`;
    return [here, ...fieldsOf(inner, here)];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The types and the fields of `all` that `known` has not. The fields of a new type are told with it. */
function missingIn(known: Shapes, all: Shapes): readonly string[] {
  return [...all].flatMap(([type, fields]) => {
    const before = known.get(type);
    if (before === undefined) {
      const scenarios = new Set([...fields.values()].flatMap((seen) => [...seen]));
      return [`line ${type}: ${[...fields.keys()].join(', ')} (in ${[...scenarios].join(', ')})`];
    }
    return [...fields].flatMap(([field, seen]) =>
      before.has(field) || isInside(field, fields, before)
        ? []
        : [`field ${type}: ${field} (in ${[...seen].join(', ')})`],
    );
  });
}

/** True if the field is part of another one that is missing too: that one tells enough. */
function isInside(
  field: string,
  fields: ReadonlyMap<string, unknown>,
  before: ReadonlyMap<string, unknown>,
): boolean {
  return [...fields.keys()].some(
    (outer) => !before.has(outer) && (field.startsWith(`${outer}.`) || field.startsWith(`${outer}[`)),
  );
}
