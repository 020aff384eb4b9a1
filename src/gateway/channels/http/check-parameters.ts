import { channelIdExpected, isChannelId } from '../../../config/formats.js';
import { HttpProblem } from './problem.js';

const defaultPageSize = 50;
const maxPageSize = 500;
const maxWaitSeconds = 60;

/** `name` is the parameter, if the id is not part of the path. */
export function checkChannel(id: string, name?: string): string {
  if (isChannelId(id)) return id;
  const shown = JSON.stringify(id.slice(0, 160));
  const where = name === undefined ? '' : `${name}: `;
  throw new HttpProblem('bad_request', `${where}${shown} is no channel id: ${channelIdExpected}.`);
}

/** The key becomes the message's id: visible ASCII is the same in every header, log and database. */
export function checkIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new HttpProblem(
    'bad_request',
    'Idempotency-Key: 1 to 255 visible ASCII characters are expected, sent once.',
  );
}

export type MessagesPage = { readonly limit: number } & (
  | { readonly after?: number }
  /** Undefined: the last page. */
  | { readonly before: number | undefined }
);

/** Empty values (`?limit=&after=`) count as not given; an empty `before` asks for the last page. */
export function checkPage(limit = '', after = '', before?: string): MessagesPage {
  const size = checkLimit(limit, { usual: defaultPageSize, most: maxPageSize });
  if (before === undefined)
    return { limit: size, ...(after === '' ? {} : { after: wholeNumber('after', after, 0) }) };
  if (after !== '') throw new HttpProblem('bad_request', 'before: give it or after, not both.');
  const isLast = before === '' || before === 'latest';
  return { limit: size, before: isLast ? undefined : wholeNumber('before', before, 0) };
}

/** A larger limit than the most counts as that. */
export function checkLimit(
  raw = '',
  { usual, most }: { readonly usual: number; readonly most: number },
): number {
  return raw === '' ? usual : Math.min(wholeNumber('limit', raw, 1), most);
}

/** The word of a list; the first one if none is given. */
export function checkChoice<const T extends string>(
  name: string,
  raw: string | undefined,
  [usual, ...others]: readonly [T, ...T[]],
): T {
  if (raw === undefined || raw === '') return usual;
  const found = [usual, ...others].find((word) => word === raw);
  if (found !== undefined) return found;
  throw expected(name, `${others.join(', ')} or ${usual}`, raw);
}

/** Undefined if it is not given. */
export function checkBoolean(name: string, raw = ''): boolean | undefined {
  if (raw === '') return undefined;
  if (raw === 'true' || raw === '1') return true;
  if (raw === 'false' || raw === '0') return false;
  throw expected(name, 'true or false', raw);
}

/** A day or a moment, as ISO 8601 has it, in ms since 1970. */
export function checkTime(name: string, raw: string | undefined): number | undefined {
  if (raw === undefined || raw === '') return undefined;
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(raw);
  const at = isTime ? Date.parse(raw) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw expected(name, 'a time such as 2026-01-02T03:04:05Z, or a day,', raw);
}

const maxSearchCharacters = 200;

/** Undefined if nothing is looked for. */
export function checkSearch(raw = ''): string | undefined {
  const text = raw.trim();
  if (text.length <= maxSearchCharacters) return text === '' ? undefined : text;
  throw new HttpProblem('bad_request', `search: at most ${maxSearchCharacters} characters are expected.`);
}

export function checkWait(wait: string | undefined): number {
  if (wait === undefined) return 0;
  const seconds = Number(wait);
  if (!/^\d+(\.\d+)?$/.test(wait) || seconds > maxWaitSeconds) {
    throw new HttpProblem(
      'bad_request',
      `wait: a number of seconds from 0 to ${maxWaitSeconds} is expected.`,
    );
  }
  return seconds * 1000;
}

export function wholeNumber(name: string, raw: string, least: number): number {
  const value = Number(raw);
  if (/^\d+$/.test(raw) && value >= least && Number.isSafeInteger(value)) return value;
  const isId = name === 'after' || name === 'before';
  throw expected(name, isId ? 'the id of a message' : `a whole number from ${least} up`, raw);
}

function expected(name: string, what: string, raw: string): HttpProblem {
  const shown = JSON.stringify(raw.slice(0, 80));
  return new HttpProblem('bad_request', `${name}: ${what} is expected, not ${shown}.`);
}
