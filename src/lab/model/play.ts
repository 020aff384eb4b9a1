import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, answerOf, type Stage, write } from './answer.js';
import type { Block } from './api.js';
import type { RequestOutcome } from './request.js';
import { type AnswerReply, isAnswer, type Reply, type Step } from './script.js';
import { chooseToolCall } from './tools.js';

/** Plays one reply to one request, at the pace of its reader. */
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
  const answer = answerOf(reply, stage);
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

/** Splits a large delta, because real models send small ones; never inside a character. */
function* bounded(text: string): Generator<string> {
  const size = 16_384;
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + size, text.length);
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}
