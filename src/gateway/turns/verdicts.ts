import type { ErrorEvent } from '../../core/chat-event.js';
import { isShortage } from '../../core/errors.js';
import { maxRetries } from '../../core/max-retries.js';
import { noReply } from '../../core/seeded-prompt.js';
import { StoreError } from '../../store/errors.js';
import type { Failure, StoredEvent, ToolRecord } from '../../store/rows.js';
import type {
  CancelRequest,
  ChannelChange,
  ImmediateOutcome,
  Postponement,
  TurnOutcome,
} from '../../store/store.js';
import type { RuntimeReport } from '../agent-runtime.js';
import { lostSessionNotice } from '../agents/failed-resume.js';
import type { Attempt } from './attempt.js';
import { longestShortageMs } from './shortage.js';
import { describeTools } from './tools-begun.js';
import { type Begun, nothingBegun } from './tools-on-record.js';

/*
 * Every verdict on what becomes of a message.
 *
 * "Tools begun" are those that may have done something: a tool that waits for a permission, or was denied it, is not one
 * of them. Before a turn is tried again whose agent was asked, the agent's own record is read too. If it can't be known
 * whether a tool had begun, the turn is settled as if one had.
 * After a restart, tools that only read (the backend's `readingTools`) are no such tools in a turn that waits for a
 * permission: it runs again, with its question.
 * A "free" attempt does not count among the retries. /retry runs the last prompt again that failed, or was cancelled after a
 * turn of it had begun; where the last column names it, the reader is told of it.
 *
 * | condition                                           | state     | the reader is told             | retried                 |
 * | --------------------------------------------------- | --------- | ------------------------------ | ----------------------- |
 * | **On arrival**                                      |           |                                |                         |
 * | a `message` hook blocks it                          | refused   | the hook's reason              | no                      |
 * | MAX_QUEUE_DEPTH messages wait (the store's verdict) | refused   | the queue is full              | no                      |
 * | it is a command that does not wait (/stop, /status) | answered  | the command's reply            | no                      |
 * | **While it waits**                                  |           |                                |                         |
 * | somebody, or a newer message, stops its retry       | cancelled | by whom, and the last failure  | /retry                  |
 * | a newer message overtakes it (`interrupt` mode)     | cancelled | that                           | no                      |
 * | /queue clear                                        | cancelled | nothing: the command replies   | no                      |
 * | a person drops it                                   | cancelled | nothing                        | no                      |
 * | **At the end of its turn (the first that holds)**   |           |                                |                         |
 * | it is another command                               | answered  | the command's reply            | no                      |
 * | the agent has answered                              | answered  | the answer                     | no                      |
 * | a `turn_start` hook blocks it                       | refused   | the hook's reason              | no                      |
 * | a `tool_start` hook stopped it                      | cancelled | the hook's reason, tools begun | no                      |
 * | it asked for too many permissions                   | failed    | that, tools begun              | /retry                  |
 * | somebody, or a newer message, stopped it            | cancelled | by whom, tools begun           | no                      |
 * | the gateway drains, no tool begun                   | queued    | nothing                        | at the next start, free |
 * | the gateway drains, tools begun                     | failed    | that, tools begun              | /retry                  |
 * | the machine has nothing left to start the CLI with  | queued    | nothing                        | growing delay, free     |
 * | a limit that ends in more than 15 minutes           | failed    | the error, when it ends        | /retry                  |
 * | an error that may pass, no tool begun, retries left | queued    | nothing                        | after a growing delay ¹ |
 * | any other error                                     | failed    | the error, tools begun         | /retry                  |
 * | (whichever holds: its session could not be resumed) |           | that, once                     |                         |
 * | **When its gateway has died**                       |           |                                |                         |
 * | it was being stopped, or is by now                  | cancelled | by whom, tools begun           | no                      |
 * | tools begun                                         | failed    | that, tools begun              | /retry                  |
 * | it can't be known whether a tool had begun          | failed    | that, why                      | /retry                  |
 * | no tool begun, a permission is asked for            | queued    | nothing                        | at once, free           |
 * | no tool begun, fewer than `maxCrashes` crashes      | queued    | nothing                        | at once, free           |
 * | no tool begun, `maxCrashes` crashes or more         | failed    | that, how often                | /retry                  |
 * | what it did can't be read                           | failed    | that, tools known to the store | /retry                  |
 * | **When the gateway itself fails**                   |           |                                |                         |
 * | tools begun                                         | failed    | why, tools begun               | /retry                  |
 * | no tool begun, the store or the machine may recover | queued    | nothing                        | after 5 s, free         |
 * | no tool begun, anything else                        | failed    | why                            | /retry                  |
 * | the store refuses its result again and again        | failed    | why                            | /retry                  |
 * | its lease is another gateway's by now               | none      | nothing                        | as the other decides    |
 *
 * ¹ And not before the time that the API has named (`retryAfterMs`).
 */

