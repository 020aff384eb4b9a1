import { type Line, plainLine, type Span, span } from '../text/styled-line.js';
import { lineWidth } from '../text/wrap.js';
import { type ChatState, textWidth } from './chat-state.js';
import { choicesOf, listChoices } from './choices.js';

export const questionLead = 'Allow it? ';

/** The row that stays as long as a question is open: what can be chosen, what was chosen, or how to come back to it. */
export function questionLine(state: ChatState, now: number): Line | undefined {
  const { questions, focus } = state;
  const [question] = questions;
  if (question === undefined) return undefined;
  const count = questions.length > 1 ? ` (1 of ${questions.length})` : '';
  const letters = choicesOf(question)
    .map(({ letter }) => letter)
    .join('/');
  const list = listChoices(question);
  const { chosen } = question;
  if (focus === 'field')
    return fitting(
      state,
      [span(`${list} · Esc, or an empty field: answer it${count}`, 'dim')],
      [span(`Esc, or an empty field: answer it${count}`, 'dim')],
      [span('Esc: answer it', 'dim')],
    );
  if (chosen !== undefined) {
    const meaning = span(`${chosen.choice.letter}: ${chosen.choice.meaning}`, 'bold', 'yellow');
    return fitting(
      state,
      [meaning, span(' · Enter confirms, Esc takes it back', 'dim')],
      [meaning, span(' (Enter)', 'dim')],
    );
  }
  // Before that a letter is text.
  if (now < question.armedAt) return fitting(state, [span(`${list}${count}`, 'dim')], [span(letters, 'dim')]);
  return fitting(
    state,
    [span(list), span(` · Enter confirms${count}`, 'dim')],
    [span(list), span(' + Enter', 'dim')],
    [span(letters), span(` · Enter confirms${count}`, 'dim')],
    [span(letters), span(' + Enter', 'dim')],
  );
}

/** The first one that the window has room for. */
function fitting(state: ChatState, ...ways: readonly (readonly Span[])[]): Line {
  const lines = ways.map((way): Line => [span(questionLead, 'bold'), ...way]);
  return lines.find((line) => lineWidth(line) <= textWidth(state)) ?? lines.at(-1) ?? plainLine('');
}
