import { channelIdExpected, isChannelId } from '../../../config/formats.js';
import { HttpProblem } from './problem.js';

const defaultPageSize = 50;
const maxPageSize = 500;
const maxWaitSeconds = 60;

export function checkChannel(id: string): string {
  if (isChannelId(id)) return id;
  const shown = JSON.stringify(id.slice(0, 160));
  throw new HttpProblem('bad_request', `${shown} is no channel id: ${channelIdExpected}.`);
}

/** The key becomes the message's id: visible ASCII is the same in every header, log and database. */
export function checkIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new HttpProblem(
    'bad_request',
    'Idempotency-Key: 1 to 255 visible ASCII characters are expected, sent once.',
  );
}

/** Empty values (`?limit=&after=`) count as not given. */
export function checkPage(limit = '', after = '') {
  const size = limit === '' ? defaultPageSize : wholeNumber('limit', limit, 1);
  return {
    limit: Math.min(size, maxPageSize),
    ...(after === '' ? {} : { after: wholeNumber('after', after, 0) }),
  };
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

function wholeNumber(name: string, raw: string, least: number): number {
  const value = Number(raw);
  if (/^\d+$/.test(raw) && value >= least && Number.isSafeInteger(value)) return value;
  const expected = name === 'after' ? 'the id of a message' : `a whole number from ${least} up`;
  throw new HttpProblem(
    'bad_request',
    `${name}: ${expected} is expected, not ${JSON.stringify(raw.slice(0, 80))}.`,
  );
}
