import * as z from 'zod';
import { type Operation, operations } from './operations.js';
import { answers, bodies } from './schemas.js';

const schemaPlace = '#/components/schemas/';

/** The OpenAPI document of the whole HTTP interface. It is made when somebody asks for it. */
export function openApiDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Turnout gateway',
      // The interface's version, not the program's: it is the v1 of the paths.
      version: '1',
      description: 'Messages in, agent turns, answers out. docs/http-api.md has the words and the examples.',
    },
    servers: [
      { url: '/', description: 'The gateway that serves this document.' },
      { url: 'http://127.0.0.1:8420', description: 'A gateway with the default settings.' },
    ],
    security: [{ bearer: [] }],
    paths: paths(),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'HTTP_TOKEN, or the http-token file.' },
      },
      schemas: schemas(),
    },
  };
}

function paths(): Record<string, Record<string, object>> {
  const found: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    found[operation.path] = { ...found[operation.path], [operation.method]: describe(operation) };
  }
  return found;
}

function describe(operation: Operation): object {
  const { tag, summary, body, bodyOptional, status = 200, open, problem = 'Problem' } = operation;
  return {
    tags: [tag],
    summary,
    ...(open ? { security: [] } : {}),
    parameters: [
      ...[...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        ...{ name, in: 'path', required: true, schema: { type: 'string' } },
      })),
      ...parameters('query', operation.query),
      ...parameters('header', operation.headers),
    ],
    ...(body === undefined ? {} : { requestBody: { required: bodyOptional !== true, content: json(body) } }),
    responses: {
      [status]: answerOf(operation),
      default: { description: 'A problem.', content: json(problem) },
    },
  };
}

function parameters(place: 'query' | 'header', described: Readonly<Record<string, string>> = {}): object[] {
  return Object.entries(described).map(([name, description]) => ({
    ...{ name, in: place, required: false, description, schema: { type: 'string' } },
  }));
}

function answerOf({ answer, orStream }: Operation): object {
  if (answer === undefined) return { description: 'Done.' };
  if (typeof answer === 'string') {
    const stream = orStream ? { 'text/event-stream': {} } : {};
    return { description: answer, content: { ...json(answer), ...stream } };
  }
  return { description: answer.description, content: { [answer.type]: {} } };
}

function json(name: string): object {
  return { 'application/json': { schema: { $ref: `${schemaPlace}${name}` } } };
}

function schemas(): Record<string, object> {
  // Answers may get further fields in a later version; a body with unknown fields is refused.
  return { ...named(answers, withoutLimit), ...named(bodies, (schema) => schema) };
}

function named(
  given: Readonly<Record<string, z.ZodType>>,
  change: (schema: Record<string, unknown>) => object,
): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(given)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { uri: (id) => `${schemaPlace}${id}` });
  return Object.fromEntries(
    Object.entries(made.schemas).map(([id, { $id: _, $schema: __, ...schema }]) => [id, change(schema)]),
  );
}

function withoutLimit(schema: Record<string, unknown>): object {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { additionalProperties, ...rest } = value as Record<string, unknown>;
    return additionalProperties === false || additionalProperties === undefined
      ? rest
      : { ...rest, additionalProperties };
  });
}
