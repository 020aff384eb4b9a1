import { notice, type Usage } from '../../../core/chat-event.js';
import type { LiveEvent, TurnEnding } from '../../live/types.js';

/** A turn of ours for which Claude takes several of its own, because it was steered at its end. */
export interface Parts {
  readonly answers: readonly string[];
  readonly usage?: Usage;
  /** The ending of the turn, should no further part come. */
  readonly ending: TurnEnding['ending'];
}

/** The turn with one part more, and the part's events, with the usage of all parts. */
export function addPart(
  before: Parts | undefined,
  events: readonly LiveEvent[],
  ending: TurnEnding['ending'],
): readonly [parts: Parts, events: readonly LiveEvent[]] {
  const usageBefore = before?.usage;
  const partEvents = events.map((event) =>
    event.type === 'usage' && usageBefore
      ? { ...contextIn(usageBefore), ...event, ...sum(usageBefore, event) }
      : event,
  );
  const usageEvent = partEvents.findLast((event) => event.type === 'usage');
  const usage = usageEvent === undefined ? usageBefore : withoutType(usageEvent);
  const answers = [...(before?.answers ?? []), ...answerOf(ending)];
  const whole = before && ending.type === 'answered' ? { ...ending, text: answers.join('\n\n') } : ending;
  return [{ answers, ending: whole, ...(usage === undefined ? {} : { usage }) }, partEvents];
}

/** The events that separate a part from the next one. */
export function betweenParts(ending: TurnEnding['ending']): readonly LiveEvent[] {
  if (ending.type === 'failed')
    return [notice('warning', `The turn goes on after a failure: ${ending.message}`)];
  return ending.text ? [{ type: 'text', text: '\n\n' }] : [];
}

function answerOf(ending: TurnEnding['ending']): readonly string[] {
  return ending.type === 'answered' && ending.text ? [ending.text] : [];
}

function withoutType({ type: _, ...usage }: LiveEvent & { type: 'usage' }): Usage {
  return usage;
}

/** A part without a model call leaves the context as it is. */
function contextIn({ contextTokens, contextWindow }: Usage): Pick<Usage, 'contextTokens' | 'contextWindow'> {
  if (contextTokens === undefined) return {};
  return contextWindow === undefined ? { contextTokens } : { contextTokens, contextWindow };
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
