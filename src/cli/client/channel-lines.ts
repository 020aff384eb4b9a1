import { duration, usageInWords } from '../../core/format.js';
import { shortQuestionId } from '../../core/question-id.js';
import { isQuestionText } from '../../core/question-text.js';
import { oneLine, visibleLines } from '../../core/text.js';
import type { StreamedChatEvent, TurnView } from '../../gateway/channels/http/wire.js';
import type { Tone } from '../output/terminal.js';
import type { ChannelNews } from './follow-channel.js';
import { AnswerBeginning, nothingToSay } from './silent-answer.js';
import { alwaysLines, askedFor, toolLine } from './words.js';

export interface Piece {
  readonly tone: Tone;
  readonly text: string;
}

/** What happens in a channel, as text for a terminal. Answers come as they are written, all else in lines of their own. */
export class ChannelLines {
  /** What turns have said since their last tools, as far as it was shown. */
  readonly #turns = new Map<string, { said: string; readonly beginning: AnswerBeginning }>();
  /** The same by the first message of each turn: its answer need not be shown again. */
  readonly #answers = new Map<string, { readonly said: string }>();
  readonly #tools = new Map<string, string>();
  readonly #asked = new Set<string>();
  readonly #flags: string;
  #atLineStart = true;

  /** The flags find the gateway, in the commands that are named. */
  constructor(flags = '') {
    this.#flags = flags;
  }

  see(news: ChannelNews): readonly Piece[] {
    return this.#placed(this.#piecesOf(news));
  }

  /** What ends a line that is not finished: something else is about to be said. */
  breakLine(): readonly Piece[] {
    return this.#placed(this.#atLineStart ? [] : [{ tone: 'plain', text: '\n' }]);
  }

  #placed(all: readonly Piece[]): readonly Piece[] {
    const pieces = all.filter(({ text }) => text !== '');
    for (const { text } of pieces) this.#atLineStart = text.endsWith('\n');
    return pieces;
  }

  #piecesOf(news: ChannelNews): readonly Piece[] {
    switch (news.type) {
      case 'said':
        return this.#said(news.message);
      case 'turn':
        return this.#turn(news.turn);
      case 'chat':
        return this.#chat(news.event);
      case 'state': {
        const open = news.status.permissions.filter(({ id }) => !this.#asked.has(id));
        for (const { id } of open) this.#asked.add(id);
        return open.flatMap((question) =>
          this.#lines('asked', [
            `? ${askedFor(question, this.#flags)}`,
            `  turnout permissions allow ${shortQuestionId(question.id)}${this.#flags}   (or deny, always, show)`,
            ...alwaysLines(question).map((line) => `  ${line}`),
          ]),
        );
      }
      case 'reset':
        return this.#lines('quiet', ['… what was said in between is in `turnout history`']);
    }
  }

  #said(message: Extract<ChannelNews, { type: 'said' }>['message']): readonly Piece[] {
    const { role, text, author, eventId } = message;
    if (role === 'user') return this.#lines('strong', spoken(author ?? 'user', text));
    if (role === 'assistant') {
      if (message.silent) return this.#lines('quiet', [nothingToSay]);
      const shown = this.#answers.get(eventId ?? '')?.said;
      this.#answers.delete(eventId ?? '');
      return shown?.trim() === text.trim() ? [] : this.#lines('plain', [text.trimEnd()]);
    }
    // A question is shown by itself, with the words to answer it.
    if (isQuestionText(text)) return [];
    return this.#lines('quiet', spoken('turnout', text));
  }

  #turn({ turnId, eventIds, state, startedAt, endedAt, backend, usage }: TurnView): readonly Piece[] {
    const [eventId = turnId] = eventIds;
    if (state === 'running') {
      const turn = { said: '', beginning: new AnswerBeginning() };
      turn.beginning.begins();
      this.#turns.set(turnId, turn);
      this.#answers.set(eventId, turn);
      return [];
    }
    this.#turns.delete(turnId);
    this.#tools.clear();
    if (state === 'postponed') {
      this.#answers.delete(eventId);
      return this.#lines('failed', ['… broken off; it is tried again']);
    }
    const took = endedAt === undefined ? [] : [duration(Date.parse(endedAt) - Date.parse(startedAt))];
    const used = usage === undefined ? [] : [usageInWords(usage)];
    return this.#lines('quiet', [[backend ?? 'agent', state, ...took, ...used].join(' · ')]);
  }

  #chat(event: StreamedChatEvent): readonly Piece[] {
    const turn = this.#turns.get(event.turnId);
    switch (event.type) {
      case 'text': {
        const text = turn === undefined ? event.text : turn.beginning.text(event.text);
        if (turn !== undefined) turn.said += text;
        return [{ tone: 'plain', text }];
      }
      case 'tool_start': {
        const held = turn?.beginning.release() ?? '';
        if (held !== '') this.#atLineStart = false;
        if (turn !== undefined) turn.said = '';
        turn?.beginning.begins();
        this.#tools.set(event.id, event.name);
        return [{ tone: 'plain', text: held }, ...this.#lines('quiet', [toolLine(event.name, event.input)])];
      }
      case 'tool_end': {
        const name = this.#tools.get(event.id) ?? 'a tool';
        this.#tools.delete(event.id);
        if (!event.isError && !event.denied) return [];
        const what = event.denied ? 'was denied' : `failed: ${oneLine(event.output, 160)}`;
        return this.#lines('failed', [`[${oneLine(name, 60)}] ${what}`]);
      }
      case 'permission_resolved': {
        const decision = event.decision === 'deny' ? 'denied' : 'allowed';
        const why = event.message === undefined ? '' : `: ${oneLine(event.message, 160)}`;
        return this.#lines('quiet', [`  ${decision}${why}`]);
      }
      case 'notice':
        return event.level === 'warning' ? this.#lines('quiet', spoken('turnout', event.message)) : [];
      default:
        return [];
    }
  }

  #lines(tone: Tone, lines: readonly string[]): readonly Piece[] {
    const text = `${lines.join('\n')}\n`;
    return this.#atLineStart
      ? [{ tone, text }]
      : [
          { tone: 'plain', text: '\n' },
          { tone, text },
        ];
  }
}

/** `Ada: …`, with the further lines below the first one. */
function spoken(name: string, text: string): readonly string[] {
  const [first = '', ...rest] = visibleLines(text.trimEnd());
  return [`${oneLine(name, 60)}: ${first}`, ...rest.map((line) => `  ${line}`)];
}
