import type { PermissionDecision, PermissionRequestEvent } from '../../../core/chat-event.js';
import { oneLine } from '../../../core/one-line.js';
import { plainLine } from '../text/styled-line.js';
import { type Question, textWidth } from './chat-state.js';
import { describeRequest } from './describe-request.js';
import type { StepBuilder } from './print-lines.js';

/** So long nobody may have typed before a key is an answer; with a half-written message longer, since it may go on. */
const pauseMs = 600;
const pauseInMessageMs = 1500;

/** Adds a question, and asks it if it is the only one. */
export function askNext(out: StepBuilder, request: PermissionRequestEvent, now: number): void {
  const question: Question = { request, armedAt: now, more: [] };
  const { asked } = out.state;
  out.set({ questions: [...out.state.questions, question] });
  if (request.toolId !== undefined) out.set({ asked: new Map([...asked, [request.id, request.toolId]]) });
  if (out.state.questions.length === 1) ask(out, now);
}

/** Forgets a question that was answered or withdrawn, and asks the one behind it. */
export function dropQuestion(out: StepBuilder, id: string, now: number, why?: string): void {
  const { questions } = out.state;
  const [asked] = questions;
  out.set({ questions: questions.filter(({ request }) => request.id !== id) });
  if (out.state.questions.length === questions.length) return;
  if (why !== undefined && asked?.request.id === id)
    out.lines('question', [plainLine(`  withdrawn: ${why}`, 'dim')]);
  if (asked?.request.id === id) ask(out, now);
}

export function dropQuestions(out: StepBuilder): void {
  out.set({ questions: [], asked: new Map(), denied: new Set() });
}

/** Somebody types: no key is an answer until there has been a pause. */
export function disarm(out: StepBuilder, now: number): void {
  const [first, ...others] = out.state.questions;
  if (first !== undefined) out.set({ questions: [{ ...first, armedAt: armed(out, now) }, ...others] });
}

export const decisionKeys: Readonly<Record<string, PermissionDecision>> = {
  y: 'allow',
  a: 'allow_always',
  n: 'deny',
};

export function answer(
  out: StepBuilder,
  { request }: Question,
  decision: PermissionDecision,
  now: number,
): void {
  const words = { allow: '→ allowed', allow_always: '→ always allowed', deny: '→ denied' } as const;
  out.effect({ type: 'answer', id: request.id, decision });
  if (decision === 'deny' && request.toolId !== undefined)
    out.set({ denied: new Set([...out.state.denied, request.toolId]) });
  out.print.push(plainLine(`  ${words[decision]}`, decision === 'deny' ? 'yellow' : 'green'));
  dropQuestion(out, request.id, now);
}

function ask(out: StepBuilder, now: number): void {
  const [first, ...others] = out.state.questions;
  if (first === undefined) return;
  const { lines, more } = describeRequest(first.request, textWidth(out.state), out.state.status.cwd);
  out.lines('question', lines);
  out.set({ questions: [{ ...first, more, armedAt: armed(out, now) }, ...others] });
  if (!out.state.movesCursor)
    out.lines('note', [plainLine(`${choicesOf(first.request)} (type the letter, then Enter)`)]);
}

export function choicesOf({ options, always }: PermissionRequestEvent): string {
  const lasting = always === undefined ? '[a] always' : `[a] always: ${oneLine(always, 40)}`;
  const names = { allow: '[y] allow', allow_always: lasting, deny: '[n] deny' } as const;
  const shown = (['allow', 'allow_always', 'deny'] as const).filter((one) => options.includes(one));
  return shown.map((one) => names[one]).join('  ');
}

function armed({ state }: StepBuilder, now: number): number {
  return now + (state.editor.text === '' ? pauseMs : pauseInMessageMs);
}
