import { randomUUID } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Makes ids that sort by time, in a process even if the clock steps back: `evt_` + time + count + random. */
export function createIds(clock: () => number = Date.now): (prefix: string) => string {
  let time = 0;
  let count = 0;
  return (prefix) => {
    const now = clock();
    if (now > time) {
      time = now;
      count = 0;
    } else if (++count > maxCount) {
      time++;
      count = 0;
    }
    return `${prefix}_${encode(time, 10)}${encode(count, 3)}${randomUUID().slice(-12)}`;
  };
}

const maxCount = 32 ** 3 - 1;

function encode(value: number, digits: number): string {
  let text = '';
  let rest = value;
  for (let digit = 0; digit < digits; digit++) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
