import type { ErrorCode, PermissionDecision } from '../../src/core/chat-event.js';

/** The one list that what an SDK tells and what Turnout tells are both brought to, and then compared item by item. */
export type Fact =
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'output'; readonly id: string; readonly output: string; readonly isError: boolean }
  | { readonly type: 'question'; readonly tool: string; readonly input: unknown }
  | { readonly type: 'decision'; readonly decision: PermissionDecision }
  | { readonly type: 'retry' }
  | { readonly type: 'notice'; readonly message: string }
  | { readonly type: 'usage'; readonly input: number; readonly cached: number; readonly output: number }
  | { readonly type: 'answer'; readonly text: string; readonly stopReason: string }
  | Failure
  /** The facts that hold afterwards: on disk, in the model's next request. */
  | { readonly type: 'check'; readonly what: string; readonly value: unknown };

export interface Failure {
  readonly type: 'failure';
  /** `undefined`: this side tells words only. */
  readonly code: ErrorCode | undefined;
  readonly message: string;
  /** As the turn's last event, as an exception, both, or already when the session is opened. */
  readonly how: 'told' | 'thrown' | 'told, then thrown' | 'at opening';
}

/** Differences from run to run that mean nothing: the place of the home, the port of the model. */
export interface Surroundings {
  readonly home: string;
  readonly port: number;
}

/** Takes out what differs from run to run. Ids become numbers in the order of their appearance, those of calls per turn. */
export function canonical(facts: readonly Fact[], { home, port }: Surroundings): readonly Fact[] {
  const sessions = new Map<string, string>();
  const calls = new Map<string, string>();
  const plain = JSON.parse(
    JSON.stringify(facts).replaceAll(home, 'HOME').replaceAll(`127.0.0.1:${port}`, 'MODEL'),
  ) as readonly Fact[];
  return plain.map((fact) => {
    switch (fact.type) {
      case 'session':
        return {
          ...fact,
          id: uuid.test(fact.id) ? numbered(sessions, fact.id, 'session') : malformed(fact.id),
        };
      case 'tool':
      case 'output':
        return { ...fact, id: numbered(calls, fact.id, 'call') };
      case 'answer':
      case 'failure':
        calls.clear();
        return fact;
      default:
        return fact;
    }
  });
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function malformed(id: string): string {
  return `no UUID: ${JSON.stringify(id)}`;
}

function numbered(seen: Map<string, string>, id: string, kind: string): string {
  const known = seen.get(id) ?? `${kind} ${seen.size + 1}`;
  seen.set(id, known);
  return known;
}
