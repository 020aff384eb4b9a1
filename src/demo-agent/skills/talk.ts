import { type Asked, command, type Skill, type Steps, say, think, wholeCommand } from '../step.js';
import { evaluate } from './arithmetic.js';

export const talkSkills: readonly Skill[] = [
  {
    name: 'think',
    example: 'think about railways',
    about: 'thinks aloud before it answers',
    pattern: command('think (?:hard |deeply )?(?:about|of|over)\\s+'),
    act: thinkAbout,
  },
  {
    name: 'system-prompt',
    example: 'what is your system prompt',
    about: 'repeats the instructions it was given',
    pattern: command(
      "(?:what(?: is|'s|’s| are)|show(?: me)?|tell me|repeat|print) your (?:system prompt|instructions)",
    ),
    act: ({ systemPrompt }) =>
      say(
        systemPrompt.trim() === ''
          ? 'I was given no system prompt.'
          : `My system prompt is:\n\n${systemPrompt}`,
      ),
  },
  {
    name: 'time',
    example: 'what time is it',
    about: 'reads the clock',
    pattern: command("what(?:'s|’s| is) the (?:time|date)|what (?:time|day|date) is it|tell me the time"),
    act: () => say(readClock(new Date())),
  },
  {
    name: 'arithmetic',
    example: 'what is 12*7',
    about: 'calculates',
    pattern: wholeCommand(
      "(?:(?:what(?:'s|’s| is)|how much is|calculate|compute)\\s+)?(?<sum>[(\\-]*\\d[\\d\\s.,()]*[+\\-*/^%x×÷][\\d\\s.,()+\\-*/^%x×÷]*)=?",
    ),
    act: calculate,
  },
  {
    name: 'who',
    example: 'who are you',
    about: 'introduces itself',
    pattern: command(
      "who are you|what are you|what(?:'s|’s| is) your name|introduce yourself|are you (?:claude|real|an? (?:ai|bot|model|human))",
    ),
    act: () =>
      say(
        'I am the demo agent that comes with Turnout: a small program that talks like a coding agent, with no model and no account behind it. Say "help" to see what I can do.',
      ),
  },
  {
    name: 'thanks',
    example: 'thank you',
    about: 'is polite',
    pattern: wholeCommand('thanks?(?: you)?(?: (?:so|very) much| a lot)?|thx|cheers'),
    act: () => say("You're welcome."),
  },
  {
    name: 'greeting',
    example: 'hello',
    about: 'greets back',
    pattern:
      /^[^\p{L}\p{N}]*(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy|servus|hallo)(?:[\s,]+(?:there|you|all|agent|bot|demo agent|turnout))*[\s.,!?]*(?:how are you)?[\s.!?]*$/iu,
    act: ({ history }) =>
      say(
        history.length === 0
          ? 'Hello! I am Turnout\'s demo agent. Say "help" to see what I can do.'
          : `Hello again! This is turn ${history.length + 1} of our conversation.`,
      ),
  },
];

export async function* answerAnythingElse({ prompt }: Asked): Steps {
  yield* say(
    `You said: “${gistOf(prompt)}”.\n\n` +
      'I am only the demo agent: there is no model behind me, so I cannot really work on that. ' +
      'Try "count to 10", "list files", "think about railways" or "help".\n\n' +
      'For real answers install one of the CLIs that Turnout drives and choose it as the backend: ' +
      '`turnout doctor` names the command that installs each of them.',
  );
}

export function gistOf(text: string): string {
  const line = text.slice(0, 1000).replace(/\s+/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length > 120 ? `${characters.slice(0, 119).join('')}…` : line;
}

async function* thinkAbout({ prompt }: Asked, words: RegExpExecArray): Steps {
  const topic = gistOf(prompt.slice(words[0].length)).replace(/[.!?]+$/, '');
  yield* think(
    `The user wants me to think about ${topic}. What do I know about it? Nothing: I am a demo agent. ` +
      'But I can show what thinking looks like while it is streamed, and then say so.',
  );
  yield* say(`I thought about ${topic}, and my conclusion is that a real model should do this.`);
}

async function* calculate(_asked: Asked, words: RegExpExecArray): Steps {
  const sum = (words.groups?.['sum'] ?? '').trim();
  const value = evaluate(sum);
  yield* say(value === undefined ? `I can't calculate “${gistOf(sum)}”.` : `${sum} = ${value}`);
}

function readClock(now: Date): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const time = now.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const date = now.toLocaleDateString('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
  return `It is ${time} on ${date} (${zone}).`;
}
