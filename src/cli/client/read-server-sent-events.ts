import { TurnoutError } from '../../core/errors.js';

export interface ServerSentEvent {
  /** Empty for an event without a name. */
  readonly event: string;
  /** Undefined if there was none: then only the id counts. */
  readonly data: string | undefined;
  /** The id of this event or, if it has none, of the last one that had. */
  readonly id: string | undefined;
}

/** An answer of the gateway's may have megabytes; something endless is no event of its. */
const maxCharacters = 64 * 1024 * 1024;

/**
 * Reads a stream of server-sent events, however its bytes are cut. An event that the end of the stream cuts off is dropped: the
 * next stream begins with it.
 */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
  limit = maxCharacters,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let event = '';
  let data: string[] = [];
  let size = 0;
  let id: string | undefined;
  let isIdNew = false;
  for await (const line of linesOf(chunks, limit)) {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n'), id };
      else if (isIdNew) yield { event: '', data: undefined, id };
      event = '';
      data = [];
      size = 0;
      isIdNew = false;
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (field === 'event') event = value;
    else if (field === 'data') {
      size += value.length;
      if (size > limit) throw tooLong();
      data.push(value);
    } else if (field === 'id' && !value.includes('\0')) {
      id = value;
      isIdNew = true;
    }
  }
}

/** Lines end with LF, CR or both, which may come in two chunks. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Pieces are joined once: a long line in many chunks is not searched, or copied, again for each of them.
  let pieces: string[] = [];
  let size = 0;
  let afterCr = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (afterCr && text !== '') {
      if (text.startsWith('\n')) text = text.slice(1);
      afterCr = false;
    }
    let from = 0;
    for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) {
      pieces.push(text.slice(from, index));
      yield pieces.join('');
      pieces = [];
      size = 0;
      from = index + end.length;
    }
    afterCr = text.endsWith('\r');
    size += text.length - from;
    if (size > limit) throw tooLong();
    if (from < text.length) pieces.push(text.slice(from));
  }
}

function tooLong(): TurnoutError {
  return new TurnoutError('parse', 'The gateway sent an event that does not end.', {
    hint: 'Is it a gateway of Turnout that answers there?',
  });
}
