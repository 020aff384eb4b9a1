import type { ChatEvent } from '../../../core/chat-event.js';
import { withText } from '../input/editor.js';
import { plainLine } from '../text/styled-line.js';
import type { SteeredMessage, Turn } from './chat-state.js';
import type { StepBuilder } from './print-lines.js';
import { sayQueued, showSaid } from './say.js';
import { endText, wrapText } from './show-agent.js';

/** The CLI has taken a message into the turn, or has not: then it waits for the next one. */
export function settleSteering(
  out: StepBuilder,
  { text, taken }: { readonly text: string; readonly taken: boolean },
  now: number,
): void {
  const { steering, queue, turn, status } = out.state;
  const at = steering.indexOf(text);
  if (at < 0) return;
  out.set({ steering: steering.filter((_, index) => index !== at) });
  if (taken) {
    endText(out);
    showSaid(out, text);
    out.print.push(plainLine('  said into the running turn', 'dim'));
    // A gateway keeps the messages of its channels itself.
    if (turn !== undefined && status.channel === undefined)
      setUnheard(out, [...turn.unheard, { text, isNext: false }]);
    return;
  }
  out.set({ queue: [...queue, text] });
  // The turn may have ended meanwhile.
  sayQueued(out, now);
}

/** CLIs take a message with the results of tools: what the agent does after those, it does with the message. */
export function followSteered(out: StepBuilder, event: ChatEvent): void {
  const { turn } = out.state;
  if (turn === undefined || turn.unheard.length === 0) return;
  switch (event.type) {
    case 'tool_end':
      if (turn.tools.length === 0)
        setUnheard(
          out,
          turn.unheard.map(({ text }) => ({ text, isNext: true })),
        );
      break;
    case 'text':
    case 'thinking_start':
    case 'thinking':
    case 'tool_start':
      setUnheard(
        out,
        turn.unheard.filter(({ isNext }) => !isNext),
      );
      break;
    default:
  }
}

/** After a turn that was stopped or failed, whoever wrote the messages decides about them anew. */
export function takeMessagesBack(out: StepBuilder, { unheard }: Pick<Turn, 'unheard'>): void {
  const { queue, steering, editor, movesCursor } = out.state;
  const messages = [...unheard.map(({ text }) => text), ...queue, ...steering];
  if (messages.length === 0) return;
  out.set({ queue: [], steering: [] });
  const why =
    unheard.length > 0
      ? 'What you said into this turn may not have been heard'
      : 'What you wrote meanwhile was not said';
  if (!movesCursor) {
    out.lines('note', [plainLine(`${why}:`, 'dim'), ...messages.flatMap((text) => wrapText(text, out))]);
    return;
  }
  const parts = [...messages, ...(editor.text === '' ? [] : [editor.text])];
  out.set({ editor: withText(editor, parts.join('\n')) });
  out.lines('note', wrapText(`${why}: it is in the field again.`, out, 'dim'));
}

function setUnheard(out: StepBuilder, unheard: readonly SteeredMessage[]): void {
  const { turn } = out.state;
  if (turn !== undefined) out.set({ turn: { ...turn, unheard } });
}