/** The end of an attempt: for good, or to be made again. */
export type Settlement =
  | { readonly type: 'finish'; readonly outcome: TurnOutcome }
  | { readonly type: 'postpone'; readonly retry: Postponement };

/** A person, a command or a newer message puts an end to a turn, or to the wait for a retry. */
export interface Stopped {
  readonly type: 'stopped';
  readonly by: string;
}

/** The turn, or the message, that a stop of a channel would end. */
export interface Stoppable {
  /** The turn that runs. */
  readonly turnId?: string | undefined;
  /** The message of the running turn, or the one that waits for its retry. */
  readonly eventSeq: number;
  /** True if the turn has come to its end and only its result is to be written: a stop does not change that any more. */
  readonly isOver: boolean;
  /** Ends the message that waits for its retry. */
  readonly cancels: readonly CancelRequest[];
}

/** The reason why a running turn is ended from outside. */
export type TurnStop = Stopped | { readonly type: 'drain' } | { readonly type: 'lost_lease' };

export interface AttemptEnd {
  readonly event: StoredEvent;
  readonly attempt: Attempt;
  readonly report: RuntimeReport;
  readonly stop: TurnStop | undefined;
  /** True if no person waits for the answer. */
  readonly mayStaySilent: boolean;
  readonly at: number;
  readonly retryDelayMs: number;
  /** The time to wait when the machine had nothing left to start the CLI with. */
  readonly shortageDelayMs: number;
  /** True if it waits for a permission, and the tools that it has begun only read. */
  readonly hasOnlyRead?: boolean | undefined;
}

export { maxRetries };

/**
 * A message that was worked on in so many crashes of the gateway may be their cause. A machine that is restarted often, or
 * an impatient operator, stays far below.
 */
export const maxCrashes = 20;

/** A store that fails, or a machine that has run out of something, gets this long before the message is tried again. */
const storeRetryMs = 5000;

/** A limit that ends later than this is told at once: nobody waits for hours without a word, and a retry before would be in vain. */
const longestRetryAfterMs = 15 * 60_000;

/** The longest time that any verdict makes a message wait for its next attempt. */
export function longestWait(retryDelayMs: number): number {
  return Math.max(retryDelayMs * 2 ** (maxRetries - 1), storeRetryMs, longestShortageMs, longestRetryAfterMs);
}

const notRepeated = 'It is not repeated by itself: send /retry to run it again.';

// On arrival, and commands

export function refusedByHook(reason: string, at: number): ImmediateOutcome {
  const error: Failure = { code: 'bad_request', message: `Blocked by a hook: ${reason}` };
  return { at, state: 'refused', error, ...notice(error.message) };
}

export function answeredByCommand(
  reply: { readonly text: string; readonly change?: ChannelChange | undefined },
  at: number,
): ImmediateOutcome {
  const { text, change } = reply;
  return { at, state: 'answered', responseText: text, ...notice(text), channelChange: change };
}

// While it waits

/** `together` are the messages of the attempt that failed: they were to be tried again as one, and end as one. */
export function retryStopped(
  head: Pick<StoredEvent, 'channel' | 'error'>,
  together: readonly string[],
  { by }: Stopped,
  at: number,
): CancelRequest {
  const message = `Stopped by ${by} while it waited for its retry`;
  const failed = head.error === undefined ? '' : ` (${head.error.code}): ${head.error.message}`;
  return {
    channel: head.channel,
    at,
    error: { code: 'interrupted', message },
    only: together,
    notice: `${message}. The last attempt had failed${failed}\nSend /retry to run it again.`,
  };
}

/** Ends what waits in front of a newer message. Commands stay: they are no work of an agent's. */
export function overtaken(channel: string, at: number): CancelRequest {
  const message = 'Stopped by a newer message before it was begun';
  const error: Failure = { code: 'interrupted', message };
  return { channel, at, error, promptsOnly: true, notice: `${message}.` };
}

export function queueCleared(channel: string, at: number): CancelRequest {
  return { channel, at, error: { code: 'interrupted', message: 'Dropped by /queue clear' } };
}

/** A person drops one message that waits. */
export function droppedWaiting({ id, channel }: StoredEvent, at: number): CancelRequest {
  const error: Failure = { code: 'interrupted', message: 'Dropped before it was begun' };
  return { channel, at, error, only: [id] };
}

// At the end of its turn

