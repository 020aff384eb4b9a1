import type { PermissionDecision } from '../../../core/chat-event.js';
import type { Question } from './chat-state.js';

/** What can be done about a question, by a letter. */
export interface Choice {
  readonly letter: 'y' | 'a' | 'n' | 'v';
  readonly act: PermissionDecision | 'show_rest';
  readonly name: string;
  /** What it would do, for whoever has pressed the letter. */
  readonly meaning: string;
}

const choices: readonly Choice[] = [
  { letter: 'y', act: 'allow', name: 'allow', meaning: 'allow it' },
  { letter: 'a', act: 'allow_always', name: 'always', meaning: 'always allow it' },
  { letter: 'n', act: 'deny', name: 'deny', meaning: 'deny it' },
  { letter: 'v', act: 'show_rest', name: 'show all', meaning: 'show the rest' },
];

/** Those that this question offers. What was not shown as a whole can't be allowed. */
export function choicesOf({ request, more }: Pick<Question, 'request' | 'more'>): readonly Choice[] {
  const { options } = request;
  return choices.filter(({ act }) =>
    act === 'show_rest' ? more.length > 0 : options.includes(act) && (act === 'deny' || more.length === 0),
  );
}

/** A letter that would allow it shows the rest first, if there is one. */
export function choiceOf(question: Question, typed: string): Choice | undefined {
  const offered = choicesOf(question);
  const letter = typed.toLowerCase();
  return (
    offered.find((choice) => choice.letter === letter) ??
    (letter === 'y' || letter === 'a' ? offered.find(({ act }) => act === 'show_rest') : undefined)
  );
}

export function listChoices(question: Pick<Question, 'request' | 'more'>): string {
  return choicesOf(question)
    .map(({ letter, name }) => `[${letter}] ${name}`)
    .join('  ');
}
