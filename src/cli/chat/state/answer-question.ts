import { edit } from '../input/editor.js';
import type { Key } from '../input/keys.js';
import { carryOut, changeQuestion, disarm, showChoices } from './ask.js';
import type { ChatState, Question } from './chat-state.js';
import { choiceOf, choicesOf } from './choices.js';
import type { StepBuilder } from './print-lines.js';

/** So long a letter may be the first one of a sentence. */
const confirmMs = 700;

/**
 * True if the key was for the question. A letter only chooses: Enter carries it out, or a pause after it. Whatever is
 * typed before that makes the letter text. What allows something for ever takes effect with Enter alone.
 */
export function answersQuestion(out: StepBuilder, key: Key, now: number): boolean {
  const question = questionWithKeys(out.state);
  const name = key.type === 'key' ? key.name : undefined;
  if (question === undefined) return name === 'escape' && goToQuestion(out, now);
  const { chosen } = question;
  const isArmed = now >= question.armedAt;
  if (name === 'escape') {
    const denial = choicesOf(question).find(({ act }) => act === 'deny');
    if (chosen !== undefined) changeQuestion(out, { chosen: undefined });
    else if (isArmed && denial !== undefined) carryOut(out, denial, now);
    return true;
  }
  if (name === 'enter') {
    if (chosen !== undefined) carryOut(out, chosen.choice, now);
    return true;
  }
  const typed = key.type === 'text' ? key.text : '';
  const choice = isArmed ? choiceOf(question, typed) : undefined;
  if (choice !== undefined && (chosen === undefined || now - chosen.since >= confirmMs)) {
    changeQuestion(out, { chosen: { choice, typed, since: now } });
    if (choice.act !== 'allow_always') out.effect({ type: 'wait', ms: confirmMs, since: now });
    return true;
  }
  if (chosen !== undefined) {
    out.set({ editor: edit(out.state.editor, { type: 'text', text: chosen.typed }) ?? out.state.editor });
    changeQuestion(out, { chosen: undefined });
  }
  return false;
}

/** Nothing was typed after the letter: it was meant. */
export function endPause(out: StepBuilder, since: number, now: number): void {
  const chosen = out.state.questions[0]?.chosen;
  if (chosen?.since === since && !out.state.leaving) carryOut(out, chosen.choice, now);
}

/** A whole line, in a terminal that can't move its cursor; true if it was for the question. */
export function lineAnswersQuestion(out: StepBuilder, line: string, now: number): boolean {
  const [question] = out.state.questions;
  const word = line.trim().toLowerCase();
  if (question === undefined || now < question.armedAt || !/^(y|yes|a|always|n|no|v)$/.test(word))
    return false;
  const choice = choiceOf(question, word.slice(0, 1));
  if (choice === undefined) showChoices(out);
  else carryOut(out, choice, now);
  return true;
}

/** The question that the keys are for: not while somebody writes, or searches in the history. */
function questionWithKeys({ questions, focus, search }: ChatState): Question | undefined {
  return focus === 'question' && search === undefined ? questions[0] : undefined;
}

/** What was written stays in the field. */
function goToQuestion(out: StepBuilder, now: number): boolean {
  if (out.state.questions.length === 0 || out.state.search !== undefined) return false;
  out.set({ focus: 'question' });
  disarm(out, now);
  return true;
}
