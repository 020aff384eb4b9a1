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

/** Those that this question offers. */
export function choicesOf({ request, more }: Pick<Question, 'request' | 'more'>): readonly Choice[] {
  return choices.filter(({ act }) => (act === 'show_rest' ? more.length > 0 : request.options.includes(act)));
}

export function choiceOf(question: Question, typed: string): Choice | undefined {
  return choicesOf(question).find(({ letter }) => letter === typed.toLowerCase());
}

export function listChoices(question: Pick<Question, 'request' | 'more'>): string {
  return choicesOf(question)
    .map(({ letter, name }) => `[${letter}] ${name}`)
    .join('  ');
}
