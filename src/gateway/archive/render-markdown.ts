import type { ChatEvent } from '../../core/chat-event.js';
import { dayOf, duration, timeOfDay, usageInWords } from '../../core/format.js';
import { code, oneLine, quote } from '../../core/text.js';
import type { StoredEvent, StoredMessage, StoredTurn } from '../../store/rows.js';
import { renderSteps, textAfterLastTool } from './render-steps.js';

/** An entry of a channel's day: a turn with all that belongs to it, or a message by itself. */
export type DayEntry = TurnEntry | MessageEntry;

export interface TurnEntry {
  readonly type: 'turn';
  readonly turn: StoredTurn;
  /** The messages that the turn answers. A message that stands above already (an earlier attempt) is only named. */
  readonly prompts: readonly { readonly event: StoredEvent; readonly shownAbove: boolean }[];
  readonly events: readonly ChatEvent[];
  /** The messages of the turn's end: the answer, or notices. */
  readonly messages: readonly StoredMessage[];
}

export interface MessageEntry {
  readonly type: 'message';
  readonly message: StoredMessage;
  readonly event?: StoredEvent | undefined;
}

/**
 * Renders Markdown in which only our own lines begin with anything but `>`. Texts of persons and agents are quoted, or are
 * code within a line: no text can pass for a turn that never was.
 */
export function renderEntry(entry: DayEntry): string {
  const blocks = entry.type === 'turn' ? turnBlocks(entry) : messageBlocks(entry);
  return `${blocks.join('\n\n')}\n\n`;
}

export function renderDayHeader(channel: string, day: string): string {
  return `# ${code(channel)} · ${day}\n\nTimes are UTC.\n\n`;
}

function turnBlocks({ turn, prompts, events, messages }: TurnEntry): readonly string[] {
  const blocks = [turnHeading(turn), turnFacts(turn)];
  for (const { event, shownAbove } of prompts) {
    blocks.push(speaker(event.author ?? 'user', event.source, askedAt(event, turn)));
    blocks.push(shownAbove ? `The message ${code(event.id)}, as above.` : quote(event.text));
  }
  blocks.push(...renderSteps(turn, events));
  for (const message of messages) blocks.push(speaker(nameOf(message)), quote(message.text));
  const unsentText = messages.some(({ role }) => role === 'assistant') ? '' : textAfterLastTool(events);
  if (unsentText.trim() !== '') blocks.push(speaker(turn.setup?.backend ?? 'assistant'), quote(unsentText));
  if (turn.error !== undefined) {
    blocks.push(`**Error** ${code(turn.error.code)}`, quote(turn.error.message));
  }
  if (turn.usage !== undefined) blocks.push(`_${usageInWords(turn.usage)}_`);
  return blocks;
}

function turnHeading(turn: StoredTurn): string {
  const { setup, endedAt, startedAt } = turn;
  const model = turn.model ?? setup?.model;
  const parts = [
    timeOfDay(startedAt),
    setup === undefined ? 'turn' : code(setup.backend, 40),
    ...(model === undefined ? [] : [code(model, 80)]),
    turn.state === 'postponed' ? 'to be tried again' : turn.state,
    ...(endedAt === undefined ? [] : [duration(endedAt - startedAt)]),
  ];
  return `## ${parts.join(' · ')}`;
}

function turnFacts(turn: StoredTurn): string {
  const { setup, sessionId, stopReason } = turn;
  return [
    `turn ${code(turn.id)}`,
    `${turn.eventIds.length === 1 ? 'event' : 'events'} ${turn.eventIds.map((id) => code(id)).join(', ')}`,
    ...(sessionId === undefined ? [] : [`session ${code(sessionId)}`]),
    ...(setup === undefined ? [] : [setup.resumed === undefined ? 'begun anew' : 'resumed']),
    ...(stopReason === undefined || stopReason === 'end_turn' ? [] : [`stopped by ${code(stopReason)}`]),
  ].join(' · ');
}

function messageBlocks({ message, event }: MessageEntry): readonly string[] {
  const state = event === undefined || message.role === 'assistant' ? [] : [event.state];
  const author = message.role === 'user' ? (event?.author ?? 'user') : nameOf(message);
  const heading = ['##', timeOfDay(message.createdAt), '·', 'message', ...state.map((word) => `· ${word}`)];
  const facts = event === undefined ? [] : [`event ${code(event.id)}`];
  const failed =
    event?.error === undefined ? [] : [`**Error** ${code(event.error.code)}`, quote(event.error.message)];
  const error = message.role === 'user' ? failed : [];
  return [heading.join(' '), ...facts, speaker(author, event?.source), quote(message.text), ...error];
}

function speaker(name: string, source?: string, at?: string): string {
  const more = [...(source === undefined ? [] : [code(source, 40)]), ...(at === undefined ? [] : [at])];
  return `**${code(name, 80)}**${more.length === 0 ? '' : ` (${more.join(', ')})`}:`;
}

function nameOf({ role, backend }: StoredMessage): string {
  if (role === 'system') return 'turnout';
  return role === 'user' ? 'user' : (backend ?? oneLine(role));
}

function askedAt(event: StoredEvent, turn: StoredTurn): string {
  const time = timeOfDay(event.createdAt);
  const day = dayOf(event.createdAt);
  return day === dayOf(turn.endedAt ?? turn.startedAt) ? time : `${day} ${time}`;
}
