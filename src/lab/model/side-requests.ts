import { asObject, asString, type JsonObject } from './json.js';
import type { ApiName, RequestContent } from './request.js';

/** The parts of a request that are known when its kind is decided. */
export interface Arrival {
  readonly api: ApiName | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
  readonly content: RequestContent;
}

/** Returns the kind of a request that is no turn of the conversation, or `undefined` for a turn. */
export function sideKind(arrival: Arrival): string | undefined {
  const { api, method, path, body, content } = arrival;
  if (method === 'HEAD' || method === 'OPTIONS') return 'probe';
  if (method === 'GET') return getKind(path);
  if (api === undefined) return 'unknown';
  if (/count_?tokens/i.test(path)) return 'count_tokens';
  if (sidePrompts.test(content.prompt)) return 'title';
  if (content.tools.length > 0) return undefined;
  if (api === 'gemini' && geminiSchema(body) !== undefined) return 'json';
  if (titleInstructions.test(content.system)) return 'title';
  if (api === 'anthropic' && body['max_tokens'] === 1) return 'quota';
  return undefined;
}

function getKind(path: string): string {
  if (/\/models(\?|$)/.test(path)) return 'models';
  return /\/responses(\?|$)/.test(path) ? 'websocket' : 'unknown';
}

/** The words of OpenCode and Claude Code in the request that names a conversation. */
const titleInstructions =
  /^(?:[\s\S]{0,400})(You are a title generator|Generate a (?:concise, )?[\w-]*,? ?(?:sentence-case )?title)/;

/** With these words the terminal UIs ask for a title: Gemini's for the session before, Codex's for this one, with its tools. */
const sidePrompts =
  /^\s*(Summarize the user's primary intent or goal in this conversation|Generate a concise, single-line task title)/;

/** A fixed answer to a request that wants no model output. */
export interface SideJson {
  readonly status: number;
  readonly json: JsonObject;
}

/** Returns the answer to a side request: one that the CLI expects and that differs from the script's. */
export function sideAnswer(kind: string, arrival: Arrival): SideJson | string {
  switch (kind) {
    case 'probe':
      return { status: 200, json: {} };
    case 'models':
      return { status: 200, json: { object: 'list', data: [], models: [] } };
    case 'websocket':
      // Codex's built-in provider tries a WebSocket first; this answer sends it to plain HTTP at once.
      return { status: 426, json: { error: { message: 'No WebSocket here' } } };
    case 'count_tokens':
      return { status: 200, json: arrival.api === 'gemini' ? { totalTokens: 60 } : { input_tokens: 60 } };
    case 'json':
      return JSON.stringify(sampleOf(geminiSchema(arrival.body) ?? {}));
    case 'title':
      return 'Scripted title';
    case 'quota':
      return 'ok';
    default:
      return { status: 404, json: { error: { message: `No such path here: ${arrival.path}` } } };
  }
}

/** Returns the schema of a request of Gemini's router and checkers, which ask for JSON of a given shape. */
function geminiSchema(body: JsonObject): JsonObject | undefined {
  const config = asObject(body['generationConfig']);
  if (config['responseMimeType'] !== 'application/json') return undefined;
  return asObject(config['responseJsonSchema'] ?? config['responseSchema']);
}

/** Returns the smallest value that fits a JSON schema, as far as these schemas go. */
function sampleOf(schema: JsonObject): unknown {
  const [choice] = Array.isArray(schema['enum']) ? schema['enum'] : [];
  if (choice !== undefined) return choice;
  switch (asString(schema['type']).toLowerCase()) {
    case 'string':
      return 'scripted';
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return false;
    case 'array':
      return [];
    default:
      return Object.fromEntries(
        Object.entries(asObject(schema['properties'])).map(([name, property]) => [
          name,
          sampleOf(asObject(property)),
        ]),
      );
  }
}
