import type { ChatEvent } from '../../core/chat-event.js';
import { count, dateAndTime, duration, usageInWords } from '../../core/format.js';
import { printJson } from '../../core/json.js';
import { oneLine, shownId, visibleLines } from '../../core/text.js';
import type { StoredEvent, StoredTurn } from '../../gateway/archive/open-archive.js';
import { shortInput } from '../../gateway/archive/render-steps.js';

export interface Attempt {
  readonly turn: StoredTurn;
  readonly events: readonly ChatEvent[];
}

interface Length {
  readonly full: boolean;
}

/** Describes an event and its attempts for a person. */
export function describeEvent(event: StoredEvent, attempts: readonly Attempt[], length: Length): string {
  const { createdAt, endedAt, notBefore, error } = event;
  const from = event.author === undefined ? '' : ` from ${oneLine(event.author)}`;
  const answer = event.responseText;
  const blocks = [
    section(`Event ${event.id}: ${event.state}`, [
      ['channel', [`${oneLine(event.channel)} (${oneLine(event.source)}${from}, ${event.kind})`]],
      ['came', [dateAndTime(createdAt)]],
      ...row(
        'ended',
        endedAt === undefined ? undefined : `${dateAndTime(endedAt)}, ${duration(endedAt - createdAt)} later`,
      ),
      ...row(
        'again',
        notBefore === undefined || endedAt !== undefined ? undefined : `not before ${dateAndTime(notBefore)}`,
      ),
      ['text', text(event.text, length)],
      ...(answer === undefined ? [] : [['answer', text(answer, length)] as const]),
      ...(error === undefined ? [] : [['error', text(`${error.code}: ${error.message}`, length)] as const]),
    ]),
    ...attempts.map((attempt, index) => describeAttempt(attempt, index, attempts.length, length)),
  ];
  if (attempts.length === 0) blocks.push('No turn was begun for it.\n');
  return blocks.join('\n');
}

type Row = readonly [label: string, lines: readonly string[]];

function describeAttempt({ turn, events }: Attempt, index: number, of: number, length: Length): string {
  const { setup, startedAt, endedAt, usage, error, stopReason } = turn;
  const state = turn.state === 'postponed' ? 'to be tried again' : turn.state;
  const others = turn.eventIds.length > 1 ? [`together ${turn.eventIds.join(', ')}`] : [];
  const used = turn.model ?? setup?.model;
  const model = used === undefined ? '' : `, model ${oneLine(used)}`;
  return section(`Attempt ${index + 1} of ${of}: turn ${turn.id}, ${state}`, [
    [
      'when',
      [`${dateAndTime(startedAt)}${endedAt === undefined ? '' : `, ${duration(endedAt - startedAt)}`}`],
    ],
    ...row('events', others[0]),
    ...row('backend', setup && `${oneLine(setup.backend)}${model}, ${setup.live ? 'live' : 'one-shot'}`),
    ...row('cwd', setup && oneLine(setup.cwd, 500)),
    ...row('session', sessionInWords(turn)),
    ...(setup === undefined ? [] : [['prompt', promptLines(setup.prompt, length)] as const]),
    ...rows('tools', toolLines(turn, length)),
    ...rows('asked', permissionLines(events)),
    ...rows('notices', noticeLines(events, length)),
    ...row('usage', usage && usageInWords(usage)),
    ...row('stopped', stopReason && oneLine(stopReason)),
    ...(error === undefined ? [] : [['error', text(`${error.code}: ${error.message}`, length)] as const]),
  ]);
}

function sessionInWords({ setup, sessionId }: StoredTurn): string | undefined {
  if (setup === undefined) return sessionId && shownId(sessionId);
  const how = setup.resumed === undefined ? 'begun anew' : `resumed ${shownId(setup.resumed)}`;
  return sessionId === undefined ? how : `${shownId(sessionId)}, ${how}`;
}

function promptLines(
  prompt: NonNullable<StoredTurn['setup']>['prompt'],
  { full }: Length,
): readonly string[] {
  const hash = (value: string) => `sha256 ${oneLine(full ? value : value.slice(0, 12))}`;
  const seeded =
    prompt.seededMessages === 0 ? '' : `; ${count(prompt.seededMessages)} messages of the archive in front`;
  const files = `${prompt.files.length} ${prompt.files.length === 1 ? 'file' : 'files'}`;
  const facts = `${files}, ${count(prompt.characters)} characters, ${hash(prompt.hash)}`;
  const isEmpty = prompt.files.length === 0 && prompt.characters === 0;
  return [
    `${isEmpty ? 'none' : facts}${seeded}`,
    ...prompt.files.map(
      ({ path, bytes, truncated, sha256 }) =>
        `  ${oneLine(path)}  ${count(bytes)} bytes${truncated ? ', truncated' : ''}  ${hash(sha256)}`,
    ),
  ];
}

function toolLines({ tools }: StoredTurn, { full }: Length): readonly string[] {
  return tools.map(({ name, input, isError, denied, startedAt, endedAt }) => {
    const given = full ? oneLine(printJson(input), 100_000) : shortInput(input);
    const call = `${oneLine(name)} ${given}`.trimEnd();
    const took = endedAt === undefined ? '' : ` · ${duration(endedAt - startedAt)}`;
    const end = denied ? 'denied' : isError === undefined ? 'not ended' : isError ? 'error' : 'ok';
    return `${call} · ${end}${took}`;
  });
}

function permissionLines(events: readonly ChatEvent[]): readonly string[] {
  const decisions = new Map(
    events.flatMap((event) => (event.type === 'permission_resolved' ? [[event.id, event.decision]] : [])),
  );
  return events.flatMap((event) =>
    event.type === 'permission_request'
      ? [`${oneLine(event.tool)} ${shortInput(event.input)}: ${decisions.get(event.id) ?? 'no answer'}`]
      : [],
  );
}

function noticeLines(events: readonly ChatEvent[], { full }: Length): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'notice' ? [`${event.level}: ${oneLine(event.message, full ? 10_000 : 160)}`] : [],
  );
}

function text(value: string, { full }: Length): readonly string[] {
  return full ? visibleLines(value) : [oneLine(value, 200)];
}

function row(label: string, line: string | undefined): readonly Row[] {
  return line === undefined ? [] : [[label, [line]]];
}

function rows(label: string, lines: readonly string[]): readonly Row[] {
  return lines.length === 0 ? [] : [[label, lines]];
}

function section(heading: string, content: readonly Row[]): string {
  const lines = content.flatMap(([label, values]) =>
    values.map((value, index) => `  ${(index === 0 ? label : '').padEnd(9)}${value}`.trimEnd()),
  );
  return `${[heading, ...lines].join('\n')}\n`;
}
