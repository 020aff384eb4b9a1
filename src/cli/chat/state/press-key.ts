import { edit, submitted, withText } from '../input/editor.js';
import { isCtrl, type Key } from '../input/keys.js';
import { searchKey } from '../input/search-history.js';
import { answersQuestion } from './answer-question.js';
import { changeQuestion, disarm, focusByText } from './ask.js';
import { complete } from './commands.js';
import type { StepBuilder } from './print-lines.js';
import { leave, submit } from './submit.js';
import { showOutput } from './tool-output.js';

/** Twice within this time leaves, also while a turn is being stopped. */
const twiceMs = 1000;
const leaveHintMs = 3000;

export function pressKey(out: StepBuilder, key: Key, now: number): void {
  const { leaving, picker, hint } = out.state;
  if (leaving) return;
  if (hint !== undefined) out.set({ hint: undefined });
  const seen = hint !== undefined && now < hint.until ? hint.text : undefined;
  if (isCtrl(key, 'c')) stop(out, seen, now);
  else if (isCtrl(key, 'z')) out.effect({ type: 'suspend' });
  else if (isCtrl(key, 'l')) out.effect({ type: 'clear' });
  else if (isCtrl(key, 'o')) showOutput(out, now);
  else if (picker !== undefined) pick(out, key);
  else if (!answersQuestion(out, key, now)) {
    typeKey(out, key, now);
    focusByText(out);
    disarm(out, now);
  }
}

function typeKey(out: StepBuilder, key: Key, now: number): void {
  const { editor, queue, search } = out.state;
  const searched = searchKey(search, editor, key);
  out.set(searched ?? { search: undefined });
  if (searched !== undefined) return;
  const name = key.type === 'key' ? key.name : undefined;
  if (name === 'enter') enter(out, now);
  else if (name === 'tab') completeText(out, now);
  else if (name === 'escape') interrupt(out);
  else if (isCtrl(key, 'd') && editor.text === '') leave(out);
  else if (name === 'up' && editor.text === '' && queue.length > 0)
    out.set({ queue: queue.slice(0, -1), editor: withText(editor, queue.at(-1) ?? '') });
  else out.set({ editor: edit(editor, key) ?? editor });
}

/** A backslash at the end of the line begins a new one. */
function enter(out: StepBuilder, now: number): void {
  const { editor } = out.state;
  if (editor.text[editor.cursor - 1] === '\\') {
    const text = `${editor.text.slice(0, editor.cursor - 1)}\n${editor.text.slice(editor.cursor)}`;
    out.set({ editor: { ...editor, text } });
  } else submit(out, now);
}

function completeText(out: StepBuilder, now: number): void {
  const { editor, commands, backends } = out.state;
  if (editor.cursor !== editor.text.length) return;
  const completed = complete(editor.text, backends, commands);
  if (completed === undefined) return;
  const { text, choices } = completed;
  out.set({ editor: withText(editor, text) });
  if (choices.length > 0) out.set({ hint: { text: choices.join('  '), until: now + 8000 } });
}

/** Ctrl-C: stops the turn; without one it clears the line; twice it leaves. */
function stop(out: StepBuilder, hint: string | undefined, now: number): void {
  const { turn, editor, lastStopAt, picker, search } = out.state;
  const twice = now - lastStopAt < twiceMs || hint === leaveHint;
  out.set({ lastStopAt: now });
  if (twice) leave(out);
  else if (picker !== undefined) out.set({ picker: undefined });
  else if (search !== undefined) out.set({ search: undefined, editor: search.before });
  else if (turn !== undefined) {
    interrupt(out);
    out.hint(leaveHint, now, twiceMs);
  } else if (editor.text !== '') {
    const kept = !editor.text.startsWith(' ');
    out.set({ editor: submitted(editor, kept), lastStopAt: never });
    if (kept) out.hint('↑ brings it back.', now);
  } else out.hint(leaveHint, now, leaveHintMs);
}

const never = Number.NEGATIVE_INFINITY;
const leaveHint = 'Ctrl-C once more leaves.';

function interrupt(out: StepBuilder): void {
  const { turn } = out.state;
  if (turn === undefined) return;
  out.set({ turn: { ...turn, stopping: true } });
  // A letter that was pressed just before must not allow anything any more.
  changeQuestion(out, { chosen: undefined });
  out.effect({ type: 'interrupt' });
}

function pick(out: StepBuilder, key: Key): void {
  const { picker } = out.state;
  if (picker === undefined || key.type !== 'key') return;
  const last = picker.sessions.length - 1;
  const chosen = picker.sessions[picker.at];
  if (key.name === 'up') out.set({ picker: { ...picker, at: Math.max(0, picker.at - 1) } });
  else if (key.name === 'down') out.set({ picker: { ...picker, at: Math.min(last, picker.at + 1) } });
  else if (key.name === 'escape') out.set({ picker: undefined });
  else if (key.name === 'enter' && chosen !== undefined) {
    out.set({ picker: undefined, doing: 'resuming' });
    out.effect({ type: 'command', command: 'resume', argument: chosen.sessionId });
  }
}
