import type { Context } from 'hono';
import * as z from 'zod';
import { isChannelId } from '../../../../config/formats.js';
import { TurnoutError } from '../../../../core/errors.js';
import { linkedSignal } from '../../../../core/linked-signal.js';
import { hasEnded, type StoredEvent } from '../../../../store/rows.js';
import type { Receipt } from '../../types.js';
import type { HttpEnv, RouteOptions } from '../add-route.js';
import { checkIdempotencyKey } from '../check-parameters.js';
import { eventStream, type ServerSentEvent } from '../event-stream.js';
import { readBody } from '../read-body.js';
import type { Fields } from './check-fields.js';
import { type AnswerStep, followAnswer } from './follow-answer.js';
import { isStateless, marking } from './go-on.js';
import { OpenAiProblem, toOpenAiProblem } from './open-ai-problem.js';
import type { OpenAiRequest } from './open-ai-request.js';
import { stopTurn } from './stop-turn.js';
import { toMessage } from './to-message.js';
import { turnFailure } from './turn-failure.js';

const anyObject = z.looseObject({}, 'a JSON object is expected');

/** Nobody reads it: it stands in the log and in the metrics, as nginx has it. */
const clientHasGone = 499;

type EndedStep = Extract<AnswerStep, { type: 'ended' }>;

/** One of the two forms that requests and answers have. */
export interface Form {
  read(body: Fields): OpenAiRequest;
  whole(request: OpenAiRequest, ended: EndedStep): object;
  streamed(
    request: OpenAiRequest,
    accepted: StoredEvent,
    steps: AsyncIterable<AnswerStep>,
  ): AsyncGenerator<ServerSentEvent>;
}

/** Answers a request with the answer of an agent, in one piece or as it comes. */
export async function answerRequest(
  c: Context<HttpEnv>,
  options: RouteOptions,
  form: Form,
): Promise<Response> {
  const { gateway, maxBodyBytes } = options;
  const key = checkIdempotencyKey(c.req.header('Idempotency-Key'));
  const request = form.read(await readBody(c.req.raw, anyObject, maxBodyBytes));
  const message = await toMessage(gateway, request, key);
  const client = c.req.raw.signal;
  const answer = whileConnected(options, { client, isKept: key !== undefined }, (signal) =>
    followAnswer(gateway, message, signal),
  );
  const steps = isStateless(request) ? marking(options, request, answer) : answer;
  const { event: accepted, repeated } = await firstStep(steps, request);
  c.header('X-Request-Id', accepted.id);
  if (repeated) c.header('Idempotency-Replayed', 'true');
  // As it stands it is what `metadata.channel` takes.
  if (isChannelId(accepted.channel)) c.header('Turnout-Channel', accepted.channel);
  if (request.stream)
    return eventStream(c, options.stopping, () => orError(form.streamed(request, accepted, steps), options));
  for await (const step of steps) {
    if (step.type !== 'ended') continue;
    if (client.aborted) return new Response(null, { status: clientHasGone });
    const failure = turnFailure(step.event, step.events);
    if (failure !== undefined) throw failure;
    return c.json(form.whole(request, step));
  }
  throw new Error('An answer without an end.');
}

/** A stream that broken machinery ends says so: its client throws whatever is in `error`. */
async function* orError(
  events: AsyncGenerator<ServerSentEvent>,
  { log }: RouteOptions,
): AsyncGenerator<ServerSentEvent> {
  try {
    yield* events;
  } catch (error) {
    log.error('a stream failed', { error });
    yield { data: toOpenAiProblem(error, 'The answer was broken off').body };
  }
}

/** The event of the request, as soon as it is on disk. */
async function firstStep(steps: AsyncGenerator<AnswerStep>, request: OpenAiRequest): Promise<Receipt> {
  try {
    const { value } = await steps.next();
    if (value?.type === 'accepted') return value;
  } catch (error) {
    if (!(error instanceof TurnoutError) || error.code === 'interrupted') throw error;
    if (error.code === 'not_installed' || error.code === 'unsupported')
      throw new OpenAiProblem(404, error.explanation, {
        param: 'model',
        code: 'model_not_found',
        cause: error,
      });
    const param = request.thinking?.param;
    throw new OpenAiProblem(400, error.explanation, {
      ...(param === undefined ? {} : { param }),
      code: error.code,
    });
  }
  throw new Error('A message was neither accepted nor refused.');
}

/**
 * Follows an answer for as long as its client is there. A client that goes stops its turn: nobody would read the answer, and
 * OpenAI's clients send a request again that took too long. With an Idempotency-Key the turn goes on: a repeat finds it.
 */
async function* whileConnected(
  { gateway, stopping, log }: RouteOptions,
  { client, isKept }: { readonly client: AbortSignal; readonly isKept: boolean },
  follow: (signal: AbortSignal) => AsyncGenerator<AnswerStep, void>,
): AsyncGenerator<AnswerStep, void> {
  const { signal, release } = linkedSignal([stopping, client]);
  let last: StoredEvent | undefined;
  try {
    for await (const step of follow(signal)) {
      if (step.type !== 'text') last = step.event;
      yield step;
    }
  } finally {
    release();
    if (!stopping.aborted && !isKept && last !== undefined && !hasEnded(last))
      await stopTurn(gateway, last).catch((error: unknown) =>
        log.warn('a turn could not be stopped after its client has gone', { error }),
      );
  }
}
