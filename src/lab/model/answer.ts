import type { ServerResponse } from 'node:http';
import type { AnswerEncoder, AnswerIds, Block, ModelApi, WholeBlock } from './api.js';
import type { RequestContent } from './request.js';
import { type AnswerReply, defaultUsage, type ModelStopReason, type TokenUsage } from './script.js';

/** One answer to the client, streamed or in one piece as the request asked. */
export interface Answer {
  start(): Promise<void>;
  open(block: Block): Promise<void>;
  delta(text: string): Promise<void>;
  fail(status: number, message: string): Promise<void>;
  breakOff(): Promise<void>;
  end(): Promise<void>;
}

export function answerOf(reply: AnswerReply, stage: Stage): Answer {
  return stage.request.stream ? new StreamedAnswer(reply, stage) : new CollectedAnswer(reply, stage);
}

/** A request, and the connection on which its reply is played. */
export interface Stage {
  readonly api: ModelApi;
  readonly request: RequestContent;
  readonly path: string;
  readonly ids: AnswerIds;
  readonly response: ServerResponse;
  /** Aborted when the client has gone or the server closes. */
  readonly signal: AbortSignal;
}

class StreamedAnswer implements Answer {
  readonly #stage: Stage;
  readonly #encoder: AnswerEncoder;
  readonly #usage: TokenUsage;
  readonly #headers: Readonly<Record<string, string>>;
  #stopReason: ModelStopReason;
  readonly #fixedStopReason: boolean;

  constructor(reply: AnswerReply, stage: Stage) {
    this.#stage = stage;
    this.#encoder = stage.api.encoder(stage.request, stage.ids, stage.path);
    this.#usage = { ...defaultUsage, ...reply.usage };
    this.#headers = reply.headers ?? {};
    this.#stopReason = reply.stopReason ?? 'end_turn';
    this.#fixedStopReason = reply.stopReason !== undefined;
  }

  async start(): Promise<void> {
    this.#stage.response.writeHead(200, {
      'content-type': this.#encoder.contentType,
      'cache-control': 'no-cache',
      ...this.#headers,
    });
    this.#stage.response.flushHeaders();
    await write(this.#stage, this.#encoder.start(this.#usage));
  }

  async open(block: Block): Promise<void> {
    if (block.type === 'tool_call' && !this.#fixedStopReason) this.#stopReason = 'tool_use';
    await write(this.#stage, this.#encoder.open(block));
  }

  async delta(text: string): Promise<void> {
    await write(this.#stage, this.#encoder.delta(text));
  }

  async fail(status: number, message: string): Promise<void> {
    await write(this.#stage, this.#encoder.fail(status, message));
    this.#stage.response.end();
  }

  async breakOff(): Promise<void> {
    await flushed(this.#stage.response);
    this.#stage.response.socket?.destroy();
  }

  async end(): Promise<void> {
    await write(this.#stage, this.#encoder.end(this.#stopReason, this.#usage));
    this.#stage.response.end();
  }
}

/** The answer to a request that wants it in one piece. */
class CollectedAnswer implements Answer {
  readonly #stage: Stage;
  readonly #reply: AnswerReply;
  readonly #blocks: WholeBlock[] = [];

  constructor(reply: AnswerReply, stage: Stage) {
    this.#stage = stage;
    this.#reply = reply;
  }

  async start(): Promise<void> {
    this.#stage.response.writeHead(200, { 'content-type': 'application/json', ...this.#reply.headers });
    this.#stage.response.flushHeaders();
  }

  async open(block: Block): Promise<void> {
    this.#blocks.push(block.type === 'tool_call' ? block : { ...block, text: '' });
  }

  async delta(text: string): Promise<void> {
    const last = this.#blocks.at(-1);
    if (last === undefined || last.type === 'tool_call') return;
    this.#blocks[this.#blocks.length - 1] = { ...last, text: last.text + text };
  }

  async fail(status: number, message: string): Promise<void> {
    await write(this.#stage, JSON.stringify(this.#stage.api.errorBody(status, message)));
    this.#stage.response.end();
  }

  async breakOff(): Promise<void> {
    const json = this.#json();
    await write(this.#stage, json.slice(0, json.length / 2));
    await flushed(this.#stage.response);
    this.#stage.response.socket?.destroy();
  }

  async end(): Promise<void> {
    await write(this.#stage, this.#json());
    this.#stage.response.end();
  }

  #json(): string {
    const { api, request, ids } = this.#stage;
    const calls = this.#blocks.some((block) => block.type === 'tool_call');
    return JSON.stringify(
      api.wholeAnswer(request, ids, {
        blocks: this.#blocks,
        stopReason: this.#reply.stopReason ?? (calls ? 'tool_use' : 'end_turn'),
        usage: { ...defaultUsage, ...this.#reply.usage },
      }),
    );
  }
}

/** Writes data, and waits for a slow reader. Rejects if the reader has gone. */
export async function write({ response, signal }: Stage, data: string): Promise<void> {
  signal.throwIfAborted();
  if (data === '' || response.write(data)) return;
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      response.off('drain', drained);
      reject(signal.reason);
    };
    const drained = (): void => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    response.once('drain', drained);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Resolves when everything written so far has left this process, so that a cut comes after it. */
function flushed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.socket === null ? resolve() : response.socket.write('', () => resolve());
  });
}
