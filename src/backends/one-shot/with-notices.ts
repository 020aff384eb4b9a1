import type { ChatEvent, StepEvent } from '../../core/chat-event.js';

/**
 * Puts notices in front of a run's first events, and those about the CLI's version as soon as that is known: `aboutVersion`
 * returns undefined until then.
 */
export async function* withNotices(
  batches: AsyncIterable<readonly ChatEvent[]>,
  notices: readonly StepEvent[],
  aboutVersion: () => readonly StepEvent[] | undefined,
): AsyncGenerator<readonly ChatEvent[]> {
  let untold = notices;
  let versionKnown = false;
  for await (const events of batches) {
    const unvetted = versionKnown ? undefined : aboutVersion();
    if (unvetted !== undefined) {
      versionKnown = true;
      untold = [...untold, ...unvetted];
    }
    yield untold.length === 0 ? events : [...untold, ...events];
    untold = [];
  }
}
