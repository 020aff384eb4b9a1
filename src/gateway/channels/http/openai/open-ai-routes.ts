import type { StoredEvent } from '../../../../store/rows.js';
import { addRoute, type HttpApp, type RouteOptions } from '../add-route.js';
import { answerRequest, type Form } from './answer-request.js';
import { chatChunks, chatCompletion } from './chat-completion.js';
import { lastTurn } from './follow-answer.js';
import { findAgent, modelIds, representModel } from './models.js';
import { badField, OpenAiProblem } from './open-ai-problem.js';
import { readChatRequest } from './read-chat-request.js';
import { readResponseRequest } from './read-response-request.js';
import { responseEvents } from './response-events.js';
import { eventIdOf } from './response-id.js';
import { responseObject } from './response-object.js';

const chat: Form = {
  read: readChatRequest,
  whole: (request, { event, turn }) => chatCompletion(request, event, turn),
  streamed: chatChunks,
};

const response: Form = {
  read: readResponseRequest,
  whole: (request, { event, turn }) => responseObject(request, event, { turn }),
  streamed: responseEvents,
};

/** The part of OpenAI's interface that its clients need to talk with agents: see `docs/http-api.md`. */
export function addOpenAiRoutes(app: HttpApp, options: RouteOptions): void {
  const { gateway } = options;
  const created = Math.floor(Date.now() / 1000);

  addRoute(app, '/v1/models', {
    GET: async (c) => {
      const ids = modelIds(await gateway.reports.backends());
      return c.json({ object: 'list', data: ids.map((id) => representModel(id, created)) });
    },
  });

  addRoute(app, '/v1/models/:id{.+}', {
    GET: async (c) => {
      const id = c.req.param('id');
      findAgent(id, await gateway.reports.backends());
      return c.json(representModel(id, created));
    },
  });

  addRoute(app, '/v1/chat/completions', { POST: (c) => answerRequest(c, options, chat) });
  addRoute(app, '/v1/responses', { POST: (c) => answerRequest(c, options, response) });

  addRoute(app, '/v1/responses/:id', {
    GET: async (c) => {
      if (c.req.query('stream') === 'true')
        throw badField('stream', 'a response can be streamed only by its own request.');
      const event = await findEvent(options, c.req.param('id'));
      const { turn } = await lastTurn(gateway, event);
      const { backend = 'default', model } = turn?.setup ?? {};
      const echoed = { model: model === undefined ? backend : `${backend}/${model}`, metadata: {} };
      return c.json(responseObject({ ...echoed, instructions: event.instructions }, event, { turn }));
    },
  });
}

async function findEvent({ gateway }: RouteOptions, id: string): Promise<StoredEvent> {
  const eventId = eventIdOf(id);
  const event = eventId === undefined ? undefined : await gateway.event(eventId);
  if (event !== undefined && !event.removed) return event;
  throw new OpenAiProblem(404, `There is no response ${JSON.stringify(id.slice(0, 160))} (any more).`);
}
