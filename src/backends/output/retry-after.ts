/**
 * Finds in the words of a CLI or an API when a limit ends, in ms from `now`. Seen: "Please try again in 11.054s" (OpenAI),
 * "try again at 6:12 PM" and "try again at Nov 18th, 2026 6:12 PM" (Codex), "resets 3pm (Europe/Zurich)" and "usage limit
 * reached|1794941386" (Claude Code), "Please retry in 34.07s" and "reset after 3h12m5s" (Gemini).
 */
export function retryAfterIn(words: string, now: number): number | undefined {
  const text = words.length > 2 * searched ? `${words.slice(0, searched)}\n${words.slice(-searched)}` : words;
  const wait = spanBehind.exec(text)?.[1];
  if (wait !== undefined) return untilMs(now + spanMs(wait), now);
  const epoch = /limit reached\|(\d{10})\b/i.exec(text)?.[1];
  if (epoch !== undefined) return untilMs(Number(epoch) * 1000, now);
  const iso = isoBehind.exec(text)?.[1];
  if (iso !== undefined) return untilMs(Date.parse(iso), now);
  const clock = clockBehind.exec(text);
  return clock === null ? undefined : untilMs(clockTime(clock, now), now);
}

/** A time that has passed by a little says that the limit is over; one that lies far back, or is none, says nothing. */
export function untilMs(time: number, now: number): number | undefined {
  const left = time - now;
  return left > -60_000 && left < 366 * dayMs ? Math.max(0, Math.ceil(left)) : undefined;
}

/** The characters at the beginning and at the end of the words that are looked at. */
const searched = 4096;

const dayMs = 86_400_000;
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: dayMs };

// Every repetition has a limit: without one the time would grow with the square of what an API repeats.
const space = '\\s{0,8}';
const number = '\\d{1,15}(?:\\.\\d{1,15})?';
const introduction =
  '(?:try again|try your request again|retry|retrying|resets?|available(?: again)?|wait)\\s{1,8}';
const span = `${number}${space}(?:milliseconds?|seconds?|minutes?|hours?|days?|ms|secs?|mins?|hrs?|[smhd])\\b`;
const spans = `(?:${number}[smhd](?=\\d)){0,6}`;
const spanBehind = new RegExp(
  `${introduction}(?:in|after|for)?${space}~?(${spans}${span}(?:,?${space}(?:and\\s{1,8})?${span}){0,6})`,
  'i',
);
const isoBehind = new RegExp(
  `${introduction}(?:at|on)?${space}(\\d{4}-\\d\\d-\\d\\dT[\\d:.]{1,20}(?:Z|[+-]\\d\\d:?\\d\\d))`,
  'i',
);
const dateBefore = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?\\s{1,8}(\\d{1,2})(?:st|nd|rd|th)?,?${space}(?:(\\d{4}),?\\s{1,8})?(?:at\\s{1,8})?`;
const clockBehind = new RegExp(
  `${introduction}(?:at|on)?${space}(?:${dateBefore})?(\\d{1,2})(?::(\\d\\d))?${space}(am|pm)(?:${space}\\(([\\w+/-]{1,40})\\))?`,
  'i',
);

function spanMs(words: string): number {
  let sum = 0;
  for (const [, count, unit = 's'] of words.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const short = /^(ms|milli)/i.test(unit) ? 'ms' : (unit[0] ?? 's').toLowerCase();
    sum += Number(count) * (unitMs[short] ?? 0);
  }
  return Math.ceil(sum);
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The next time at which the clock of that zone (default: ours) shows this; with a date, the time on that day. */
function clockTime(match: RegExpExecArray, now: number): number {
  const [, month, day, year, hour, minute = '0', half = 'am', zone] = match;
  const hours = (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  const offset = zoneOffsetMs(now, zone);
  const local = new Date(now + offset);
  const date =
    month === undefined
      ? ([local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()] as const)
      : ([Number(year ?? local.getUTCFullYear()), months.indexOf(month.toLowerCase()), Number(day)] as const);
  const time = Date.UTC(...date, hours, Number(minute)) - offset;
  if (time > now - 60_000 || year !== undefined) return time;
  if (month === undefined) return time + dayMs;
  return Date.UTC(date[0] + 1, date[1], date[2], hours, Number(minute)) - offset;
}

/** The zone's distance from UTC at that time. An unknown zone counts as ours. */
function zoneOffsetMs(time: number, zone: string | undefined): number {
  const second = Math.floor(time / 1000) * 1000;
  if (zone !== undefined) {
    try {
      const format = new Intl.DateTimeFormat('sv-SE', {
        timeZone: zone,
        dateStyle: 'short',
        timeStyle: 'medium',
      });
      return Date.parse(`${format.format(second).replace(' ', 'T')}Z`) - second;
    } catch {
      // Our own zone is taken.
    }
  }
  return -new Date(second).getTimezoneOffset() * 60_000;
}
