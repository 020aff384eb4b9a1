import { type Colour, coloured } from '../core/colours.js';
import { shortQuestionId } from '../core/question-id.js';
import { wholeLine } from '../core/text.js';
import type { LogLine, LogPrinter } from './log.js';

/** Prints a line of the log for somebody who looks at it: `12:04:05 info  a turn has ended  channel=main ms=1204`. */
export function logForPeople(colours: boolean): LogPrinter {
  const paint = (text: string, colour: Colour | undefined) =>
    colours && colour !== undefined ? coloured(text, colour) : text;
  return ({ time, level, message, fields }: LogLine) => {
    const facts = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${wholeLine(name)}=${shown(shortened(name, value))}`)
      .join(' ');
    const line = `${paint(clock(time), 'dim')} ${paint(level.padEnd(5), levelColours[level])} ${wholeLine(message)}`;
    return facts === '' ? line : `${line}  ${paint(facts, 'dim')}`;
  };
}

const levelColours: Readonly<Record<LogLine['level'], Colour | undefined>> = {
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  silent: undefined,
};

/** The ids of turns and questions would fill half the line. A question is answered by the short one, too. */
function shortened(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (name === 'turn') return value.slice(-8);
  return name === 'permission' ? shortQuestionId(value) : value;
}

/** The time of day where the reader is: the day is known to whoever looks. */
function clock(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

function shown(value: unknown): string {
  if (isError(value)) return quoted(value.message);
  if (typeof value === 'string') return quoted(value);
  return wholeLine(JSON.stringify(value) ?? String(value));
}

/** An Error in the fields of a log is its name and message. */
function isError(value: unknown): value is { readonly message: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'message' in value &&
    typeof value.message === 'string' &&
    Object.keys(value).every((key) => key === 'name' || key === 'message')
  );
}

function quoted(text: string): string {
  const one = wholeLine(text);
  return /^[^\s"=]+$/.test(one) ? one : JSON.stringify(one);
}
