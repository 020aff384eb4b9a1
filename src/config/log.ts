import { printJson } from '../core/json.js';
import { visibleJson } from '../core/text.js';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The facts of a log line. The message is the same for every occurrence, so that it can be searched for. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns the same log with these fields on every line. */
  with(fields: LogFields): Log;
}

/** How a line of the log is written: for programs, or for a person. */
export const logFormats = ['json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

/** The line of one occurrence, without its end. */
export type LogPrinter = (line: LogLine) => string;

export interface LogLine {
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Writes a line for each occurrence: a JSON object, unless it is printed otherwise. Prompts and answers are logged at `debug` only. */
export function createLog(
  level: LogLevel,
  write: (line: string) => void = (line) => process.stderr.write(line),
  fields: LogFields = {},
  now: () => Date = () => new Date(),
  print: LogPrinter = printLogLine,
): Log {
  const threshold = logLevels.indexOf(level);
  const at = (name: LogLevel) => (message: string, more?: LogFields) => {
    if (logLevels.indexOf(name) < threshold) return;
    const facts = { ...renamed(fields), ...renamed(flatten(more)) };
    write(`${print({ time: now(), level: name, message, fields: facts })}\n`);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (more) => createLog(level, write, { ...fields, ...more }, now, print),
  };
}

function printLogLine({ time, level, message, fields }: LogLine): string {
  return visibleJson(printJson({ time: time.toISOString(), level, message, ...fields }));
}

/** A fact must not take the place of the line's own words: it is `message_` then. */
function renamed(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [reserved.has(name) ? `${name}_` : name, value]),
  );
}

const reserved: ReadonlySet<string> = new Set(['time', 'level', 'message']);

/** An Error has no enumerable fields, so JSON would lose its name and message. */
function flatten(fields: LogFields | undefined): LogFields {
  if (fields === undefined) return {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? { name: value.name, message: value.message } : value,
    ]),
  );
}

export const noLog: Log = createLog('silent', () => undefined);
