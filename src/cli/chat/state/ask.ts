import { exactLine } from '../../../core/text.js';
import { plainLine } from '../text/styled-line.js';
import { type Question, textWidth } from './chat-state.js';
import { type Choice, listChoices } from './choices.js';
import { type AskedRequest, describeRequest } from './describe-request.js';
import type { StepBuilder } from './print-lines.js';

/** So long nobody may have typed before a letter is a choice: what was typed before the question came is none. */
const armMs = 600;

/** Adds a question, and asks it if it is the only one. */
export function askNext(out: StepBuilder, request: AskedRequest, now: number): void {
  const question: Question = { request, armedAt: now, more: [] };
  const { asked } = out.state;
  out.set({ questions: [...out.state.questions, question] });
  if (request.toolId !== undefined) out.set({ asked: new Map([...asked, [request.id, request.toolId]]) });
  if (out.state.questions.length > 1) return;
  focusByText(out);
  ask(out, now);
}

/** Forgets a question that was answered or withdrawn, and asks the one behind it. */
export function dropQuestion(out: StepBuilder, id: string, now: number, why?: string): void {
  const { questions } = out.state;
  const [asked] = questions;
  out.set({ questions: questions.filter(({ request }) => request.id !== id) });
  if (out.state.questions.length === questions.length) return;
  if (why !== undefined && asked?.request.id === id)
    out.lines('question', [plainLine(`  withdrawn: ${exactLine(why)}`, 'dim')]);
  if (asked?.request.id === id) ask(out, now);
}

export function dropQuestions(out: StepBuilder): void {
  out.set({ questions: [], asked: new Map(), denied: new Set() });
}

/** Somebody types: no letter is a choice until there has been a pause. */
export function disarm(out: StepBuilder, now: number): void {
  changeQuestion(out, { armedAt: now + armMs });
}

export function changeQuestion(out: StepBuilder, change: Partial<Question>): void {
  const [first, ...others] = out.state.questions;
  if (first !== undefined) out.set({ questions: [{ ...first, ...change }, ...others] });
}

/** Whoever writes goes on writing; with an empty field the keys are the question's. */
export function focusByText(out: StepBuilder): void {
  out.set({ focus: out.state.editor.text === '' ? 'question' : 'field' });
}

/** Does what was chosen for the question that is being asked. */
export function carryOut(out: StepBuilder, { act }: Choice, now: number): void {
  const [question] = out.state.questions;
  if (question === undefined) return;
  if (act === 'show_rest') {
    out.add(question.more);
    changeQuestion(out, { more: [], chosen: undefined });
    showChoices(out);
    return;
  }
  const { request } = question;
  const words = { allow: '→ allowed', allow_always: '→ always allowed', deny: '→ denied' } as const;
  out.effect({ type: 'answer', id: request.id, decision: act });
  if (act === 'deny' && request.toolId !== undefined)
    out.set({ denied: new Set([...out.state.denied, request.toolId]) });
  out.print.push(plainLine(`  ${words[act]}`, act === 'deny' ? 'yellow' : 'green'));
  dropQuestion(out, request.id, now);
}

/** In a terminal that can't move its cursor they are no row that stays. */
export function showChoices(out: StepBuilder): void {
  const [question] = out.state.questions;
  if (question === undefined || out.state.movesCursor) return;
  out.lines('note', [plainLine(`${listChoices(question)} (type the letter, then Enter)`)]);
}

function ask(out: StepBuilder, now: number): void {
  const [first] = out.state.questions;
  if (first === undefined) return;
  const { lines, more } = describeRequest(first.request, {
    width: textWidth(out.state),
    rows: out.state.rows,
    cwd: out.state.status.cwd,
  });
  out.lines('question', lines);
  changeQuestion(out, { more, armedAt: now + armMs });
  showChoices(out);
}
