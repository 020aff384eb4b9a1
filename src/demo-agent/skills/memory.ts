import { command, type PastTurn, type Skill, say } from '../step.js';
import { gistOf } from './talk.js';

const remembering = command('remember(?: that)?[\\s:,]+(?!what\\b|when\\b|me\\b)');

/** Skills that use earlier turns of the same session. */
export const memorySkills: readonly Skill[] = [
  {
    name: 'remember',
    example: 'remember that the signal is green',
    about: 'keeps a fact for later turns of this session',
    pattern: remembering,
    act: ({ prompt }, words) => say(`I will remember: ${gistOf(prompt.slice(words[0].length))}`),
  },
  {
    name: 'recall',
    example: 'what do you remember',
    about: 'repeats the facts it was told to remember',
    pattern: command(
      'what (?:do|can|did) you remember|what did I (?:ask|tell) you to remember|do you remember',
    ),
    act: ({ history }) => say(describeMemory(history)),
  },
  {
    name: 'history',
    example: 'what did I say before',
    about: 'repeats your earlier prompts of this session',
    pattern: command(
      'what (?:did I (?:just )?(?:say|ask|write|tell)|have I (?:said|asked)|was my (?:last|previous) )',
    ),
    act: ({ history }) => say(describeHistory(history)),
  },
];

function describeMemory(history: readonly PastTurn[]): string {
  const facts = history.flatMap(({ prompt }) => {
    const words = remembering.exec(prompt);
    return words === null ? [] : [`- ${gistOf(prompt.slice(words[0].length))}`];
  });
  return facts.length === 0
    ? 'You told me nothing to remember in this session.'
    : `I remember:\n${facts.join('\n')}`;
}

function describeHistory(history: readonly PastTurn[]): string {
  if (history.length === 0) return 'You said nothing before: this is the first turn of this session.';
  const shown = history.slice(-10).map(({ prompt }) => `- ${gistOf(prompt)}`);
  const count =
    history.length > shown.length ? `the last ${shown.length} of ${history.length} prompts` : 'before this';
  return `You said (${count}):\n${shown.join('\n')}`;
}
