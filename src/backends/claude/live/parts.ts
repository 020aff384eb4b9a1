import { notice, type Usage } from '../../../core/chat-event.js';
import type { LiveEvent, TurnEnding } from '../../live/types.js';

/** A turn of ours that Claude makes in several of its own, because something was said into it at its end. */
export interface Parts {
  readonly answers: readonly string[];
  readonly usage?: Usage;
  /** How it would end if this were all. */
  readonly ending: TurnEnding['ending'];
}

/** The turn as it stands with one part more, and the part's events, with the usage of all. */
export function addPart(
  before: Parts | undefined,
  events: readonly LiveEvent[],
  ending: TurnEnding['ending'],
): readonly [parts: Parts, events: readonly LiveEvent[]] {
  const known = before?.usage;
  const told = events.map((event) =>
    event.type === 'usage' && known ? { ...event, ...sum(known, event) } : event,
  );
  const used = told.findLast((event) => event.type === 'usage');
  const usage = used === undefined ? known : withoutType(used);
  const answers = [...(before?.answers ?? []), ...said(ending)];
  const whole = before && ending.type === 'answered' ? { ...ending, text: answers.join('\n\n') } : ending;
  return [{ answers, ending: whole, ...(usage === undefined ? {} : { usage }) }, told];
}

/** What stands between a part and the next one. */
export function betweenParts(ending: TurnEnding['ending']): readonly LiveEvent[] {
  if (ending.type === 'failed')
    return [notice('warning', `The turn goes on after a failure: ${ending.message}`)];
  return ending.text ? [{ type: 'text', text: '\n\n' }] : [];
}

function said(ending: TurnEnding['ending']): readonly string[] {
  return ending.type === 'answered' && ending.text ? [ending.text] : [];
}

function withoutType({ type: _, ...usage }: LiveEvent & { type: 'usage' }): Usage {
  return usage;
}

function sum(a: Usage, b: Usage): Usage {
  const costKnown = a.costUsd !== undefined && b.costUsd !== undefined;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0),
    ...(costKnown ? { costUsd: (a.costUsd ?? 0) + (b.costUsd ?? 0) } : {}),
  };
}