export function answered(end: AttemptEnd, text: string, stopReason: string): Settlement {
  const backend = end.report.settings.backend;
  const silent = end.mayStaySilent && text.trim() === noReply;
  return finish(end, {
    state: 'answered',
    responseText: text,
    stopReason,
    messages: [{ role: 'assistant', text, backend, ...(silent ? { silent } : {}) }],
  });
}

export function unanswered(end: AttemptEnd, ending: ErrorEvent): Settlement {
  const { report, attempt, stop, event } = end;
  const error: Failure = { code: ending.code, message: report.result.error ?? ending.message };
  if (report.blocked !== undefined) return finish(end, { state: 'refused', error, ...notice(error.message) });

  const { begun } = attempt;
  if (attempt.blocked !== undefined) return cancelled(end, `Stopped by a hook (${attempt.blocked})`);
  if (attempt.overasked !== undefined) return overasked(end, attempt.overasked);
  if (stop?.type === 'stopped') return cancelled(end, `Stopped by ${stop.by}`);
  if (stop?.type === 'drain') return drained(end);
  if (ending.shortage && begun.length === 0)
    return postpone(end, error, { delay: end.shortageDelayMs, free: true });
  const retryAfterMs = ending.retryAfterMs || 0;
  const endsTooLate = retryAfterMs > longestRetryAfterMs;
  if (mayPass(ending) && !endsTooLate && begun.length === 0 && event.attempts <= maxRetries) {
    const delay = Math.max(end.retryDelayMs * 2 ** (event.attempts - 1), retryAfterMs);
    return postpone(end, error, { delay, free: false });
  }
  const agent = report.settings.backend;
  const when = endsTooLate ? timeAfter(end.at + retryAfterMs) : '';
  const text = `${agent} could not answer (${error.code}): ${error.message}${toolList(begun)}\nSend /retry to try again${when}.`;
  return finish(end, { state: 'failed', error, ...notice(text) });
}

/** A backend of a user's own may tell a time that no date has. */
function timeAfter(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : ` after ${date.toISOString()}`;
}

/** R10: a CLI that can't be started counts too: it was there at the start, and updates take it away for a moment. */
function mayPass(ending: ErrorEvent): boolean {
  return ending.retryable || ending.code === 'not_installed';
}

/** Settles a turn that would be tried again, but for the tools that the agent's own record knows of, or may know of. */
export function begunUntold(end: AttemptEnd, error: Failure, found: Begun): Settlement {
  const { stop, report } = end;
  const { backend } = report.settings;
  const what =
    stop?.type === 'drain' ? error.message : `${backend} could not answer (${error.code}): ${error.message}`;
  const text = `${what}\n${whyNotRepeated(found)}\nSend /retry to run it again.`;
  return finish(end, { state: 'failed', error, ...notice(text) });
}

function overasked(end: AttemptEnd, why: string): Settlement {
  const message = `Ended by the gateway: ${why}.`;
  const text = `${message}${toolList(end.attempt.begun)}\n${notRepeated}`;
  return finish(end, { state: 'failed', error: { code: 'interrupted', message }, ...notice(text) });
}

function cancelled(end: AttemptEnd, message: string): Settlement {
  return finish(end, {
    state: 'cancelled',
    error: { code: 'interrupted', message },
    ...notice(`${message}.${toolList(end.attempt.begun)}`),
  });
}

function drained(end: AttemptEnd): Settlement {
  const { begun } = end.attempt;
  const message = 'The gateway was stopped before this was done.';
  const error: Failure = { code: 'interrupted', message };
  if (begun.length === 0 || end.hasOnlyRead) return postpone(end, error, { delay: 0, free: true });
  return finish(end, { state: 'failed', error, ...notice(`${message}${toolList(begun)}\n${notRepeated}`) });
}

// When its gateway has died

export interface AbandonedFacts {
  readonly begun: readonly ToolRecord[];
  /** The reason why it can't be known whether a tool had begun. */
  readonly doubt?: string | undefined;
  /** True if a permission for one of the turn's messages is pending. */
  readonly isAsking: boolean;
  /** The crashes before this one. */
  readonly crashes: number;
  readonly at: number;
}

/** Settles a turn that a /stop or a newer message was to end: its gateway had died before, or did so meanwhile. */
export function stoppedBeforeCrash(by: string, begun: readonly ToolRecord[], at: number): Settlement {
  const message = `Stopped by ${by}`;
  const error: Failure = { code: 'interrupted', message };
  const text = `${message}.${toolList(begun)}`;
  return { type: 'finish', outcome: { at, state: 'cancelled', error, ...notice(text), events: [] } };
}

