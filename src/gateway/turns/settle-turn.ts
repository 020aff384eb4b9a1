import type { Agents } from '../agents/agents.js';
import { hasOnlyRead } from './tools-begun.js';
import type { Begun } from './tools-on-record.js';
import { type Asked, untoldTools } from './untold-tools.js';
import { type AttemptEnd, answered, begunUntold, type Settlement, unanswered } from './verdicts.js';
import type { WorkerParts } from './worker-parts.js';

/** The settlement of an attempt that has ended, after the hooks and the log were told. */
export async function settleTurn(
  end: AttemptEnd,
  asked: Asked | undefined,
  { hooks, log, runtime }: Pick<WorkerParts, 'hooks' | 'log' | 'runtime'>,
): Promise<Settlement> {
  const { event, report } = end;
  const { ending } = report;
  const { channel, id: eventId } = event;
  if (ending.type === 'complete') {
    const responseText = report.result.responseText ?? ending.text;
    const verdict = await hooks.fire('turn_end', { channel, eventId, state: 'answered', responseText });
    const text = verdict.action === 'continue' ? verdict.payload.responseText : undefined;
    return answered(end, text ?? responseText, ending.stopReason);
  }
  const reading = readingOf(end, runtime.agents);
  let settlement = unanswered({ ...end, hasOnlyRead: reading !== undefined }, ending);
  const { code } = ending;
  if (settlement.type === 'postpone') {
    const found = await untoldTools(end.attempt, asked, end.at, runtime.agents, reading);
    if (found !== undefined && !mayRepeatUntold(found, end, runtime.agents))
      settlement = begunUntold(end, settlement.retry.error, found);
  }
  if (settlement.type === 'postpone') {
    log.warn('a turn is tried again', { channel, event: eventId, attempt: event.attempts, code });
    return settlement;
  }
  const { state, error } = settlement.outcome;
  log.warn('a turn ended without an answer', { channel, event: eventId, state, code });
  await hooks.fire('turn_end', { channel, eventId, state });
  if (state === 'failed') {
    await hooks.fire('error', { channel, eventId, code, message: error?.message ?? ending.message });
  }
  return settlement;
}

/**
 * R10: a backend that never shows its tools is retried like any other, unless it declares effects. A turn that was stopped is not:
 * its run may still go on.
 */
function mayRepeatUntold(
  { neverTold }: Begun,
  { stop, report }: AttemptEnd,
  agents: Pick<Agents, 'find'>,
): boolean {
  return neverTold === true && stop === undefined && !agents.find(report.settings.backend)?.hasEffects;
}

/** The tools that don't stand against a repeat: of a turn that waits for a permission while the gateway is stopped. */
function readingOf(
  { attempt, report, stop }: AttemptEnd,
  agents: Pick<Agents, 'find'>,
): ReadonlySet<string> | undefined {
  if (stop?.type !== 'drain' || !attempt.notAllowed.some(({ state }) => state === 'pending'))
    return undefined;
  const reading = agents.find(report.settings.backend)?.readingTools;
  return hasOnlyRead(attempt.tools, attempt.begun, reading) ? reading : undefined;
}
