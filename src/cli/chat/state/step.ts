import { isTerminal } from '../../../core/chat-event.js';
import type { ConversationEvent } from '../conversation.js';
import { submitted, withText } from '../input/editor.js';
import { emptyMarkdown, endMarkdown, writeMarkdown } from '../markdown/markdown-stream.js';
import { plainLine } from '../text/styled-line.js';
import { endPause, lineAnswersQuestion } from './answer-question.js';
import { type ChatInput, type ChatState, type Step, textWidth } from './chat-state.js';
import { pressKey } from './press-key.js';
import { StepBuilder } from './print-lines.js';
import { sayQueued, showSaid } from './say.js';
import { endText, newTurn, showAgent, wrapText } from './show-agent.js';
import { followSteered, settleSteering, takeMessagesBack } from './steering.js';
import { submit } from './submit.js';

/** The whole chat: what has happened and when gives the next state, rows for the scrollback, and what is to be done. */
export function step(state: ChatState, input: ChatInput, now: number): Step {
  const out = new StepBuilder(state);
  switch (input.type) {
    case 'key':
      pressKey(out, input.key, now);
      break;
    case 'line':
      takeLine(out, input.text, now);
      break;
    case 'resize':
      out.set({ columns: input.columns, rows: input.rows });
      break;
    case 'conversation':
      hear(out, input.event, now);
      break;
    case 'steered':
      settleSteering(out, input, now);
      break;
    case 'waited':
      endPause(out, input.since, now);
      break;
    case 'done':
      out.set({ doing: undefined });
      if (input.text !== '') out.lines('note', wrapText(input.text, out, 'dim'));
      sayQueued(out, now);
      break;
    case 'failed':
      out.set({ doing: undefined });
      out.lines('note', wrapText(`✗ ${input.text}`, out, 'red'));
      break;
    case 'sessions':
      if (input.sessions.length === 0)
        out.lines('note', [plainLine('There is no other session in this directory.', 'dim')]);
      out.set({
        doing: undefined,
        picker: input.sessions.length === 0 ? undefined : { sessions: input.sessions, at: 0 },
      });
      break;
  }
  return out.done();
}

function hear(out: StepBuilder, event: ConversationEvent, now: number): void {
  switch (event.type) {
    case 'status':
      out.set({ status: event.status });
      break;
    case 'note':
      out.lines('note', wrapText(event.text, out, event.warning ? 'yellow' : 'dim'));
      break;
    case 'turn':
      if (out.state.turn === undefined) out.set({ turn: newTurn(now) });
      break;
    case 'said':
      endText(out);
      showSaid(out, event.text, event.by);
      break;
    case 'answered': {
      const written = writeMarkdown(emptyMarkdown, event.text, textWidth(out.state));
      out.lines('text', [...written.lines, ...endMarkdown(written.stream, textWidth(out.state))]);
      break;
    }
    case 'agent': {
      const { stopping = false, unheard = [] } = out.state.turn ?? {};
      // Whoever joins in the middle of a turn hears no beginning.
      if (out.state.turn === undefined && !isTerminal(event.event)) out.set({ turn: newTurn(now) });
      showAgent(out, event.event, now);
      followSteered(out, event.event);
      if (!isTerminal(event.event)) break;
      if (stopping || event.event.type === 'error') takeMessagesBack(out, { unheard });
      else sayQueued(out, now);
      break;
    }
  }
}

/** In a terminal that can't move its cursor a line is an answer, or a message. */
function takeLine(out: StepBuilder, text: string, now: number): void {
  if (lineAnswersQuestion(out, text, now)) return;
  out.set({ editor: withText(out.state.editor, text) });
  if (text.trim() === '') out.set({ editor: submitted(out.state.editor, false) });
  else submit(out, now);
}