export function abandoned({ begun, doubt, isAsking, crashes, at }: AbandonedFacts): Settlement {
  const message = 'The gateway ended while this was being worked on.';
  const error: Failure = { code: 'crashed', message };
  // A turn that waits for somebody's answer does nothing meanwhile, and may wait through any number of restarts.
  const untouched = begun.length === 0 && doubt === undefined;
  if (untouched && (isAsking || crashes < maxCrashes)) {
    const retry = { at, notBefore: at, error, free: true, crashed: !isAsking, events: [] };
    return { type: 'postpone', retry };
  }
  const why = untouched ? `That happened ${crashes + 1} times.` : whyNotRepeated({ begun, doubt });
  return failed(error, `${message} ${why}\nSend /retry to run it again.`, at);
}

function whyNotRepeated({ begun, doubt }: Begun): string {
  return begun.length > 0
    ? `It is not repeated by itself, because tools had begun:\n${describeTools(begun)}`
    : `It is not repeated by itself, because tools may have begun: ${doubt}.`;
}

/** Settles a turn of which nobody can tell any more what it has done: it may have done anything. */
export function unrecoverable(journaled: readonly ToolRecord[], cause: unknown, at: number): Settlement {
  const message =
    'The gateway ended while this was being worked on, and what it did by then could not be read';
  const error: Failure = { code: 'crashed', message: `${message}: ${messageOf(cause)}` };
  return failed(error, `${error.message}${toolList(journaled)}\n${notRepeated}`, at);
}

// When the gateway itself fails

/** Settles a turn that a defect of the gateway, or its store, has broken off after tools had begun. */
export function failedAfterTools(
  attempt: Attempt,
  cause: unknown,
  at: number,
  { begun, doubt }: Begun = nothingBegun,
): Settlement {
  const { usage, events } = attempt.recorder;
  const message = `Something went wrong inside the gateway: ${messageOf(cause)}`;
  const maybe = doubt === undefined ? '' : `\nTools may have begun: ${doubt}.`;
  const text = `${message}${toolList([...attempt.begun, ...begun])}${maybe}\n${notRepeated}`;
  return {
    type: 'finish',
    outcome: { at, state: 'failed', error: { code: 'unknown', message }, ...notice(text), usage, events },
  };
}

/** Settles a turn that a defect of the gateway, or its store, has broken off before any tool had begun. */
export function failedBeforeTools(cause: unknown, at: number): Settlement {
  const mayRecover = cause instanceof StoreError ? cause.retryable : isShortage(cause);
  if (!mayRecover) return failedInside(cause, at);
  const error: Failure = { code: 'unknown', message: messageOf(cause) };
  return { type: 'postpone', retry: { at, notBefore: at + storeRetryMs, error, free: true, events: [] } };
}

/** Settles a turn for good over a defect of the gateway, or over a result that the store does not take. */
export function failedInside(cause: unknown, at: number): Settlement {
  const message = messageOf(cause);
  const text = `Something went wrong inside the gateway: ${message}. Send /retry to try again.`;
  return failed({ code: 'unknown', message }, text, at);
}

function failed(error: Failure, text: string, at: number): Settlement {
  return { type: 'finish', outcome: { at, state: 'failed', error, ...notice(text), events: [] } };
}

function finish(
  end: AttemptEnd,
  outcome: Pick<TurnOutcome, 'state' | 'responseText' | 'error' | 'messages' | 'stopReason'>,
): Settlement {
  const { report, attempt, at } = end;
  const { session } = attempt.pending;
  const lost = lostSession(report);
  return {
    type: 'finish',
    outcome: {
      ...outcome,
      messages: [...lost.messages, ...outcome.messages],
      at,
      session,
      forgetSession: session === undefined ? lost.forgetSession : undefined,
      usage: attempt.recorder.usage,
      events: attempt.recorder.events,
    },
  };
}

function postpone(
  { at, attempt, report }: AttemptEnd,
  error: Failure,
  { delay, free }: { delay: number; free: boolean },
): Settlement {
  const { usage, events } = attempt.recorder;
  return {
    type: 'postpone',
    retry: { at, notBefore: at + delay, error, free, ...lostSession(report), usage, events },
  };
}

/** A session that is lost is forgotten and told of in one transaction: so it is told once. */
function lostSession({
  session,
  settings: { backend },
}: RuntimeReport): Pick<TurnOutcome, 'messages' | 'forgetSession'> {
  if (session.type !== 'lost') return { messages: [] };
  return { ...notice(lostSessionNotice(backend, session.reason)), forgetSession: backend };
}

function notice(text: string): Pick<TurnOutcome, 'messages'> {
  return { messages: [{ role: 'system', text }] };
}

function toolList(begun: readonly ToolRecord[]): string {
  return begun.length === 0 ? '' : `\nTools that had begun:\n${describeTools(begun)}`;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
