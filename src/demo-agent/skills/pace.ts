import { type Asked, command, type Skill, type Steps, say, wholeCommand } from '../step.js';

const maxCount = 100_000;
const maxSeconds = 3600;
const maxBytes = 200 * 1024 * 1024;

/** Skills whose answers have the length, speed and content that the prompt asks for. */
export const paceSkills: readonly Skill[] = [
  {
    name: 'echo',
    example: 'say exactly: anything',
    about: 'repeats the text to the character',
    pattern: command('say exactly:[ ]?'),
    act: ({ prompt }, words) => say(prompt.slice(words[0].length)),
  },
  {
    name: 'nothing',
    example: 'say nothing',
    about: 'ends with an empty answer',
    pattern: wholeCommand('say nothing'),
    act: async function* () {},
  },
  {
    name: 'count',
    example: 'count to 10',
    about: 'streams numbers, about sixteen a second; "slowly": four',
    pattern: command('count (?:up )?(?:from (?:1|one) )?to (\\d+)( slowly)?'),
    act: count,
  },
  {
    name: 'wait',
    example: 'wait 5 seconds',
    about: 'takes its time and says so every second',
    pattern: command(
      '(?:wait|take|sleep|work)(?: for)? (\\d+(?:\\.\\d+)?) ?(s|secs?|seconds?|m|mins?|minutes?)\\b',
    ),
    act: waitAWhile,
  },
  {
    name: 'bulk',
    example: 'write 64 KB of text',
    about: 'writes as much text as you ask for',
    pattern: command('write (\\d+(?:\\.\\d+)?) ?([KM])i?B\\b(?: of text)?'),
    act: writeBulk,
  },
];

async function* count(_asked: Asked, words: RegExpExecArray): Steps {
  const asked = Number(words[1]);
  const last = Math.min(asked, maxCount);
  const ms = words[2] === undefined ? 60 : 250;
  for (let number = 1; number <= last; number++) {
    yield { type: 'say', text: number === 1 ? '1' : ` ${number}` };
    yield { type: 'wait', ms };
  }
  if (last < 1) yield* say('There is nothing to count.');
  if (asked > maxCount) yield* say(`\n\nI stop at ${maxCount}.`);
}

async function* waitAWhile(_asked: Asked, words: RegExpExecArray): Steps {
  const unit = /^m/i.test(words[2] ?? '') ? 60 : 1;
  const seconds = Math.min(Number(words[1]) * unit, maxSeconds);
  for (let done = 0; done < seconds; done++) {
    yield { type: 'say', text: done === 0 ? 'Working' : '.' };
    yield { type: 'wait', ms: Math.min(1, seconds - done) * 1000 };
  }
  yield* say(`${seconds > 0 ? ' ' : ''}Done: that was ${seconds} s.`);
}

const bulkLine = 'All work and no play makes the demo agent a very long stream of harmless text.\n';
const bulkPiece = bulkLine.repeat(100);

async function* writeBulk(_asked: Asked, words: RegExpExecArray): Steps {
  const unit = words[2]?.toUpperCase() === 'M' ? 1024 * 1024 : 1024;
  let left = Math.min(Math.round(Number(words[1]) * unit), maxBytes);
  while (left > 0) {
    yield { type: 'say', text: bulkPiece.slice(0, left) };
    left -= bulkPiece.length;
    yield { type: 'wait', ms: 0 };
  }
}
