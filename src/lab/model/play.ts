import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerEncoder, AnswerIds, Block, ModelApi, WholeBlock } from './api.js';
import type { RequestContent, RequestOutcome } from './request.js';
import {
  type AnswerReply,
  defaultUsage,
  isAnswer,
  type ModelStopReason,
  type Reply,
  type Step,
  type TokenUsage,
} from './script.js';
import { chooseToolCall } from './tools.js';

export interface Stage {
  readonly api: ModelApi;
  readonly request: RequestContent;
  readonly path: string;
  readonly ids: AnswerIds;
  readonly response: ServerResponse;
  /** Aborts when the client has gone or the server closes. */
  readonly signal: AbortSignal;
}

/** Plays one reply to one request, at the pace of whoever reads it. */
export async function play(reply: Reply, stage: Stage): Promise<RequestOutcome> {
  if (typeof reply === 'string') return playAnswer({ steps: [{ text: reply }] }, stage);
  if (isAnswer(reply)) return playAnswer(reply, stage);
  if ('drop' in reply) {
    stage.response.socket?.resetAndDestroy();
    return 'dropped';
  }
  if ('silent' in reply) return 'hanging';
  const message = reply.message ?? `scripted error ${reply.status}`;
  stage.response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
  await write(stage, reply.body ?? JSON.stringify(stage.api.errorBody(reply.status, message)));
  stage.response.end();
  return 'failed';
}

async function playAnswer(reply: AnswerReply, stage: Stage): Promise<RequestOutcome> {
  const answer = stage.request.stream ? new StreamedAnswer(reply, stage) : new CollectedAnswer(reply, stage);
  await answer.start();
  for (const [index, step] of reply.steps.entries()) {
    if ('cut' in step) {
      await answer.breakOff();
      return 'cut';
    }
    if ('hang' in step) return 'hanging';
    if ('fail' in step) {
      await answer.fail(step.fail.status, step.fail.message ?? `scripted error ${step.fail.status}`);
      return 'failed';
    }
    await playStep(step, answer, stage, `${stage.ids.answer}_${index}`);
  }
  await answer.end();
  return 'answered';
}

type PlainStep = Exclude<Step, { cut: true } | { hang: true } | { fail: unknown }>;

async function playStep(step: PlainStep, answer: Answer, stage: Stage, callId: string): Promise<void> {
  if ('wait' in step) return pause(step.wait, stage.signal);
  if ('text' in step) return playText({ type: 'text' }, step.text, step.delayMs, answer, stage);
  if ('thinking' in step) return playText({ type: 'thinking' }, step.thinking, step.delayMs, answer, stage);
  const call = chooseToolCall(step, stage.request.tools, `call_${callId}`);
  if (call !== undefined) return answer.open(call);
  const names = stage.request.tools.map((tool) => tool.name).join(', ');
  const wanted = 'shell' in step ? 'shell' : 'file';
  return playText(
    { type: 'text' },
    `[no ${wanted} tool among those offered: ${names}]`,
    undefined,
    answer,
    stage,
  );
}

async function playText(
  block: Block,
  text: string | readonly string[],
  delayMs: number | undefined,
  answer: Answer,
  stage: Stage,
): Promise<void> {
  await answer.open(block);
  for (const piece of typeof text === 'string' ? [text] : text) {
    if (delayMs !== undefined) await pause(delayMs, stage.signal);
    for (const part of bounded(piece)) await answer.delta(part);
  }
}

/** Real models send small deltas; a large one is split, never inside a character. */
function* bounded(text: string): Generator<string> {
  const size = 16_384;
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + size, text.length);
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}

interface Answer {
  start(): Promise<void>;
  open(block: Block): Promise<void>;
  delta(text: string): Promise<void>;
  fail(status: number, message: string): Promise<void>;
  breakOff(): Promise<void>;
  end(): Promise<void>;
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

/** For a request that wants the answer in one piece. */
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}

/** Waits for a slow reader. Rejects when it has gone. */
async function write({ response, signal }: Stage, data: string): Promise<void> {
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
