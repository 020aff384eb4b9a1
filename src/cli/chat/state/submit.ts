import { permissionModes } from '../../../core/permission-mode.js';
import { thinkingDepths } from '../../../core/thinking.js';
import type { ConversationCommand } from '../conversation.js';
import { submitted, withText } from '../input/editor.js';
import { plainLine, span } from '../text/styled-line.js';
import { wrapLine } from '../text/wrap.js';
import { type ChatState, textWidth } from './chat-state.js';
import { type CommandName, parseInput } from './commands.js';
import type { StepBuilder } from './print-lines.js';
import { say, showSaid } from './say.js';
import { wrapText } from './show-agent.js';
import { totalsInWords } from './totals.js';

/** Enter: a command is done, a message is said, or waits for the turn that runs. */
export function submit(out: StepBuilder, now: number): void {
  const { editor } = out.state;
  const { text } = editor;
  if (text.trim() === '') return;
  const parsed = parseInput(text, out.state.commands);
  if (parsed.type === 'unknown') {
    const what = `No command /${parsed.word}: did you mean /${parsed.meant}? A blank in front sends it as is.`;
    out.hint(what, now);
    return;
  }
  out.set({ editor: submitted(editor, !text.startsWith(' ')), hint: undefined });
  out.effect({ type: 'remember', text });
  if (parsed.type === 'prompt') sayOrWait(out, parsed.text, now);
  else if (parsed.command.anytime || isIdle(out.state)) {
    const { command, argument } = parsed;
    if ((command.handedOn || command.name !== 'retry') && out.state.movesCursor) showSaid(out, text.trim());
    if (command.handedOn) out.effect({ type: 'hand_on', text: `/${command.name} ${argument}`.trim() });
    else commandActs[command.name](out, argument, now);
  } else {
    note(out, `/${parsed.command.name} has to wait until the turn has ended. Ctrl-C ends it.`);
    out.set({ editor: withText(out.state.editor, text) });
  }
}

function isIdle({ turn, doing }: ChatState): boolean {
  return turn === undefined && doing === undefined;
}

function sayOrWait(out: StepBuilder, text: string, now: number): void {
  const { turn, queue, steering } = out.state;
  if (isIdle(out.state)) say(out, text, now, !out.state.movesCursor);
  else if (turn === undefined || turn.stopping) out.set({ queue: [...queue, text] });
  else {
    out.set({ steering: [...steering, text] });
    out.effect({ type: 'steer', text });
  }
}

type Act = (out: StepBuilder, argument: string, now: number) => void;

const commandActs: Readonly<Record<CommandName, Act>> = {
  help: (out) => help(out),
  usage: (out) => note(out, totalsInWords(out.state.totals)),
  quit: (out) => leave(out),
  retry: (out, _, now) => {
    const { lastPrompt } = out.state;
    if (lastPrompt === undefined) note(out, 'Nothing was said yet that could be said again.');
    else say(out, lastPrompt, now);
  },
  sessions: (out) => {
    out.set({ doing: 'looking for sessions' });
    out.effect({ type: 'sessions' });
  },
  new: (out) => ask(out, 'new', '', 'beginning a new conversation'),
  backend: (out, name) => {
    const { status } = out.state;
    if (name !== '') ask(out, 'backend', name, `handing over to ${name}`);
    else note(out, `${status.backend} answers. Others: ${others(out.state)}. /backend <name> hands over.`);
  },
  model: (out, name) => {
    const { model, backend } = out.state.status;
    if (name !== '') ask(out, 'model', name, 'changing the model');
    else note(out, `The model is ${model ?? `${backend}'s own default`}. /model <name> changes it.`);
  },
  permissions: (out, mode) => {
    const now = out.state.status.permissionMode ?? "the CLI's own";
    if (mode !== '') ask(out, 'permissions', mode, 'changing the permissions');
    else note(out, `The mode is ${now}. There are ${permissionModes.join(', ')}.`);
  },
  thinking: (out, depth) => {
    if (/^(show|hide)$/i.test(depth)) {
      const showsThinking = depth.toLowerCase() === 'show';
      out.set({ showsThinking });
      note(out, `What it thinks is ${showsThinking ? '' : 'not '}shown.`);
    } else if (depth !== '') ask(out, 'thinking', depth, 'changing the depth');
    else note(out, `/thinking ${thinkingDepths.join(', ')} or tokens; show or hide`);
  },
};

function ask(out: StepBuilder, command: ConversationCommand, argument: string, doing: string): void {
  out.set({ doing });
  out.effect({ type: 'command', command, argument });
}

export function leave(out: StepBuilder): void {
  out.set({ leaving: true, hint: undefined });
  out.effect({ type: 'leave' });
}

function others({ backends, status }: ChatState): string {
  return backends.filter((name) => name !== status.backend).join(', ');
}

function help(out: StepBuilder): void {
  const width = textWidth(out.state);
  const shown = out.state.commands.filter(({ hidden }) => !hidden);
  const rows = shown.flatMap(({ name, argument, summary }) => {
    const head = `/${name}${argument === undefined ? '' : ` ${argument}`}`;
    return wrapLine([span(head.padEnd(22), 'cyan'), span(summary)], width, {
      hanging: [span(' '.repeat(22))],
    });
  });
  const keys = out.state.movesCursor ? keysInWords : 'Enter sends. Ctrl-C stops the turn, twice leaves.';
  out.lines('note', [...rows, [], ...wrapLine(plainLine(keys, 'dim'), width)]);
}

const keysInWords = [
  'Enter sends; Alt-Enter, Ctrl-J or a \\ at the end of the line begin a new line. While it works, Enter says',
  'something into the turn, or queues it; ↑ takes it back. Ctrl-C (or Esc) stops the turn, twice leaves.',
  'At a question a letter chooses and Enter confirms; Esc denies.',
  'Ctrl-O shows what the last tool has said. Ctrl-Y brings back what Ctrl-U, Ctrl-K or Ctrl-W has deleted.',
].join(' ');

function note(out: StepBuilder, text: string): void {
  out.lines('note', wrapText(text, out, 'dim'));
}
